"""`rackrate advise buy` from the command line: an answer, its arithmetic, and sentences for what contradicts itself."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tui.__main__ import main

HOURS_PER_MONTH = 730


def _json(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["advise", "buy", "--format", "json", *flags]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_tokens_a_month_are_the_traffic(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--tokens-per-month", "300M")
    hosted = found["self_hosted"]
    assert hosted["tokens_per_month"] == pytest.approx(300e6)
    assert hosted["cost_per_m_total_tokens"] == pytest.approx(hosted["monthly_cost"] / 300)
    for api in found["apis"]:
        assert api["monthly_cost"] == pytest.approx(api["blended_cost_per_m_tokens"] * 300)
        assert api["this_fleet_break_even_tokens_per_month"] * api["blended_cost_per_m_tokens"] == pytest.approx(
            hosted["monthly_cost"] * 1e6
        )


def test_free_unpriced_and_ended_apis_are_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    apis = _json(capsys)["apis"]
    assert apis
    assert all(api["blended_cost_per_m_tokens"] > 0 for api in apis)
    assert all(not api["deprecation_date"] or api["deprecation_date"] > api["source_date"] for api in apis)
    prices = [api["blended_cost_per_m_tokens"] for api in apis]
    assert prices == sorted(prices)


def test_a_price_of_ones_own_is_blended_and_taxed_like_the_listed(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--input-tokens", "900", "--output-tokens", "100", "--prefix-hit", "0.5", "--api-price", "1/4/0.1")
    net, gross = (_json(capsys, *flags, *vat) for vat in ((), ("--vat", "19")))
    (own,) = (api for api in net["apis"] if api["provider"] == "your price")
    assert own["blended_cost_per_m_tokens"] == pytest.approx((450 * 1 + 450 * 0.1 + 100 * 4) / 1000)
    for before, after in zip(net["apis"], gross["apis"], strict=True):
        assert after["blended_cost_per_m_tokens"] / before["blended_cost_per_m_tokens"] == pytest.approx(1.19)


def test_the_own_price_does_not_move_the_median(capsys: pytest.CaptureFixture[str]) -> None:
    plain, own = _json(capsys), _json(capsys, "--api-price", "900/900")
    assert [row["over_median_api"] for row in plain["sensitivity"]] == [
        row["over_median_api"] for row in own["sensitivity"]
    ]


def test_overheads_are_off_until_said(capsys: pytest.CaptureFixture[str]) -> None:
    plain = _json(capsys)["self_hosted"]
    assert plain["monthly_cost"] == plain["servers_monthly_cost"]
    flags = (
        "--ops-percent",
        "30",
        "--engineer-hours",
        "10",
        "--engineer-rate",
        "90",
        "--egress-gb",
        "50",
        "--egress-price",
        "0.1",
    )
    found = _json(capsys, *flags)
    loaded, servers = found["self_hosted"], plain["servers_monthly_cost"]
    assert loaded["monthly_cost"] == pytest.approx(servers * 1.3 + 900 + 5)
    lines = {line["line"]: line["monthly_cost"] for line in loaded["cost_lines"]}
    assert lines == pytest.approx({"servers": servers, "operations": servers * 0.3, "engineers": 900, "egress": 5})
    assert [line["line"] for line in plain["cost_lines"]] == ["servers"]
    assert any("engineers, storage and egress the same at every traffic" in note for note in found["notes"])


def test_a_bought_server_costs_what_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    """62,000 over 48 months and 2,100 W at 0.22 a kWh: 1,291.67 + 337.26 a server and month."""
    bought = ("--purchase", "62000", "--months", "48", "--watts", "2100", "--power-price", "0.22")
    hosted = _json(capsys, *bought)["self_hosted"]
    assert hosted["owned"] is True
    assert hosted["monthly_cost"] == pytest.approx(1628.93 * hosted["servers"], abs=0.01 * hosted["servers"])
    assert main(["advise", "buy", *bought]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "J a token" in said
    assert f"a bought server ({hosted['hardware']}) as fast as" in said
    lines = {line["line"]: line["monthly_cost"] / hosted["servers"] for line in hosted["cost_lines"]}
    assert lines == pytest.approx({"purchase": 1291.67, "power": 337.26}, abs=0.01)
    assert (hosted["bought"]["purchase"], hosted["bought"]["watts"]) == (62000, 2100)


def test_an_answer_that_turns_inside_the_error_band_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """One server all but full, a little cheaper than the API: a slower one is two servers."""
    flags = ("--model", "Llama-3.3-70B", "--tokens-per-month")
    hosted = _json(capsys, *flags, "20B")["self_hosted"]
    full = hosted["capacity_tokens_per_month"] / hosted["servers"]
    price = hosted["servers_monthly_cost"] / hosted["servers"] / full * 1e6 * 1.05
    flags = ("--model", "Llama-3.3-70B", "--tokens-per-month", str(full * 0.97), "--api-price", f"{price}/{price}")
    found = _json(capsys, *flags)
    assert found["sentences"][0].startswith("Self-host")
    assert "the answer is open" in found["sentences"][1]
    assert not any("the answer is open" in one for one in _json(capsys, "--tokens-per-month", "300M")["sentences"])


def test_never_breaks_even_is_an_answer_that_says_what_of(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--api-price", "0.000001/0.000001")
    said = " ".join(found["sentences"])
    assert "self-hosting never breaks even, at any traffic that 50 servers of one offer can carry" in said
    assert "The fleet of this traffic, kept as it is, never gets there" in said
    (own,) = (api for api in found["apis"] if api["provider"] == "your price")
    assert own["break_even_tokens_per_month"] is None


def test_nothing_meets_it_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--ttft-ms", "0.001")
    assert found["self_hosted"] is None
    assert found["apis"]
    assert "nothing to self-host on" in found["sentences"][0]


def test_the_csv_is_the_table_of_providers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "buy", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows
    assert all(float(row["blended_cost_per_m_tokens"]) > 0 for row in rows)
    assert all(row["source_date"] for row in rows)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--tokens-per-month", "300M", "--rps", "2"), "exclude each other"),
        (("--tokens-per-month", "0"), "--tokens-per-month"),
        (("--api", "nobody"), "nobody"),
        (("--purchase", "100"), "needs --months, --watts and --power-price too"),
        (("--colocation", "9", "--months", "36"), "needs --purchase, --watts and --power-price too"),
        (
            ("--purchase", "9", "--engineer-hours", "3", "--egress-price", "1"),
            "--power-price too; --engineer-hours needs --engineer-rate too; --egress-price needs --egress-gb too",
        ),
        (("--purchase", "100", "--ttft-ms", "0.001"), "--months"),
        (("--storage-gb", "3"), "--storage-price"),
        (("--egress-price", "3"), "--egress-gb"),
        (("--api-price", "0/0"), "IN/OUT"),
        (("--self-host", "no-such-server"), "no-such-server"),
    ],
)
def test_contradictions_are_one_sentence(flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["advise", "buy", *flags])
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == 2
    out = capsys.readouterr()
    assert not out.out
    assert said in out.err
    assert "Traceback" not in out.err
