"""What each plot says, against figures worked out by hand and against the comparison itself."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from rich.cells import cell_len

from models.fleets import crossings, merged, stairs, turns
from models.frontier import frontier
from pricing.serverless import api_prices, monthly_slope
from pricing.terms import CompareOptions
from pricing.tokens import TokenPrice
from tui import format as fmt
from tui import plots
from tui.plots.api_prices import stored
from tui.plots.latency import loads
from tui.plots.painter import Picture
from tui.plots.pareto import stairs as price_line
from tui.plots.traffic import answer
from tui.state import PLOTS

SIZES = [(48, 12), (40, 8), (160, 45)]


def make(name, session, position=0):
    return plots.make(name, session, position)


def drawn(plot, size=(80, 20)):
    return "\n".join("".join(text for text, _ in line) for line in Picture(plot, *size).lines())


# by hand


def test_the_frontier_is_the_cheapest_at_at_least_each_speed():
    #                 beaten  kept  beaten kept  same speed, dearer
    speed = np.array([10.0, 20.0, 15.0, 40.0, 40.0])
    cost = np.array([2.0, 1.0, 1.0, 3.0, 4.0])
    assert frontier(speed, cost).tolist() == [1, 3]
    x, y = price_line(speed[[1, 3]], cost[[1, 3]], 5.0)
    assert list(zip(x.tolist(), y.tolist(), strict=True)) == [(5, 1), (20, 1), (20, 3), (40, 3)]


def test_offers_that_are_equal_are_one_point_of_the_frontier():
    assert len(frontier(np.full(9, 5.0), np.full(9, 2.0))) == 1
    assert len(frontier(np.empty(0), np.empty(0))) == 0


def test_a_small_cpu_gives_way_to_a_large_gpu_at_the_fourth_server():
    cpu = stairs(np.array([1.0]), np.array([100.0]), np.array([0]), 50)
    gpu = stairs(np.array([10.0]), np.array([350.0]), np.array([1]), 50)
    assert [cpu.cost_at(rate) for rate in (0.5, 1.0, 1.01, 3.0, 3.01)] == [100, 100, 200, 300, 400]
    found = crossings(cpu, gpu)
    assert [kind for _, kind in found] == [0, 1]
    assert found[1][0] == pytest.approx(3.0)


def test_whole_servers_cross_more_than_once():
    cpu = stairs(np.array([1.0]), np.array([100.0]), np.array([0]), 3)
    gpu = stairs(np.array([2.5]), np.array([220.0]), np.array([1]), 3)
    found = crossings(cpu, gpu)
    assert [(round(rate, 6), kind) for rate, kind in found] == [(0, 0), (2, 1), (2.5, 0), (3, 1)]
    assert cpu.step(3.5) is None


def test_rounding_rents_no_further_server():
    assert stairs(np.array([0.1]), np.array([10.0]), np.array([0]), 5).cost_at(0.1 + 0.2) == 30


def test_a_dear_small_server_and_one_without_a_price_are_in_no_fleet():
    able, month = np.array([1.0, 2.0, 3.0, np.nan, 4.0]), np.array([50.0, 40.0, np.nan, 1.0, 0.0])
    fleets = stairs(able, month, np.arange(5), 4)
    assert set(fleets.offer.tolist()) == {1}
    assert fleets.cost.tolist() == [40, 80, 120, 160]
    x, y = fleets.corners(1.0, 5.0)
    assert list(zip(x.round(6).tolist(), y.tolist(), strict=True)) == [
        (1, 40),
        (2, 40),
        (2, 80),
        (4, 80),
        (4, 120),
        (5, 120),
    ]


def test_the_api_is_overtaken_inside_a_step_or_at_its_start():
    fleets = stairs(np.array([10.0]), np.array([100.0]), np.array([0]), 3)
    # cheaper from 5, dearer at the second server until it earns its 200, and so on
    assert turns(fleets, 20.0) == pytest.approx([5.0])
    assert turns(fleets, 10.0) == pytest.approx([10.0, 10.0, 20.0, 20.0, 30.0])
    assert turns(fleets, 15.0) == pytest.approx([20 / 3, 10.0, 40 / 3])
    assert turns(fleets, 3.0) == []
    assert turns(stairs(np.empty(0), np.empty(0), np.empty(0, int), 3), 9.0) == []


def test_of_both_kinds_the_cheaper_fleet_is_kept_at_every_traffic():
    cpu = stairs(np.array([1.0]), np.array([100.0]), np.array([0]), 5)
    gpu = stairs(np.array([2.5]), np.array([220.0]), np.array([1]), 3)
    own = merged(cpu, gpu)
    for rate in (0.1, 1.0, 1.5, 2.1, 2.6, 3.5, 4.7, 6.0, 7.5):
        assert own.cost_at(rate) == min(cpu.cost_at(rate), gpu.cost_at(rate))


def price(provider, given, output, **more):
    facts = {
        "cached_input_usd_per_m_tokens": None, "context_tokens": 128_000, "max_output_tokens": None, "deprecation_date": None,
    }  # fmt: skip
    return TokenPrice(
        source="list",
        provider=provider,
        model="x",
        llm="Llama-3.1-8B",
        input_usd_per_m_tokens=given,
        output_usd_per_m_tokens=output,
        source_url="https://example.com",
        source_date="2026-11-01",
        **(facts | more),
    )


def test_api_prices_are_blended_by_the_workloads_tokens(llama):
    work = llama.changed(input_tokens=300, output_tokens=100, prefix_hit=0.5)
    terms = CompareOptions(today=date(2026, 11, 30))
    listed = (
        price("dear", 2.0, 6.0),
        price("dear", 9.0, 9.0),
        price("cheap", 0.4, 0.8, cached_input_usd_per_m_tokens=0.1),
        price("middle", 1.0, 2.0),
        price("gone", 0.01, 0.01, deprecation_date="2026-11-30"),
        price("short", 0.01, 0.01, context_tokens=399),
        price("half", 0.01, None),
    )
    found = api_prices(listed, work, terms)
    assert found is not None
    # 150 fresh at 0.4, 150 cached at 0.1, 100 out at 0.8, of 400 tokens
    assert found.cheapest == pytest.approx((150 * 0.4 + 150 * 0.1 + 100 * 0.8) / 400)
    assert found.median == pytest.approx((300 * 1.0 + 100 * 2.0) / 400)
    assert (found.provider, found.providers, found.day) == ("cheap", 3, "2026-11-01")
    assert monthly_slope(2.0, work, terms) == pytest.approx(2.0 * 400 * 3600 * 730 / 1e6)
    assert api_prices((), work, terms) is None


def test_token_prices_that_cannot_be_read_leave_the_bundled_ones(session):
    from pricing import tokens

    class Broken:
        def tokens(self):
            raise PermissionError(13, "Permission denied")

    session.store = Broken()
    assert stored(session) == tokens.bundled()


# against the comparison


@pytest.fixture
def mixed(make_session, llama):
    """A session whose workload CPU and GPU servers both carry."""
    made = make_session()
    made.history.set(llama.changed(quant="4bit", tpot_ms=400.0, ttft_ms=20_000.0, requests_per_s=0.05))
    made.recompute()
    return made


@pytest.mark.parametrize("traffic", [0.01, 0.05, 0.5, 5.0, 40.0])
def test_the_fleets_cost_what_the_table_says_at_that_traffic(mixed, traffic):
    fleets = answer(mixed, mixed.rows).fleets
    there = mixed.compare(mixed.workload.changed(requests_per_s=traffic))
    good = (
        there.column("meets_targets").astype(bool) & (there.column("servers_needed") <= 50) & ~there.market.out_of_stock
    )
    shown = np.isin(np.arange(len(there)), mixed.rows.order)
    for gpu, fleet in zip((False, True), fleets, strict=True):
        costs = there.column("monthly_cost")[good & shown & (there.market.is_gpu == gpu)]
        assert fleet.cost_at(traffic) == pytest.approx(np.nanmin(costs) if len(costs) else np.inf)


def test_the_crossing_is_where_the_cheaper_kind_changes(mixed):
    found = answer(mixed, mixed.rows)
    assert len(found.changes) > 1
    for before, after in zip(found.changes, found.changes[1:], strict=False):
        cpu, gpu = (fleet.cost_at(after[0] * 0.9999) for fleet in found.fleets)
        assert (gpu < cpu) == bool(before[1]) or cpu == gpu
        cpu, gpu = (fleet.cost_at(after[0] * 1.0001) for fleet in found.fleets)
        assert (gpu < cpu) == bool(after[1])
    text = "\n".join(make("crossover", mixed).text)
    assert "Crossings" in text
    assert "At 0.0500 req/s, now" in text
    picture = drawn(make("crossover", mixed))
    assert "┃now" in picture
    assert "┊" in picture


def test_type_and_fit_of_the_table_do_not_change_the_crossover(mixed):
    before = make("crossover", mixed).text
    mixed.set_view(mixed.view.changed(kind="gpu", fit="targets"))
    assert make("crossover", mixed).text == before


def test_without_targets_one_server_carries_the_traffic_alone(mixed):
    mixed.history.set(mixed.workload.changed(ttft_ms=None, tpot_ms=None))
    mixed.recompute()
    plot = make("crossover", mixed)
    assert "One server has to carry the traffic alone" in plot.text[1]
    assert all("1× " in point.words for point in plot.points)


def test_users_are_plotted_over_users_and_apis_left_out(mixed):
    mixed.history.set(mixed.workload.changed(concurrency=8))
    mixed.recompute()
    plot = make("crossover", mixed)
    assert plot.heading == "$/mo by users"
    assert "At 8 users, now" in plot.text
    assert [band.name for band in plot.bands] == ["servers"]
    said = "\n".join((*plot.text, plot.caption, *(point.words for point in plot.points)))
    assert "users" in said
    assert not re.search(r"\d\.\d+ users", said)
    assert not any("API  " in line for line in plot.text)
    costs = mixed.rows.array("monthly_cost")[mixed.rows.array("meets_targets").astype(bool) & mixed.comparison.market.is_gpu
                                            & (mixed.rows.array("servers_needed") <= 50)]  # fmt: skip
    shown = [c for c in costs if c == c]
    assert answer(mixed, mixed.rows).fleets[1].cost_at(8) >= min(shown)


def test_where_only_one_kind_meets_the_targets_never_is_the_answer(session):
    plot = make("crossover", session)
    assert "never: only one kind meets the targets" in "\n".join(plot.text)
    assert plot.caption.startswith("API is cheaper below ")
    assert "req/s, GPU above (median price; the cheapest API below " in plot.caption
    assert plot.caption.endswith("; no CPU server meets the targets")
    for size in ((76, 20), (160, 45)):
        assert "GPU: no CPU server meets the targets" in drawn(plot, size)
    assert all(words in drawn(plot, (45, 12)) for words in ("servers│", "GPU: no CPU can"))


def test_the_crossover_says_the_traffic_at_which_the_api_is_overtaken(session):
    plot = make("crossover", session)
    at = answer(session, session.rows).turns[0][0]
    assert f"API is cheaper below {fmt.number(at)} req/s, GPU above" in plot.caption
    assert any(rule.glyph == "┊" and rule.value == at for rule in plot.rules)
    picture = drawn(plot, (90, 26))
    assert f"┊{fmt.number(at)}" in picture
    assert all(word in picture for word in ("API median", "API cheapest", "API│"))
    # the answer stays in sight although the table's offer is a point of the plot
    offer = plot.points[0].offer
    said = "".join(text for text, _ in Picture(plot, 60, 14).lines(None, offer)[-1])
    assert said.startswith("API is cheaper below")
    assert "".join(text for text, _ in Picture(plot, 60, 14).lines(0, offer)[-1]).startswith("up to ")


def test_pareto_shows_what_the_table_shows(session):
    plot = make("pareto", session)
    rows = session.rows
    for point in plot.points:
        assert point.x == rows.value("tokens_per_s_user", point.offer)
        assert point.y == rows.value("cost_per_m_output_tokens", point.offer)
        assert rows.flag("meets_targets", point.offer)
    speeds, costs = [point.x for point in plot.points], [point.y for point in plot.points]
    assert speeds == sorted(speeds)
    assert costs == sorted(costs)
    for i in rows.order.tolist():
        fast, dear = rows.value("tokens_per_s_user", i), rows.value("cost_per_m_output_tokens", i)
        if (
            fast is not None
            and dear is not None
            and rows.flag("meets_targets", i)
            and rows.value("servers_needed", i) <= 50
        ):
            assert min(point.y for point in plot.points if point.x >= fast) <= dear
    assert f"Frontier: the cheapest at at least that speed ({len(speeds)} offer" in "\n".join(plot.text)
    assert "Target: at least 5 tok/s per user." in plot.text
    assert {point.glyph for point in plot.points} <= {"◉", "◎"}
    narrow = drawn(plot, (45, 12)).splitlines()[0]
    assert "◆ this one" in narrow
    assert "cheapest" in narrow


def test_pareto_describes_any_offer_and_knows_the_next_better_one(session):
    plot = make("pareto", session)
    other = next(i for i in session.rows.order.tolist() if plot.number(i) is None and plot.place(i) is not None)
    assert session.rows.server(other) in plot.place(other).words
    better = plot.points[plot.nearest(other)]
    assert better.x >= session.rows.value("tokens_per_s_user", other) or better is plot.points[-1]
    assert plot.place(_index(session, "no-price")) is None


def _index(session, server):
    return next(i for i, offer in enumerate(session.market.offers) if offer.server == server)


def test_where_none_meets_the_targets_the_frontier_is_of_all_and_says_so(make_session, llama):
    made = make_session()
    made.history.set(llama.changed(tpot_ms=0.5))
    made.recompute()
    plot = make("pareto", made)
    assert plot.points
    assert plot.caption.endswith("none meets the targets with at most 50 servers")
    assert "of all, since none meets the targets" in "\n".join(plot.text)
    assert make("providers", made).message
    assert make("crossover", made).message


def test_memory_bars_are_the_tables_figures(session):
    plot = make("memory", session)
    for bar in plot.bars:
        total = session.rows.value("memory_total_gib", bar.offer)
        weights = session.rows.value("weights_gib", bar.offer)
        used = sum(session.rows.value(name, bar.offer) for name in ("weights_gib", "kv_gib", "overhead_gib"))
        assert bar.parts[0][0] == pytest.approx(weights / max(total, used))
        assert sum(share for share, _, _ in bar.parts) == pytest.approx(1.0)
        assert bar.missed == (not session.rows.flag("fits", bar.offer))
    assert any(bar.note.startswith("needs ") for bar in plot.bars)


def test_memory_shows_the_marked_servers_in_the_order_of_marking(session):
    ids = [session.market.offers[_index(session, name)].offer_id for name in ("h100-big", "l4-small")]
    session.marks[:] = ids
    plot = make("memory", session, 3)
    assert [session.market.offers[bar.offer].server for bar in plot.bars] == ["h100-big", "l4-small"]
    assert not plots.follows_cursor("memory", session)
    session.marks[:] = ["no such offer"]
    assert make("memory", session).bars


def test_latency_is_the_estimators_answer_for_one_server(session):
    from models.estimate import ServerTable, estimate

    i = session.rows.index(0)
    table = ServerTable.build([session.market.servers[int(session.market.server_index[i])]])
    found, best = loads(_alone(session, i), session.workload)
    alone = estimate(table, session.workload.changed(concurrency=1))
    assert best == int(alone.max_concurrency[0])
    assert found[0].users == 1
    assert found[0].ttft_ms == alone.ttft_ms[0]
    assert [load.users for load in found] == sorted({load.users for load in found})
    at_best = next(load for load in found if load.users == best)
    assert at_best.inside
    assert all(load.inside == (load.users <= best) for load in found)
    asked = estimate(table, session.workload.changed(concurrency=best))
    assert (at_best.ttft_ms, at_best.tokens_per_s_user) == (asked.ttft_ms[0], asked.tokens_per_s_user[0])
    speeds = [load.tokens_per_s_user for load in found]
    assert speeds == sorted(speeds, reverse=True)
    text = "\n".join(make("latency", session).text)
    assert f"{best:>7,} " in text
    assert text.count("<- most inside the targets") == 1


def test_latency_names_its_lines_and_targets_in_one_panel_and_in_two(session):
    plot = make("latency", session)
    small, large = drawn(plot, (60, 12)), drawn(plot, (90, 26))
    for picture in (small, large):
        assert "tok/s each user" in picture
        assert "TTFT s" in picture
        assert "≥5 tok/s·u" in picture
    assert "TTFT ≤" in large
    titles = [line.strip() for line in large.splitlines()]
    assert titles.index("tok/s each user") < titles.index("TTFT s")
    assert "most inside the targets" in large
    best = next(point for point in plot.points if point.tone == "strong")
    assert f"{best.x:,} users: most inside the targets" in large
    assert large.count("◉") == 3  # once in each panel, and in the legend


def test_latency_says_the_chosen_figures_with_their_bands(session):
    plot = make("latency", session)
    i = session.rows.index(0)
    figures = r"TTFT [\d.,]+ m?s \([\d.,]+ m?s – [\d.,]+ m?s\), [\d.,]+ tok/s each \([\d.,]+ – [\d.,]+\)"
    assert re.search(rf"\d users inside the targets: {figures}", plot.caption)
    assert all(re.search(figures, point.words) for point in plot.points)
    found, _ = loads(_alone(session, i), session.workload)
    for load in found:
        assert load.ttft_band[0] <= load.ttft_ms <= load.ttft_band[1]
        assert load.speed_band[0] <= load.tokens_per_s_user <= load.speed_band[1]


def _alone(session, i):
    from tui.one_server import OneServer

    return OneServer(session.rows.offer(i), session.options)


def test_few_servers_have_the_sum_of_their_memory_below_their_bars(session):
    session.marks[:] = [session.market.offers[_index(session, name)].offer_id for name in ("h100-big", "l4-small")]
    plot = make("memory", session)
    picture = drawn(plot, (100, 20))
    assert all(bar.more in picture for bar in plot.bars)
    assert " = " in plot.bars[0].more
    assert "GiB" in plot.bars[0].more
    assert plot.bars[0].more not in drawn(plot, (100, 4))


def test_a_dear_provider_does_not_squeeze_the_others(make_session, small_offers):
    cheap, dear = small_offers("cheap")
    made = make_session([replace(cheap, price_per_hour=0.5), replace(dear, provider="dear", price_per_hour=20.0)])
    made.recompute()
    plot = make("providers", made)
    assert [bar.name for bar in plot.bars] == ["cheap", "dear"]
    assert plot.bars[0].parts[0][0] == pytest.approx(0.1)
    assert [glyph for _, glyph, _ in plot.bars[1].parts] == ["█", "▸"]
    assert plot.bars[1].note.endswith("40.0×")
    assert plot.legend[0].word == "longer: over 10 times the cheapest"


def test_latency_of_an_unknown_chip_says_why_there_is_none(session):
    position = session.rows.position(session.market.offers[_index(session, "mystery")].offer_id)
    assert "unknown chip Zeta-9000" in " ".join(make("latency", session, position).message)


def test_each_provider_has_its_cheapest_offer_that_meets_the_targets(session):
    plot = make("providers", session)
    rows = session.rows
    best = {}
    for i in rows.order.tolist():
        cost = rows.value("monthly_cost", i)
        if cost is not None and rows.flag("meets_targets", i) and rows.value("servers_needed", i) <= 50:
            seller = rows.offer(i).provider
            best[seller] = min(cost, best.get(seller, cost))
    assert [rows.offer(bar.offer).provider for bar in plot.bars] == sorted(best, key=best.get)
    assert [rows.value("monthly_cost", bar.offer) for bar in plot.bars] == sorted(best.values())
    costs = sorted(best.values())
    for bar, cost in zip(plot.bars, costs, strict=True):
        assert bar.note.endswith(f"{fmt.number(cost / costs[0], decimals=1)}×")
        assert session.rows.hardware(bar.offer) in bar.detail
    if costs[-1] <= 10 * costs[0]:
        assert plot.bars[-1].parts[0][0] == 1.0


# nothing, one, all the same


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_plot_can_be_drawn_of_everything(make_session, big_market, name, size):
    one = make_session().market.offers[:1]
    same = big_market(1) * 1
    for shown in (None, list(one), same, big_market(300)):
        made = make_session(shown)
        made.recompute()
        plot = make(name, made)
        assert plot.text
        lines = Picture(plot, *size).lines(0 if len(plot) else None, made.rows.index(0))
        assert len(lines) == size[1]
        assert any(part.strip() for line in lines for part, _ in line)


@pytest.mark.parametrize("name", PLOTS)
def test_an_empty_table_is_told(make_session, name):
    made = make_session()
    made.recompute()
    made.set_where("gpu>=9999")
    made.arrange()
    assert make(name, made).message == ("No offer is shown.",)
    nothing = make_session([])
    nothing.recompute()
    assert make(name, nothing).message


@pytest.mark.parametrize("name", PLOTS)
def test_an_embedding_model_has_plots_too(make_session, name):
    from models import catalog

    made = make_session()
    encoder = next(model for model in catalog.llms() if not model.kv_cache)
    made.history.set(made.workload.changed(model=encoder, input_tokens=256, tpot_ms=None))
    made.recompute()
    plot = make(name, made)
    assert "nan" not in "\n".join(plot.text).lower()
    picture = drawn(plot, (60, 14))
    if name == "latency":
        assert " TTFT s" in picture.replace("TTFT ≤", "")


@pytest.mark.parametrize("name", PLOTS)
def test_plots_are_the_same_in_seven_bits(session, name):
    for line in Picture(make(name, session), 70, 16).lines(None, session.rows.index(0)):
        for part, _ in line:
            twin = fmt.to_ascii(part)
            assert twin.isascii()
            assert twin.count("?") == sum(ord(char) > 0x3000 for char in part)  # a name in Japanese has no twin
            assert len(twin) in {len(part), cell_len(part)}
