"""Spare Cores' measured machines: what is read of each task, what is hostile, and reading the kept files back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.measured_machines import COLUMNS, LICENCE, figures, file_name, format_figures
from pricing.providers.sparecores import DATA, MAX_MACHINES, SpareCores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from pricing.asking import Asker
    from pricing.measured_machines import Figure

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WHERE = "aws/x9.4xlarge"
LSCPU = {
    "lscpu": [
        {"field": "Architecture:", "data": "x86_64"},
        {"field": "CPU(s):", "data": "16"},
        {"field": "Model name:", "data": "Some CPU 9000 @ 3.1GHz"},
        {"field": "Thread(s) per core:", "data": "2"},
        {"field": "Core(s) per socket:", "data": "8"},
        {"field": "Socket(s):", "data": "1"},
        {"field": "NUMA node(s):", "data": "1"},
    ]
}
BW_MEM = "rd 0.016384 1300000.10\nrd 256.00 124000.50\nrd 512.00 123456.78\nwr 512.00 71500.0\nrdwr 512.00 72000\n"


def bench(**change: Any) -> str:
    row = {
        "model_filename": "/models/gemma-2b.Q4_K_M.gguf",
        "n_prompt": 512,
        "n_gen": 0,
        "n_threads": 8,
        "avg_ts": 276.927304,
        "test_time": "2025-10-13T16:31:37Z",
    }
    return json.dumps(row | change)


def answers(lscpu: Any = LSCPU, bw_mem: str = BW_MEM, llm: str | None = None, where: str = WHERE) -> Answers:
    lines = "\n".join((bench(), bench(n_prompt=0, n_gen=128, avg_ts=20.5), bench(n_prompt=4096), bench(n_gen=1)))
    body = json.dumps(lscpu) if not isinstance(lscpu, str) else lscpu
    parts = {
        "lscpu": body,
        "lscpu date": '{"start": "2025-10-06T21:51:18.7"}',
        "bw_mem": bw_mem,
        "bw_mem date": '{"start": null}',
        "llm": lines if llm is None else llm,
    }
    return Answers([Answer("sparecores", part, text.encode(), where) for part, text in parts.items()])


def kept(found: Answers, folder: Path, provider: str = "aws", server: str = "x9.4xlarge") -> tuple[Figure, ...]:
    for name, body in SpareCores().parse(found, NOW).machines.items():
        (folder / name).write_bytes(body)
    return figures(provider, server, folder)


def test_one_file_a_machine_under_the_licence_of_the_data() -> None:
    machines = SpareCores().parse(answers(), NOW).machines
    assert set(machines) == {"aws_x9.4xlarge.csv"}
    first, header, *rows = machines["aws_x9.4xlarge.csv"].decode().splitlines()
    assert first == LICENCE
    assert "CC BY-SA 4.0" in first
    assert header.split(",") == list(COLUMNS)
    assert len(rows) == 11
    assert len(machines["aws_x9.4xlarge.csv"]) < 4000


def test_what_a_machine_says_of_itself_and_what_was_measured_on_it(tmp_path: Path) -> None:
    found = {(figure.task, figure.metric): figure for figure in kept(answers(), tmp_path)}
    assert {metric: figure.value for (task, metric), figure in found.items() if task == "lscpu"} == {
        "cpu_model": "Some CPU 9000 @ 3.1GHz",
        "vcpus": "16",
        "threads_per_core": "2",
        "cores_per_socket": "8",
        "sockets": "1",
        "numa_nodes": "1",
    }
    read = found["bw_mem", "read_512mb"]
    assert (read.number, read.unit, read.date) == (123.46, "GB/s", "")
    assert found["lscpu", "vcpus"].date == "2025-10-06"
    assert {metric for task, metric in found if task == "llm"} == {"pp512", "tg128"}
    assert found["llm", "pp512"].source_url == f"{DATA}/aws/x9.4xlarge/llm/stdout"
    assert found["llm", "pp512"].date == "2025-10-13"


def test_a_figure_in_words(tmp_path: Path) -> None:
    said = [figure.sentence() for figure in kept(answers(), tmp_path)]
    assert "pp512 of gemma-2b.Q4_K_M = 276.9 tokens/s, 8 threads" in said
    assert "read 512mb = 123.5 GB/s" in said
    assert "cpu model = Some CPU 9000 @ 3.1GHz" in said


def test_vendors_carry_our_names(tmp_path: Path) -> None:
    found = kept(answers(where="hcloud/ccx63"), tmp_path, "hetzner", "ccx63")
    assert found
    assert found[0].source_url.startswith(f"{DATA}/hcloud/ccx63/")
    assert kept(answers(where="azure/Standard_D64as_v7"), tmp_path, "azure", "D64as_v7")
    assert not figures("azure", "D96as_v7", tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1, 2]",
        '"text"',
        "[" * 5000,
        bench(avg_ts="276.9"),
        bench(avg_ts=-1),
        bench(avg_ts=0),
        bench(avg_ts=1e12),
        bench().replace("276.927304", "NaN"),
        bench().replace("276.927304", "1e999"),
        bench(n_threads=0),
        bench(n_threads=1.5),
        bench(n_prompt=None),
        bench(model_filename=["x"]),
        bench(test_time="2031-01-01T00:00:00Z"),
    ],
)
def test_a_hostile_line_costs_only_itself(line: str, tmp_path: Path) -> None:
    found = kept(answers(llm=line + "\n" + bench(n_prompt=0, n_gen=16)), tmp_path)
    assert [figure.metric for figure in found if figure.task == "llm"] == ["tg16"]


@pytest.mark.parametrize(
    "lscpu",
    [
        "<html>",
        [],
        {"lscpu": {}},
        {"lscpu": ["text"]},
        {"lscpu": [{"field": 7, "data": []}]},
        {"lscpu": [{"field": "CPU(s):", "data": "sixteen"}]},
        {"lscpu": [{"field": "CPU(s):", "data": "9" * 5000}]},
    ],
)
def test_an_lscpu_that_is_none_costs_only_itself(lscpu: Any, tmp_path: Path) -> None:
    fetched = SpareCores().parse(answers(lscpu=lscpu), NOW)
    assert fetched.skipped == {"lscpu without figures": 1}
    assert {figure.task for figure in kept(answers(lscpu=lscpu), tmp_path)} == {"bw_mem", "llm"}


def test_memory_rates_that_are_none_are_not_read(tmp_path: Path) -> None:
    text = "rd 512 nan\nrd inf 5\nrd 64 -3\nrd 512\ncp 512 9\nrd x y\nrd 32 1e99\nwr 16 8000\n"
    found = [figure for figure in kept(answers(bw_mem=text), tmp_path) if figure.task == "bw_mem"]
    assert [(figure.metric, figure.number) for figure in found] == [("write_16mb", 8.0)]


def test_neither_a_terminal_nor_a_spreadsheet_obeys_what_is_kept(tmp_path: Path) -> None:
    lscpu = {"lscpu": [{"field": "Model name:", "data": "=cmd|'x'!A1\x1b[31m\n# \"quoted\", 9000"}]}
    (figure,) = (figure for figure in kept(answers(lscpu=lscpu), tmp_path) if figure.task == "lscpu")
    assert figure.value == "cmd|'x'!A1[31m # \"quoted\", 9000"


def test_nothing_measured_is_a_failure() -> None:
    with pytest.raises(FeedError, match="no figures"):
        SpareCores().parse(answers(lscpu={}, bw_mem="", llm=""), NOW)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", LICENCE.encode(), b"a,b\n1,2\n", b'task\n"', format_figures(()) + b"too,short\n"],
)
def test_a_file_that_cannot_be_used_holds_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "aws_x9.4xlarge.csv").write_bytes(content)
    assert figures("aws", "x9.4xlarge", tmp_path) == ()


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    assert file_name("aws", "../x") is None
    assert file_name("../aws", "x") is None
    assert file_name("aws", "x" * 100) is None
    (tmp_path / "secret.csv").write_text("x", encoding="utf-8")
    folder = tmp_path / "machines"
    folder.mkdir()
    assert figures("..", "secret", folder) == ()
    assert figures("aws", "../secret", folder) == ()


def test_five_files_a_machine(httpserver: HTTPServer, asker: Callable[..., Asker]) -> None:
    base = "/raw.githubusercontent.com/SpareCores/sc-inspector-data/main/data"
    for file, body in (
        ("lscpu/stdout", json.dumps(LSCPU)),
        ("lscpu/meta.json", '{"start": "2025-10-06T21:51:18"}'),
        ("bw_mem/stdout", BW_MEM),
        ("bw_mem/meta.json", "{}"),
        ("llm/stdout", bench()),
    ):
        httpserver.expect_request(f"{base}/hcloud/ccx63/{file}").respond_with_data(body)
    for task in ("lscpu", "bw_mem", "llm"):
        httpserver.expect_request(f"{base}/aws/none/{task}/stdout").respond_with_data(status=404)
    ask = asker("sparecores", ("hetzner/ccx63", "aws/none", "hetzner/ccx63"))
    source = SpareCores()
    source.fetch(ask)
    assert len(httpserver.log) == 8
    fetched = source.parse(ask.answers, NOW)
    assert set(fetched.machines) == {"hetzner_ccx63.csv"}
    assert {(part.provider, part.region) for part in fetched.missing} == {("aws", "aws/none")}


@pytest.mark.parametrize(
    "names", [("aws",), ("aws/../x",), ("AWS/x",), ("aws/x/y",), ("aws/",), tuple(f"aws/x{n}" for n in range(41))]
)
def test_names_that_are_none_are_not_asked_for(
    names: tuple[str, ...], httpserver: HTTPServer, asker: Callable[..., Asker]
) -> None:
    with pytest.raises(FeedError, match=r"no machine|at most"):
        SpareCores().fetch(asker("sparecores", names))
    assert not httpserver.log


def test_no_machine_at_all_is_a_failure(httpserver: HTTPServer, asker: Callable[..., Asker]) -> None:
    for task in ("lscpu", "bw_mem", "llm"):
        path = f"/raw.githubusercontent.com/SpareCores/sc-inspector-data/main/data/aws/none/{task}/stdout"
        httpserver.expect_request(path).respond_with_data(status=404)
    with pytest.raises(FeedError, match="404"):
        SpareCores().fetch(asker("sparecores", ("aws/none",)))


def test_the_machines_asked_for_by_default_are_not_bundled_already() -> None:
    from models.cpu_measured import measured
    from pricing.providers.sparecores import _provider

    names = SpareCores.about.regions
    assert 20 <= len(names) <= MAX_MACHINES
    for name in names:
        vendor, server = name.split("/")
        assert measured(_provider(vendor), server) is None, name
