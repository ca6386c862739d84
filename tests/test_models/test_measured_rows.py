"""The measured rows that ship: every name known, every source named, each licence in its own file."""

from __future__ import annotations

import csv
import gzip
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import models
from models.case_input import SCENARIOS, parse_case
from models.cases import estimate_rows
from models.measured_rows import COLUMNS, FILES, FOLDER, SOURCE_COLUMNS, SOURCES, measured_rows, read, rows_of
from models.result_columns import RESULT_COLUMNS

SCRIPT = Path(models.__file__).parents[1] / "scripts" / "measured_rows.py"
SPARE_CORES = "SpareCores/sc-inspector-data"
ROW = {
    "id": "a1",
    "source": "acme/bench@0123abc results/a.md (v2)",
    "source_date": "2026-01-02",
    "model": "meta-llama/Llama-3.1-8B-Instruct",
    "quant": "FP8",
    "kv_dtype": "fp8",
    "engine": "vLLM",
    "engine_version": "0.19.0",
    "hardware": "H100 SXM 80GB",
    "count": "2.0",
    "tp": "2",
    "pp": "1",
    "ep": "",
    "dp_attention": "",
    "cores_used": "",
    "memory_channels": "",
    "memory_mts": "",
    "input_tokens": "1024",
    "output_tokens": "256",
    "concurrency": "8",
    "request_rate_rps": "",
    "scenario": "online",
    "metric": "tpot_ms",
    "value": "7.50",
    "repeats": "2",
    "use": "fit",
    "why": "",
    "source_group": "acme",
    "note": "read by hand",
}
CPU = ROW | {
    "id": "a2", "source": f"{SPARE_CORES} data/aws/m7a.8xlarge/llm/stdout", "source_group": SPARE_CORES, "quant": "q4_K_M",
    "kv_dtype": "", "engine": "llama.cpp", "engine_version": "b4753", "count": "1", "tp": "", "pp": "", "cores_used": "32",
    "hardware": "AWS m7a.8xlarge, AMD EPYC 9R14 (32 vCPU)", "input_tokens": "", "concurrency": "1", "scenario": "bench",
    "metric": "tokens_per_s_per_user", "value": "20.0", "repeats": "1",
}  # fmt: skip
LOCAL_SCORE = CPU | {
    "id": "a3", "source": "acme/scores issue 7", "source_group": "acme", "engine": "llamafile", "hardware": "RTX 3090",
    "cores_used": "", "output_tokens": "", "note": "nine lengths; host AMD Ryzen 5 5500 (znver3), Windows",
}  # fmt: skip


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """The functions of the script that makes the files."""
    return runpy.run_path(str(SCRIPT))


def test_every_row_is_a_case_with_a_value() -> None:
    """Names are the catalog's, figures are positive, scenarios known."""
    for row in measured_rows():
        assert parse_case(row).error == "", row["case_id"]
        assert float(row["value"]) > 0
        assert row["scenario"] in SCENARIOS
        assert row["use"] in {"fit", "check"}
        assert float(row["repeats"]) >= 1


def test_there_are_enough_of_every_kind() -> None:
    """Serving on GPUs, llama.cpp on GPUs, CPUs; most of them fitted."""
    rows = measured_rows()
    assert Counter(row["use"] for row in rows)["fit"] > 14_000
    metrics = Counter(row["metric"] for row in rows)
    assert min(metrics[name] for name in ("tpot_ms", "ttft_ms", "output_tokens_per_s", "prompt_tokens_per_s")) > 1_000
    assert len({row["case_id"] for row in rows}) == len(rows)


def test_every_row_names_its_source_and_no_source_is_idle() -> None:
    """Group, text and date of a published source; nobody's own folders."""
    with (FOLDER / SOURCES).open(encoding="utf-8", newline="") as file:
        sources = list(csv.DictReader(file))
    assert tuple(sources[0]) == SOURCE_COLUMNS
    used = {(row["source_group"], row["source"], row["source_date"]) for row in measured_rows()}
    assert used == {(row["group"], row["source"], row["date"]) for row in sources}
    for row in sources:
        assert row["group"]
        assert row["source"]
        assert row["licence"]
        assert row["url"].startswith("https://") or not row["url"]
        assert not any(word in row["source"] for word in ("/home/", "/Users/", "/root/", "C:\\"))


def test_share_alike_rows_are_in_their_own_file() -> None:
    """Spare Cores' licence must not reach the other rows, nor be missing where it holds."""
    with (FOLDER / SOURCES).open(encoding="utf-8", newline="") as file:
        licence = {row["index"]: row["licence"] for row in csv.DictReader(file)}
    found = []
    for name in FILES:
        with gzip.open(FOLDER / name, "rt", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            assert tuple(reader.fieldnames or ()) == tuple(COLUMNS)
            found.append({licence[row["source"]] for row in reader})
    assert found[1] == {"CC-BY-SA-4.0"}
    assert found[0] == {"Apache-2.0", "published figures"}
    notice = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "creativecommons.org/licenses/by-sa/4.0" in notice
    assert all(name in notice for name in (*FILES, SOURCES))


def test_files_are_small_and_carry_no_clock() -> None:
    """The same rows make the same bytes: no time in the gzip header."""
    assert sum((FOLDER / name).stat().st_size for name in FILES) < 700_000
    for name in FILES:
        assert (FOLDER / name).read_bytes()[4:8] == bytes(4)


def test_the_script_keeps_every_estimate(tmp_path: Path, script: dict[str, Any]) -> None:
    """Spellings of sources become the catalog's names; answers stay."""
    rows = [ROW, CPU, LOCAL_SCORE]
    made = script["files"](rows)
    assert made == script["files"](rows)
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    shipped = {row["case_id"]: row for row in read(tmp_path)}
    assert [shipped[row["id"]]["model"] for row in rows] == ["Llama-3.1-8B"] * 3
    assert shipped["a1"]["hardware"] == "H100-80GB-SXM5"
    assert shipped["a1"]["note"] == ""
    assert shipped["a2"]["hardware"] == CPU["hardware"]  # packing is read from the instance's name
    assert shipped["a3"]["note"] == "host AMD Ryzen 5 5500 (znver3), Windows"
    before, after = estimate_rows(rows), estimate_rows([shipped[row["id"]] for row in rows])
    for one, other in zip(before, after, strict=True):
        assert {name: one[name] for name in RESULT_COLUMNS} == {name: other[name] for name in RESULT_COLUMNS}
    assert script["compare"](rows, tmp_path) == []


def test_the_script_notices_a_changed_row(tmp_path: Path, script: dict[str, Any]) -> None:
    """Its proof can fail: a row answered differently is named."""
    for name, data in script["files"]([ROW, CPU]).items():
        (tmp_path / name).write_bytes(data)
    assert script["compare"]([ROW | {"concurrency": "9"}, CPU], tmp_path) == ["a1"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("acme/bench@0123abc results/a.md (v2)", "https://github.com/acme/bench/blob/0123abc/results/a.md"),
        ("acme/bench README.md", "https://github.com/acme/bench"),
        ("acme/bench PR 12", "https://github.com/acme/bench/pull/12"),
        ("acme/bench issue 12 (copy of a page)", "https://github.com/acme/bench/issues/12"),
        ("https://acme.example/a-page (figures via a copy)", "https://acme.example/a-page"),
        ("gist.github.com/someone/0123", "https://gist.github.com/someone/0123"),
        ("a talk in Paris", ""),
    ],
)
def test_addresses_follow_from_sources(text: str, address: str, script: dict[str, Any]) -> None:
    """A file at its commit, a thread, a page; nothing where none can be told."""
    assert script["_url"]("acme", text) == address


def test_the_rows_of_one_model_are_those_of_the_whole() -> None:
    """Read apart, since a comparison needs one model's only."""
    assert rows_of("Phi-4")
    assert rows_of("Phi-4") == [row for row in measured_rows() if row["model"] == "Phi-4"]
    assert rows_of("no such model") == []
