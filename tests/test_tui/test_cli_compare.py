"""`rackrate compare`: what it lists, in which order, and how it answers bad input."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from pricing.export import EXPORT_COLUMNS
from tui.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WIDE = ["--workload", "chat", "--model", "Llama-3.1-8B", "--quant", "4bit", "--rps", "1", "--term", "all", "--undated"]
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256, "max_position_embeddings": 131072,
    "tie_word_embeddings": True, "torch_dtype": "bfloat16",
}  # fmt: skip


def listed(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """The CSV of a comparison as rows."""
    assert main(["compare", *words, "--format", "csv"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def refused(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence a bad comparison gets."""
    assert main(["compare", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("rackrate: ")
    return err


def test_everything_is_listed_with_figures_or_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(WIDE, capsys)
    assert list(rows[0]) == list(EXPORT_COLUMNS)
    assert len(rows) >= 5000
    assert len({row["provider"] for row in rows}) >= 45
    assert len({row["offer_id"] for row in rows}) == len(rows)
    for kind in ("cpu", "gpu"):
        answered = [r for r in rows if r["kind"] == kind and r["output_tokens_per_s"] and r["cost_per_m_output_tokens"]]
        assert len(answered) >= 1500
    silent = [r["offer_id"] for r in rows if not r["cost_per_m_output_tokens"] and not r["reason"]]
    assert silent == []
    assert [r["offer_id"] for r in rows if r["meets_targets"] == "false" and not r["reason"]] == []


def test_the_default_view_is_dated_on_demand_and_monthly(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed([], capsys)
    assert len(rows) >= 3000
    assert {row["term"] for row in rows} == {"on_demand", "monthly"}
    assert all(row["source_date"] for row in rows)


def test_those_that_meet_come_first_and_cheapest(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(["--quant", "4bit"], capsys)
    meets = [row["meets_targets"] == "true" and row["cost_per_m_output_tokens"] != "" for row in rows]
    assert meets == sorted(meets, reverse=True)
    costs = [float(row["cost_per_m_output_tokens"]) for row, met in zip(rows, meets, strict=True) if met]
    assert len(costs) > 100
    available = [c for c, row in zip(costs, rows, strict=False) if not row["availability"]]
    assert available == sorted(available)


def test_a_large_model_names_only_servers_that_hold_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--workload",
        "rag",
        "--model",
        "Llama-3.3-70B",
        "--quant",
        "fp8",
        "--rps",
        "5",
        "--ttft-ms",
        "2000",
        "--tpot-ms",
        "100",
    ]
    rows = listed([*words, "--limit", "10"], capsys)
    assert len(rows) == 10
    for row in rows:
        assert row["fits"] == "true"
        assert float(row["gpu_count"]) * float(row["vram_gib_per_gpu"]) > 70.6
        assert int(row["servers_needed"]) >= 1
        assert row["bound_by"]


def test_filters_hold(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--workload",
        "internal",
        "--kind",
        "cpu",
        "--provider",
        "hetzner,ovh",
        "--region",
        "eu",
        "--max-usd-month",
        "500",
    ]
    rows = listed(words, capsys)
    assert {row["kind"] for row in rows} == {"cpu"}
    assert {row["provider"] for row in rows} == {"hetzner", "ovh"}
    assert all(row["region_group"] == "eu" or " " in row["region"] for row in rows)
    assert all(float(row["monthly_cost"]) <= 500 for row in rows)
    fewer = listed([*words, "--where", "ram>=64"], capsys)
    assert 0 < len(fewer) < len(rows)
    assert all(float(row["ram_gib"]) >= 64 for row in fewer)


def test_since_and_undated(capsys: pytest.CaptureFixture[str]) -> None:
    since = listed(["--since", "2026-07-01"], capsys)
    assert min(row["source_date"] for row in since) >= "2026-07-01"
    assert any(not row["source_date"] for row in listed(["--undated"], capsys))


@pytest.mark.parametrize(("sort", "downwards"), [("ttft_ms", False), ("-ttft_ms", True), ("output_tokens_per_s", True)])
def test_sort_by_any_column(sort: str, downwards: bool, capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(["--sort", sort, "--limit", "50"], capsys)
    values = [float(row[sort.removeprefix("-")]) for row in rows]
    assert values == sorted(values, reverse=downwards)


def test_currency_vat_and_hours_change_the_cost(capsys: pytest.CaptureFixture[str]) -> None:
    def cost(*words: str) -> float:
        rows = listed(["--provider", "aws", "--sort", "offer_id", *words], capsys)
        return next(float(row["monthly_cost"]) for row in rows if row["monthly_cost"] and row["price_per_month"] == "")

    usd = cost()
    assert cost("--vat", "19") == pytest.approx(usd * 1.19, rel=1e-6)
    assert cost("--hours-per-month", "365") == pytest.approx(usd / 2, rel=1e-6)
    assert cost("--currency", "EUR") < usd


def test_json_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--format", "json", "--limit", "3"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 3
    assert main(["compare", "--format", "markdown", "--limit", "3"]) == 0
    _, _, *lines = capsys.readouterr().out.strip().splitlines()
    assert len(lines) == 5
    assert len({line.count("|") for line in lines}) == 1


@pytest.mark.parametrize("cells", [60, 80, 120, 200])
def test_the_table_keeps_to_the_terminal(
    cells: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(cells))
    assert main(["compare", "--format", "table", "--limit", "20"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert max(map(len, lines)) <= cells
    assert lines[0].startswith("Server")
    assert "USD/Mtok" in lines[0]
    assert "20 of " in err


def test_a_file_is_written_whole_and_stdout_stays_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "offers.csv"
    assert main(["compare", "--csv", str(target), "--limit", "5"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "5 offers" in err
    assert len(list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["offers.csv"]


def test_a_dash_is_stdout_and_links_and_devices_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--csv", "-", "--limit", "2"]) == 0
    out, err = capsys.readouterr()
    assert len(list(csv.DictReader(io.StringIO(out)))) == 2
    assert err == ""
    target, link = tmp_path / "offers.csv", tmp_path / "link.csv"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    assert main(["compare", "--csv", str(link), "--limit", "1"]) == 0
    assert "Wrote 1 offer to" in capsys.readouterr().err
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("offer_id,")


def test_rows_without_a_date_in_ones_own_file_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    head = "provider,server,kind,gpu_model,vram_gib_per_gpu,currency,price_per_hour"
    path.write_text(f"{head}\nacme,box,gpu,L4,24,USD,0.5\n", encoding="utf-8")
    rows = listed(["--prices", str(path), "--no-bundled"], capsys)
    assert [row["server"] for row in rows] == ["box"]
    assert rows[0]["source_date"]
    path.write_text(f"{head},source_date\nacme,box,gpu,L4,24,USD,0.5,2031-01-01\n", encoding="utf-8")
    said = refused(["--prices", str(path), "--no-bundled"], capsys)
    assert "line 2, column source_date: 2031-01-01 lies in the future" in said


def test_what_compare_writes_it_reads_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "offers.csv"
    assert main(["compare", "--csv", str(target), "--limit", "7"]) == 0
    capsys.readouterr()
    rows = listed(["--prices", str(target), "--no-bundled"], capsys)
    assert len(rows) == 7


def test_without_a_command_and_a_terminal_it_is_the_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("offer_id,provider,")


def test_a_model_by_its_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    rows = listed(["--model", str(path), "--limit", "3"], capsys)
    assert all(row["fits"] == "true" for row in rows)
    assert listed(["--model", str(tmp_path), "--limit", "3"], capsys) == rows


def test_a_folder_without_a_config_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holds no config.json" in refused(["--model", str(tmp_path)], capsys)


@pytest.mark.filterwarnings("error")
def test_next_to_no_hours_leak_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(listed(["--hours-per-month", "1e-308", "--limit", "2"], capsys)) == 2


BAD = [
    (["--model", "Lama-3.1-8B"], "Did you mean Llama-3.1-8B"),
    (["--quant", "fp9"], "fp9"),
    (["--kv-quant", "fp9"], "fp9"),
    (["--engine", "vlm"], "Did you mean"),
    (["--workload", "chatt"], "Did you mean chat"),
    (["--term", "spotty"], "Did you mean spot?"),
    (["--currency", "DOLLAR"], "DOLLAR"),
    (["--currency", "XXX"], "XXX"),
    (["--sort", "ttft"], "Did you mean ttft"),
    (["--where", "gpu>=many"], "gpu>=many"),
    (["--where", "nosuch>=1"], "nosuch"),
    (["--prices", "nosuch.csv"], "nosuch.csv"),
    (["--provider", "hetznr"], "Did you mean hetzner?"),
    (["--provider", "nosuchprovider"], "`rackrate catalog providers` lists them."),
    (["--engine", "zzzzzz"], "`rackrate catalog engines` lists them."),
    (["--region", "atlantis"], "atlantis"),
]


@pytest.mark.parametrize(("words", "named"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_gets_one_sentence(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert named in refused(words, capsys)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\x00\xff\xfe", b"a,b\n1,2\n", b"provider,server\nx,y\n"])
def test_a_bad_price_file_gets_one_sentence(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "offers.csv"
    path.write_bytes(content)
    assert "offers.csv" in refused(["--prices", str(path)], capsys)


def test_folders_and_unwritable_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tmp_path.name in refused(["--prices", str(tmp_path)], capsys)
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    refused(["--csv", str(blocked / "offers.csv"), "--limit", "1"], capsys)
    assert "it is a folder" in refused(["--csv", str(tmp_path), "--limit", "1"], capsys)
    assert "there is no folder" in refused(["--csv", str(tmp_path / "none" / "offers.csv"), "--limit", "1"], capsys)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"hidden_size": -1}', "null", '{"model_type": "llama"}'])
def test_a_bad_config_gets_one_sentence(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text(content, encoding="utf-8")
    assert "config.json" in refused(["--model", str(path)], capsys)


def test_a_missing_config_is_said_to_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nosuch/config.json does not exist" in refused(["--model", "nosuch/config.json"], capsys)


def test_a_file_has_all_offers_though_the_table_is_cut_for_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty rows are for people: whoever keeps a file to compare with keeps all of it."""
    target = tmp_path / "all.csv"
    assert main(["compare", "--format", "table", "--csv", str(target)]) == 0
    told = capsys.readouterr()
    with target.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 1000
    assert f"Wrote {len(rows):,} offers" in told.err
    assert len(told.out.splitlines()) < 40
    assert "first:" not in rows[0]["selection"]
