"""What the details print can be worked out again by hand: every line of arithmetic gives the figure it names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from models.traffic import Workload
from pricing.month import month
from pricing.terms import month_of_one
from tests.test_tui.conftest import cpu, gpu
from tui import details
from tui.sections.check import check
from tui.sections.worked import arithmetic

UNITS = {
    "TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3, "bytes": 1.0, "TB/s": 1e12, "GB/s": 1e9, "MB/s": 1e6, "PFLOP": 1e15, "TFLOP": 1e12,
    "GFLOP": 1e9, "MFLOP": 1e6, "PFLOPS": 1e15, "TFLOPS": 1e12, "GFLOPS": 1e9, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "%": 0.01, "GiB": 2.0**30,
    "billion": 1e9, "bits": 1.0,
}  # fmt: skip
_NUMBER = re.compile(r"(?P<number>\d[\d,]*\.?\d*)(?P<words>(?: [^\d()×÷=^+]+)?)")


def evaluate(text):
    """A printed expression as a number in seconds, bytes or counts; words that are no unit are labels."""

    def number(found):
        value = float(found["number"].replace(",", ""))
        words = found["words"].split()
        scale = UNITS.get(words[0], 1.0) if words else 1.0
        return repr(value * scale)

    plain = _NUMBER.sub(number, text.strip())
    return eval(plain.replace("×", "*").replace("÷", "/").replace("^", "**"))  # noqa: S307 - our own digits and signs


def lines_of(rows, i):
    found = {}
    for section in arithmetic(rows, i):
        found[section.title] = ["".join(span for span, _ in line) for line in section.lines]
    return found


MARKET = [
    gpu("l4"),
    gpu("h100-tp", "H100-SXM5-80GB", 80.0, 4.0, hour=9.0, interconnect="NVLink4"),
    cpu("epyc", 48.0, 192.0, 260.0),
]
WORKS = {
    "vllm": ("Llama-3.1-8B", {}, "l4"),
    "vllm-users": ("Llama-3.1-8B", {"concurrency": 12}, "h100-tp"),
    "tensor-parallel": ("Llama-3.1-70B", {"quant": "fp8"}, "h100-tp"),
    "moe": ("gpt-oss-120b", {"quant": "4bit"}, "h100-tp"),
    "llama.cpp-gpu": ("Llama-3.1-8B", {"quant": "q4_k_m", "requests_per_s": 0.3}, "l4"),
    "cpu": ("Llama-3.1-8B", {"quant": "q4_k_m", "requests_per_s": 0.05}, "epyc"),
}


@pytest.fixture
def answered(make_session):
    def make(name):
        from models import catalog

        model, changes, server = WORKS[name]
        session = make_session(list(MARKET))
        session.history.set(Workload(model=catalog.llm(model)).changed(**changes))
        session.recompute()
        i = next(at for at, offer in enumerate(session.market.offers) if offer.server == server)
        return session.rows, i

    return make


@pytest.mark.parametrize("name", WORKS)
def test_the_printed_arithmetic_gives_the_printed_figures(answered, name):
    rows, i = answered(name)
    found = lines_of(rows, i)
    assert {"= Memory", "= TTFT", "= TPOT", "= Cost"} <= set(found)
    checked = 0
    for title in ("= Memory", "= TTFT", "= TPOT"):
        for line in found[title]:
            said = re.match(r"\s*· [^=]*?  (?P<how>[^;\[]+) = (?P<value>[\d.,]+ (?:ms|s|GiB))", line)
            if said and "the larger of" not in line:
                # Parts that are joined stand without a unit: in that of the line.
                scale = UNITS[said["value"].split()[1]] if _bare(said["how"]) else 1.0
                assert evaluate(said["how"]) * scale == pytest.approx(evaluate(said["value"]), rel=0.02), line
                checked += 1
    assert checked >= 6


def _bare(how):
    """True for parts joined without a unit: they are in the unit of the line's value."""
    words = [found["words"].split()[0] for found in _NUMBER.finditer(how) if found["words"].strip()]
    return not any(word in UNITS and word != "%" for word in words)


@pytest.mark.parametrize("name", WORKS)
def test_the_sums_add_up_to_the_figures_in_the_table(answered, name):
    rows, i = answered(name)
    found = lines_of(rows, i)
    for title, key in (("= TTFT", "ttft_ms"), ("= TPOT", "tpot_ms")):
        head = found[title][0]
        figure, parts = head.split(" = ", 1)
        assert evaluate(figure) * 1e3 == pytest.approx(rows.value(key, i), rel=0.006)
        numbers = [float(each.replace(",", "")) for each in re.findall(r"(?:^|[+−] )([\d.,]+) ", parts)]
        signs = [-1.0 if "− " + each in parts else 1.0 for each in re.findall(r"(?:^|[+−] )([\d.,]+) ", parts)]
        total = sum(sign * number for sign, number in zip(signs, numbers, strict=True))
        assert total == pytest.approx(float(figure.split()[0].replace(",", "")), rel=0.01)
    memory = found["= Memory"]
    assert evaluate(memory[0].split(" = ")[0]) / 2**30 == pytest.approx(
        sum(rows.value(f"{part}_gib", i) for part in ("weights", "kv", "overhead")), rel=0.006
    )
    share = re.search(r"([\d.,]+) ÷ ([\d.,]+) = ([\d.]+) %", memory[1])
    assert float(share[1]) / float(share[2]) == pytest.approx(float(share[3]) / 100, rel=0.02)
    assert float(share[3]) / 100 == pytest.approx(rows.value("memory_used_share", i), rel=0.006)
    cost = re.match(
        r"\$([\d.,]+) per Mtok = \$([\d.,]+) ÷ \(([\d.,]+) tok/s × 3,600 s × ([\d.,]+) h\)", found["= Cost"][0]
    )
    paid, month_cost, speed, hours = (float(each.replace(",", "")) for each in cost.groups())
    assert month_cost / (speed * 3600 * hours) * 1e6 == pytest.approx(paid, rel=0.01)
    assert paid == pytest.approx(rows.value("cost_per_m_output_tokens", i), rel=0.01)


def test_constants_are_printed_with_their_names(answered):
    rows, i = answered("tensor-parallel")
    text = "\n".join(lines_of(rows, i)["= TPOT"])
    assert re.search(r"\[em_hbm [\d.]+ × em_f8 [\d.]+\]", text)
    assert re.search(r"\[ekv [\d.]+\]", text)


def test_details_say_what_the_band_means_and_how_to_check(answered):
    rows, i = answered("vllm")
    text = details.plain(rows, i)
    assert "80 % of the measurements" in text
    assert "vllm serve" in text
    assert "mean TTFT" in text
    assert "calibrated" in text or "measured" in text


def test_the_copied_text_keeps_every_command_on_one_line(answered):
    rows, i = answered("llama.cpp-gpu")
    lines = details.plain(rows, i).splitlines()
    commands = [line for line in lines if line.startswith(("llama-", "vllm "))]
    assert len(commands) >= 3
    assert not any(line.endswith("\\") for line in lines)
    assert details.plain(rows, i, ascii_only=True).isascii()


def test_what_has_no_estimate_has_neither_arithmetic_nor_commands(make_session):
    session = make_session([gpu("mystery", "Zeta-9000", 48.0)])
    session.recompute()
    assert arithmetic(session.rows, 0) == []
    assert check(session.rows, 0) is None
    assert "mystery" in details.plain(session.rows, 0)


@pytest.mark.parametrize("width", [40, 60, 76, 120])
def test_no_line_is_wider_than_the_pane(answered, width):
    from tui.text import length

    rows, i = answered("moe")
    for make in (details.details, details.whole):
        assert all(length(line) <= width for line in make(rows, i, width))


def test_the_first_twelve_lines_of_a_narrow_pane_hold_memory_speed_and_cost(answered):
    rows, i = answered("vllm")
    text = "\n".join("".join(span for span, _ in line) for line in details.details(rows, i, 60)[:12])
    assert all(word in text for word in ("Memory", "Speed", "TTFT", "TPOT", "Cost"))


def test_a_token_is_shown_as_bars_with_milliseconds_and_shares(answered):
    rows, i = answered("vllm")
    lines = ["".join(span for span, _ in line).replace("\xa0", " ") for line in details.whole(rows, i, 80)]
    start = next(place for place, line in enumerate(lines) if line.startswith("Step"))
    bars = [line for line in lines[start + 1 : start + 9] if "█" in line or "·" in line]
    shares = [float(found[1]) for line in bars if (found := re.search(r"([\d.]+) %$", line.strip()))]
    assert sum(shares) == pytest.approx(100, abs=1)


# the month


def test_the_fair_month_is_what_the_comparison_counts(make_session):
    offers = [
        gpu("hourly", hour=0.8),
        gpu("capped", hour=1.0, price_per_month=500.0),
        gpu("reserved", hour=0.5, term="reserved", commitment_months=12, upfront_share=0.5),
        cpu("setup", month=100.0, setup_fee=90.0),
        gpu("no-price", hour=None),
    ]
    session = make_session(offers, vat=0.19, discounts={"acme": 0.1})
    session.recompute()
    months = month_of_one(session.market, session.options)
    for at, offer in enumerate(session.market.offers):
        found = month(session.comparison, at)
        if offer.server == "no-price":
            assert found is None
            assert np.isnan(months[at])
            continue
        assert found.total == pytest.approx(months[at], rel=1e-12)
        assert found.recurring + found.setup_share == pytest.approx(found.total, rel=1e-12)


def test_a_fee_stated_as_none_is_not_one_that_is_not_stated(make_session):
    terms = {"term": "reserved", "commitment_months": 12}
    session = make_session(
        [
            cpu("free", month=100.0, setup_fee=0.0),
            cpu("silent", month=100.0),
            gpu("later", hour=0.5, upfront_share=0.0, **terms),
            gpu("unsaid", hour=0.5, **terms),
        ]
    )
    session.recompute()
    free, silent, later, unsaid = (month(session.comparison, at) for at in range(4))
    assert (free.setup_fee, silent.setup_fee) == (0.0, None)
    assert (later.upfront, unsaid.upfront) == (0.0, None)


def test_details_spread_the_setup_fee_and_tell_the_commitment(make_session):
    session = make_session(
        [
            cpu("setup", 48.0, 192.0, 100.0, setup_fee=90.0),
            gpu("reserved", hour=0.5, term="reserved", commitment_months=12, upfront_share=0.5),
        ]
    )
    session.recompute()
    first = details.plain(session.rows, 0)
    assert "$100.00 however few hours + $90.00 setup ÷ 12 months = $107.50" in first
    second = details.plain(session.rows, 1)
    assert "$0.50 × 730 h = $365.00" in second
    assert "12 months × $365.00 = $4,380.00; $2,190.00 of it upfront, spread in the price" in second


ENDS = {
    "ttft": ({"requests_per_s": 40.0}, "t4", "more would miss TTFT"),
    "tpot": ({"requests_per_s": 40.0, "tpot_ms": 25.0}, "h100", "more would miss TPOT"),
    "memory": ({"requests_per_s": 40.0}, "h100", "memory holds no more"),
    "engine": (
        {"concurrency": 4000, "input_tokens": 16, "output_tokens": 16, "ttft_ms": 60_000.0, "tpot_ms": 9_000.0},
        "h100",
        "vLLM runs no more at once",
    ),
    "counted": (
        {"concurrency": 400, "quant": "q4_k_m", "ttft_ms": 600_000.0, "tpot_ms": 9_000.0},
        "h100",
        "no more are counted",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_details_say_what_ends_a_server_and_why_so_many(make_session, llama, name):
    changes, server, words = ENDS[name]
    session = make_session([gpu("t4", "T4", 16.0, hour=0.3), gpu("h100", "H100-SXM5-80GB", 80.0, hour=2.5)])
    session.history.set(llama.changed(**changes))
    session.recompute()
    rows = session.rows
    i = next(at for at, offer in enumerate(session.market.offers) if offer.server == server)
    text = details.plain(rows, i)
    assert f"; {words}" in text
    (said,) = re.findall(r"(\S+) (?:req/s|users) ÷ (\S+) = (\S+) → (\S+) servers", text)
    wanted, able, quotient, servers = (float(one.replace(",", "")) for one in said)
    assert servers == rows.value("servers_needed", i) > 1
    assert servers - 1 < quotient <= servers
    assert wanted / able == pytest.approx(quotient, rel=0.06)


def test_servers_kept_partly_idle_are_in_the_arithmetic(make_session, llama):
    session = make_session([gpu("t4", "T4", 16.0, hour=0.3)])
    session.history.set(llama.changed(requests_per_s=2.0, utilization=0.5))
    session.recompute()
    (said,) = re.findall(r"2 req/s ÷ \((\S+) × 50 %\) = (\S+) → (\d+) servers", details.plain(session.rows, 0))
    assert float(said[1]) == pytest.approx(2 / (float(said[0]) / 2), rel=0.06)


def test_several_servers_need_something_that_spreads_the_requests(make_session, llama):
    session = make_session([gpu("t4", "T4", 16.0, hour=0.3), gpu("h100", "H100-SXM5-80GB", 80.0, hour=2.5)])
    session.recompute()
    rows = session.rows
    needed = {offer.server: rows.value("servers_needed", i) for i, offer in enumerate(session.market.offers)}
    assert needed == {"t4": 4.0, "h100": 1.0}
    said = {offer.server: "load balancer" in details.plain(rows, i) for i, offer in enumerate(session.market.offers)}
    assert said == {"t4": True, "h100": False}
    session.view = session.view.changed(where="n=1")
    session.arrange()
    assert [session.rows.offer(int(i)).server for i in session.rows.order] == ["h100"]


@pytest.mark.parametrize("name", WORKS)
def test_every_fitted_constant_in_the_sums_is_told_in_words_once(answered, name):
    rows, i = answered(name)
    found = lines_of(rows, i)
    sums = "\n".join(line for title, lines in found.items() if title != "= Names" for line in lines)
    used = {
        one
        for part in re.findall(r"\[([^\]]*)\]", sums)
        for one in re.findall(r"[a-z][a-z0-9]*_[a-z0-9_]+|\bekv\b", part)
    }
    told = re.findall(r"(\S+) = ", found["= Names"][0]) if "= Names" in found else []
    assert used <= set(told)
    assert len(told) == len(set(told))
    assert not any("the same" in line for line in found.get("= Names", []))
    assert bool(used) == (name != "cpu")
