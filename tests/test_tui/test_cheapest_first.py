"""The usual order: the first line is the cheapest that meets the targets, at a rate and with users, on the screen and in the shell."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from pricing.filters import ordered, usual_sort
from tui.__main__ import main
from tui.column_layout import layout
from tui.columns import COSTS, chosen
from tui.plots import pareto, providers
from tui.rows import usual_sort as usual_column
from tui.sellers import sellers
from tui.session import Session, usual_view
from tui.state import ViewState
from tui.verdict_line import short


@pytest.fixture
def users(make_session):
    """A session for users, who make more tokens on a faster server."""
    session = make_session()
    session.recompute()
    session.history.set(session.workload.changed(concurrency=6))
    session.recompute()
    return session


def test_with_users_a_tokens_price_ranks_otherwise(users):
    """Else the tests below would pass with any order."""
    meets = users.comparison.column("meets_targets")
    token, month = (
        np.where(meets, users.comparison.column(name), np.nan) for name in ("cost_per_m_output_tokens", "monthly_cost")
    )
    assert np.nanargmin(token) != np.nanargmin(month)


def test_the_first_line_is_what_the_verdict_picks(users):
    found = users.verdict
    month = users.comparison.column("monthly_cost")
    picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None]
    first = int(users.rows.order[0])
    assert first in picks
    assert month[first] == min(month[pick] for pick in picks)
    assert providers.build(users, users.rows, 0).bars[0].offer == first
    best = sellers(users)[0]
    assert (best.name, best.cheapest) == (users.rows.offer(first).provider, month[first])
    assert "cheapest per token is not always the cheapest a month" in "\n".join(pareto.build(users, users.rows, 0).text)


def test_the_order_and_the_unit_follow_the_workload_and_back(users):
    assert (users.view.sort, users.view.unit) == ("month", "month")
    users.history.undo()
    users.recompute()
    assert (users.view.sort, users.view.unit) == ("per_million", "per_million")
    users.history.redo()
    users.recompute()
    assert (users.view.sort, users.view.unit) == ("month", "month")


@pytest.mark.parametrize(
    "chosen",
    [{"sort": "ttft"}, {"descending": True}, {"sort": "hour", "unit": "hour"}],
    ids=["column", "reversed", "unit"],
)
def test_an_order_of_ones_own_stays(make_session, chosen):
    session = make_session()
    session.recompute()
    view = session.view.changed(**chosen)
    session.set_view(view)
    session.history.set(session.workload.changed(concurrency=6))
    session.recompute()
    assert session.view == view


def test_more_of_the_same_traffic_changes_no_order(users):
    users.set_view(users.view.changed(sort="per_million"))
    users.history.set(users.workload.changed(concurrency=8))
    users.recompute()
    assert (users.view.sort, users.view.unit) == ("per_million", "month")


def test_both_layers_mean_the_same_column(users, llama):
    from tui.columns import BY_ID

    for workload in (llama, users.workload):
        assert BY_ID[usual_column(workload)].sort == usual_sort(workload)
    assert usual_view(llama) == ViewState()
    assert Session(workload=users.workload).view.sort == "month"


def test_more_servers_than_is_practical_and_what_is_sold_out_come_behind(make_session):
    session = make_session()
    session.history.set(session.workload.changed(requests_per_s=200.0))
    session.recompute()
    rows = session.rows
    many = [rows.value("servers_needed", int(i)) > 50 for i in rows.order if rows.flag("meets_targets", int(i))]
    assert {True, False} == set(many)
    assert many == sorted(many)
    assert list(rows.order) == list(ordered(rows.comparison, np.sort(rows.order), usual_sort(session.workload)))


async def test_reset_and_taking_it_back_keep_the_order_of_each(dashboard):
    async with dashboard() as app:
        app.dashboard.change(app.session.workload.changed(concurrency=6))
        await app.settle()
        assert "by $/mo ↑" in app.line("status")
        app.dashboard.sort_by("per_million")  # of one's own
        await app.settle()
        await app.press("R")
        assert (app.session.view, app.session.workload.concurrency) == (ViewState(), None)
        await app.press("R")
        assert (app.session.view.sort, app.session.workload.concurrency) == ("per_million", 6)


async def test_the_unit_goes_round_with_users(dashboard):
    async with dashboard() as app:
        app.dashboard.change(app.session.workload.changed(concurrency=6))
        await app.settle()
        seen = []
        for _ in range(3):
            await app.press("dollar_sign")
            seen.append((app.session.view.unit, app.session.view.sort))
        assert seen == [("hour", "hour"), ("per_million", "per_million"), ("month", "month")]


def test_the_shell_has_the_same_order(capsys):
    words = ["compare", "--concurrency", "20", "--quant", "4bit", "--format", "csv"]
    assert main(words) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    meets = [row for row in rows if row["meets_targets"] == "true" and not row["availability"]]
    costs = [float(row["monthly_cost"]) for row in meets if float(row["servers_needed"]) <= 50]
    assert len(costs) > 100
    assert costs == sorted(costs)
    assert rows[0] == meets[0]


def test_plots_say_that_fifty_servers_are_not_enough(make_session):
    """The table has rows that meet the targets then: plots that find none must say what they look for."""
    session = make_session()
    session.set_view(session.view.changed(fit="targets"))
    session.history.set(session.workload.changed(requests_per_s=5e5))
    session.recompute()
    assert len(session.rows)
    assert "meets the targets with at most 50 servers" in " ".join(providers.build(session, session.rows, 0).text)
    plot = pareto.build(session, session.rows, 0)
    assert "none meets the targets with at most 50 servers" in plot.caption
    assert "none meets the targets with at most 50 servers" in " ".join(plot.text)
    assert "not practical" in session.verdict.sentence
    assert "not practical" in short(session)


async def test_a_cursor_that_is_carried_away_is_told_the_way_back(dashboard, make_session, big_market):
    async with dashboard((80, 24), session=make_session(big_market(400))) as app:
        assert "to the first" not in app.line("status")
        await app.press("end")
        assert "to the first" not in app.line("status"), "who moves there knows"
        app.table.go(3)
        await app.settle()
        await app.press("greater_than_sign")
        app.dashboard.sort_by("per_million")
        await app.settle()
        app.dashboard.sort_by("per_million")
        await app.settle()
        if app.table.cursor < app.table.page_size:
            app.dashboard.sort_by("per_million")
            await app.settle()
        assert app.table.cursor >= app.table.page_size
        assert "Home to the first" in app.line("status")
        app.dashboard.change(app.session.workload.changed(input_tokens=700))
        await app.settle()
        assert app.table.cursor >= app.table.page_size
        assert "Home to the first" in app.line("status")
        await app.press("home")
        assert "to the first" not in app.line("status")


@pytest.mark.parametrize("width", range(30, 121))
@pytest.mark.parametrize("unit", COSTS)
def test_a_total_never_stands_without_its_number_of_servers(width, unit):
    view = ViewState(unit=unit)
    shown = {place.column.id for place in layout(width, 0, chosen(view), unit=unit).placed}
    assert unit in shown
    assert "servers" in shown or not shown & {"month", "hour"}
