"""Order, cells and explanations, without a widget."""

from __future__ import annotations

import numpy as np
import pytest

from tui.columns import BY_ID, COLUMNS, COSTS
from tui.empty import explain
from tui.rows import gpu_count, hardware, ranked, short_cpu, term
from tui.state import History, ViewState, following


def names(session):
    return [session.rows.offer(int(i)).server for i in session.rows.order]


def test_default_order_meets_first_then_misses_then_no_figure(session):
    meets = session.comparison.column("meets_targets")[session.rows.order]
    cost = session.comparison.column("cost_per_m_output_tokens")[session.rows.order]
    groups = np.where(np.isnan(cost), 2, np.where(meets, 0, 1))
    assert list(groups) == sorted(groups)
    assert set(groups) == {0, 1, 2}
    assert list(cost[groups == 0]) == sorted(cost[groups == 0])


@pytest.mark.parametrize("column", [column.id for column in COLUMNS])
@pytest.mark.parametrize("descending", [False, True])
def test_missing_values_are_last_in_both_directions(session, column, descending):
    session.set_view(session.view.changed(sort=column, descending=descending, terms="everything"))
    keys = BY_ID[column].sort
    if keys in {"server", "provider", "region", "hardware", "term", "region_group", "tier"}:
        values = session._texts.ranks(keys)[session.rows.order]
    elif keys in {"bound_by", "engine_used"}:
        values = ranked(session.comparison.column(keys))[session.rows.order]
    else:
        values = np.asarray(session.comparison.column(keys), dtype=float)[session.rows.order]
    missing = np.isnan(values)
    assert list(missing) == sorted(missing)
    if column not in COSTS:
        known = values[~missing]
        assert list(known) == sorted(known, reverse=descending)


def test_every_cell_says_something(session):
    session.set_view(session.view.changed(terms="everything"))
    for i in session.rows.order:
        for column in COLUMNS:
            assert column.cell(session.rows, int(i)).text.strip(), column.id


def test_a_row_without_figures_has_a_reason(session):
    session.set_view(session.view.changed(terms="everything"))
    for i in session.rows.order:
        if session.rows.value("ttft_ms", int(i)) is None:
            assert session.rows.reason(int(i))


def test_filtering_and_sorting_commute(session):
    session.set_view(session.view.sorted_by("ttft"))
    sorted_first = [name for name in names(session) if "h100" in name]
    session.set_where("h100")
    session.arrange()
    assert names(session) == sorted_first


def test_natural_order_of_names(make_session):
    from tui.rows import natural

    assert sorted(["m5.16xlarge", "m5.2xlarge"], key=natural) == ["m5.2xlarge", "m5.16xlarge"]


def test_a_bad_filter_keeps_the_last_good_one(session):
    assert session.set_where("gpu>=24")
    session.arrange()
    before = names(session)
    assert not session.set_where("gpu>=many")
    assert "gpu>=many" in session.where_error
    session.arrange()
    assert names(session) == before


def test_an_empty_table_names_the_filter_that_removes_most(session):
    session.set_where("gpu>=999 acme")
    session.arrange()
    lines = explain(session)
    assert "gpu>=999" in lines[0]
    assert "esc" in lines[-1]


def test_nothing_fits_offers_the_next_quantization(session, llama):
    from models import catalog

    session.history.set(llama.changed(model=catalog.llm("Llama-3.3-70B"), quant="16bit"))
    session.recompute()
    session.set_where("l4-small h100-big")
    session.set_where("h100-big")
    session.set_view(session.view.changed(fit="fits"))
    text = " ".join(explain(session))
    assert "Llama-3.3-70B" in text
    assert "8bit: 1" in text or "4bit: 1" in text


def test_the_verdict_ignores_what_only_the_table_hides(session):
    whole = session.verdict.sentence
    session.set_view(session.view.changed(kind="cpu"))
    assert session.verdict.sentence == whole
    session.set_where("l4-small")
    session.arrange()
    assert session.verdict.sentence != whole


def test_unknown_hardware_is_counted(session):
    assert session.counts().unknown == 1
    assert session.counts().shown == session.counts().gpu + session.counts().cpu


@pytest.mark.parametrize(
    ("count", "shown"), [(1.0, "1"), (8.0, "8"), (0.125, "1/8"), (0.099, "1/10"), (0.4, "0.4"), (None, "?")]
)
def test_slices_of_a_card_are_fractions(count, shown):
    assert gpu_count(count) == shown


def test_hardware_and_terms_in_words(session):
    shown = {hardware(offer) for offer in session.market.offers}
    assert "8× H100 SXM5 80 GB" in shown
    assert "48c EPYC 9454P 192 GB" in shown
    assert {term(offer) for offer in session.market.offers} == {"on-demand", "spot", "monthly"}
    assert short_cpu("Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz") == "Xeon 8259CL"


def test_sorting_the_active_column_reverses():
    view = ViewState()
    assert view.sorted_by("users").descending  # more is better
    assert not view.sorted_by("users").sorted_by("users").descending
    assert not view.sorted_by("ttft").descending


def test_following_goes_round():
    assert [following(("a", "b", "c"), choice) for choice in ("a", "b", "c", "?")] == ["b", "c", "a", "a"]


def test_history_joins_the_letters_of_one_field(llama):
    history = History(llama)
    for tokens in (4, 40, 409, 4096):
        history.set(llama.changed(input_tokens=tokens), step="input_tokens")
    history.end_step()
    history.set(history.current.changed(output_tokens=9), step="output_tokens")
    assert history.undo()
    assert history.current.input_tokens == 4096
    assert history.undo()
    assert history.current == llama
    assert not history.undo()
    assert history.redo()
    assert history.current.input_tokens == 4096


def test_history_forgets_the_oldest(llama):
    history = History(llama)
    for tokens in range(1, 400):
        history.set(llama.changed(input_tokens=tokens))
    assert len(history.past) == History.LIMIT


def test_a_server_is_not_named_after_its_seller_twice() -> None:
    from dataclasses import replace

    from pricing.snapshot import load_snapshot
    from tui.rows import server

    offer = next(offer for offer in load_snapshot() if offer.provider == "runpod")
    assert server(replace(offer, server="runpod-a40-community")) == "a40-community"
    assert server(replace(offer, server="gpu-l4")) == "gpu-l4"
    assert server(replace(offer, server="runpod-")) == "runpod-"


def test_cancelling_a_step_leaves_no_trace(llama):
    history = History(llama)
    assert not history.cancel_step("input_tokens")
    for tokens in (4, 40):
        history.set(llama.changed(input_tokens=tokens), step="input_tokens")
    assert not history.cancel_step("output_tokens")
    assert history.cancel_step("input_tokens")
    assert history.current == llama
    assert not history.undo()


def test_details_name_what_was_measured_on_the_very_type(session, tmp_path):
    from pricing.measured_machines import COLUMNS, LICENCE, file_name
    from tui.details import details

    session.set_view(session.view.changed(kind="cpu", terms="everything"))
    offers = session.comparison.market.offers
    i = next(int(at) for at in session.rows.order if file_name(offers[at].provider, offers[at].server))
    row = "llm,pp512,llama-8b.Q4_K_M,123.4,tokens/s,16,2026-08-22,https://example.org"
    (tmp_path / file_name(offers[i].provider, offers[i].server)).write_text(
        f"{LICENCE}\n{','.join(COLUMNS)}\n{row}\n", encoding="utf-8"
    )

    def said():
        lines = details(session.rows, i, 120)
        return " ".join("".join(text for text, _ in line) for line in lines)

    assert "Spare Cores (CC" not in said()
    session.comparison.market.machines_folder = tmp_path
    assert "pp512 of llama-8b.Q4_K_M = 123.4 tokens/s" in said()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"memory_channels": 12.0, "memory_mts": 4800.0}, "12 channels × 4800 MT/s"),
        ({}, "12 channels a socket × 4800 MT/s (assumed: the platform's)"),
        ({"memory_mts": 4000.0}, "12 channels a socket × 4000 MT/s (assumed: all populated)"),
        ({"cpu_model": None, "memory_mts": 4000.0}, "memory at 4000 MT/s"),
        ({"cpu_model": None}, ""),
    ],
)
def test_memory_speed_says_what_is_assumed(session, facts, said):
    from dataclasses import replace

    from tui.sections.machine import memory_speed

    values = {"cpu_model": "AMD EPYC 9454", "memory_channels": None, "memory_mts": None, **facts}
    assert memory_speed(replace(session.comparison.market.offers[0], **values)) == said
