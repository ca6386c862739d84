"""Editing the workload: typing, stepping, lists; good values act at once, bad ones change nothing."""

from __future__ import annotations

import pytest


async def edit(app, field):
    """Open a field of the bar."""
    app.dashboard.bar.edit(field)
    await app.settle()


async def test_e_opens_tab_goes_on_enter_leaves(dashboard):
    async with dashboard() as app:
        await app.press("e")
        assert app.dashboard.bar.editing == "model"
        await app.press("tab")
        assert app.dashboard.bar.editing == "quant"
        await app.press("shift+tab", "shift+tab")
        assert app.dashboard.bar.editing == "preset"
        await app.press("enter")
        assert app.dashboard.bar.editing is None
        assert app.app.focused is app.table


async def test_tab_goes_round_all_inputs(dashboard):
    from tui.inputs import FIELDS

    async with dashboard() as app:
        await app.press("e")
        seen = []
        for _ in FIELDS:
            seen.append(app.dashboard.bar.editing)
            await app.press("tab")
        assert set(seen) == {field.id for field in FIELDS}
        assert app.dashboard.bar.editing == seen[0]


@pytest.mark.parametrize(
    ("field", "text", "name", "value"),
    [
        ("model", "Llama-3.3-70B", "model", "Llama-3.3-70B"), ("quant", "q4_k_m", "quant", "q4_k_m"),
        ("kv_quant", "fp8", "kv_quant", "fp8"),
        ("engine", "llama.cpp", "engine", "llama.cpp"), ("input_tokens", "4096", "input_tokens", 4096),
        ("output_tokens", "77", "output_tokens", 77), ("traffic", "9", "requests_per_s", 9), ("traffic", "9 users", "concurrency", 9),
        ("ttft_ms", "450 ms", "ttft_ms", 450), ("tpot_ms", "20", "tpot_ms", 50), ("prefix_hit", "50", "prefix_hit", 0.5),
        ("preset", "rag", "input_tokens", 4096),
    ],
)  # fmt: skip
async def test_typed_values_act_without_enter(dashboard, field, text, name, value):
    async with dashboard() as app:
        await edit(app, field)
        await app.type(text)
        found = getattr(app.session.comparison.workload, name)
        assert (found.name if name == "model" else found) == value
        await app.press("enter", "u")
        assert getattr(app.session.workload, name) != found


async def test_a_bad_value_is_told_and_keeps_the_last_good_result(dashboard):
    async with dashboard() as app:
        before = app.session.comparison
        await edit(app, "quant")
        await app.type("q99")
        assert app.session.comparison is before
        assert "q99" in app.dashboard.bar.error
        assert app.dashboard.bar.editor.has_class("-invalid-value")
        assert any("Unknown quantization" in line for line in app.screen_text())
        await app.press("escape")
        assert app.dashboard.bar.error == ""
        assert not any("q99" in line for line in app.screen_text())


async def test_arrows_step_the_value_in_the_field(dashboard):
    async with dashboard() as app:
        await edit(app, "traffic")
        await app.press("up")
        assert app.session.workload.requests_per_s == 2
        assert app.dashboard.bar.editor.value == "2 req/s"
        await app.press("down", "down")
        assert app.session.workload.requests_per_s == 0.5
        await app.press("enter", "u")
        assert app.session.workload.requests_per_s == 1  # one field, one step back


async def test_click_on_a_field_edits_it(dashboard):
    from tui.inputs import FIELDS

    async with dashboard() as app:
        for field in FIELDS:
            spot = next(spot for spot in app.dashboard.bar._spots if spot.field.id == field.id)
            # border and padding come before the grid
            await app.pilot.click("#workload", offset=(spot.x + 3, spot.y + 1))
            await app.settle()
            assert app.dashboard.bar.editing == field.id
            await app.press("escape")


@pytest.mark.parametrize("width", range(40, 240, 7))
def test_fields_never_overlap(width):
    from tui.widgets.workload_bar import arrange

    spots, lines = arrange(width)
    for one in spots:
        assert one.x + one.label + one.value <= width
        assert one.y < lines
        for two in spots:
            if one is not two and one.y == two.y and one.x <= two.x:
                assert one.x + one.label + one.value < two.x


async def test_model_list_narrows_and_chooses(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("m")
        picker = app.app.screen
        assert picker.options.current.id == "Llama-3.1-8B"
        await app.type("qwen3 32")
        assert picker.options.current.id == "Qwen3-32B"
        await app.press("enter")
        assert app.session.workload.model.name == "Qwen3-32B"
        await app.press("m", "escape")
        assert app.session.workload.model.name == "Qwen3-32B"


async def test_preset_list(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("w")
        await app.type("voice")
        await app.press("enter")
        assert (app.session.workload.preset, app.session.workload.input_tokens) == ("voice", 800)


async def test_narrow_terminals_show_one_line_and_open_for_editing(dashboard):
    async with dashboard((80, 24)) as app:
        bar = app.dashboard.bar
        assert bar.size.height == 1
        assert "Llama-3.1-8B 8bit" in bar.render_line(0).text
        await app.press("e")
        assert bar.size.height >= 4
        await app.press("escape")
        assert bar.size.height == 1


def test_fuzzy_score_prefers_beginnings_and_wants_all_words():
    from tui.screens.picker import score

    assert score("qwen", "Qwen3-8B") > score("8b", "Qwen3-8B")
    assert score("lama 70", "Llama-3.3-70B") is not None
    assert score("q3 8b", "Qwen3-8B") is not None
    assert score("zz", "Qwen3-8B") is None


async def test_a_slow_comparison_moves_to_a_thread_and_the_last_one_wins(dashboard, monkeypatch):
    async with dashboard() as app:
        app.dashboard.compare_ms = 1e6
        threads = []
        monkeypatch.setattr(
            type(app.dashboard), "_compare_in_thread", _spy(type(app.dashboard)._compare_in_thread, threads)
        )
        await app.pilot.press("=", "=", "=")
        await app.settle()
        assert threads
        assert app.session.comparison.workload.requests_per_s == 8
        assert "8 req/s" in "\n".join(app.screen_text())


def _spy(method, calls):
    def spied(self, workload):
        calls.append(workload)
        return method(self, workload)

    return spied
