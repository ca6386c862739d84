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
        assert app.dashboard.bar.editor.value == "2/s"  # there is no room for more at this width
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
    from tui.widgets.workload_layout import arrange

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
    from tui.screens.narrowing import score

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
        assert app.session.comparison.workload.requests_per_s == 10
        assert "10 req/s" in "\n".join(app.screen_text())


def _spy(method, calls):
    def spied(self, workload):
        calls.append(workload)
        return method(self, workload)

    return spied


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize(
    ("field", "text"), [("traffic", "100000 users"), ("traffic", "30 req/min"), ("input_tokens", "10,000,000")]
)
async def test_the_editor_shows_all_that_is_typed(dashboard, size, field, text):
    async with dashboard(size) as app:
        await edit(app, field)
        app.dashboard.bar.editor.value = text
        await app.settle()
        assert any(text in line for line in app.screen_text())
        # Nothing is left of a field that it covers.
        (down, _, _), (up, _, _) = app.dashboard.bar.arrows
        spot, region = app.dashboard.bar._edited, app.dashboard.bar.content_region
        line = app.screen_text()[region.y + spot.y][region.x :]
        labels = {
            one.field.label for one in app.dashboard.bar._spots if one.y == spot.y and (one.x > up or one is spot)
        }
        assert all(label in line[:down] + line[up + 1 :] for label in labels)
        covered = [one for one in app.dashboard.bar._spots if one.y == spot.y and spot.x < one.x <= up]
        assert not any(line[up + 1 : one.x + one.label + one.value].strip() for one in covered)
        await app.press("enter", "e")
        assert app.dashboard.bar.editing == "model"
        shown = app.dashboard.bar.workload
        from tui.inputs import BY_ID

        spot = next(spot for spot in app.dashboard.bar._spots if spot.field.id == field)
        assert len(BY_ID[field].shown_in(shown, spot.value)) <= spot.value


async def test_escape_takes_back_this_field_only(dashboard):
    async with dashboard() as app:
        start = app.session.workload
        await edit(app, "output_tokens")
        await app.type("77")
        await app.pilot.press("tab")
        await app.pilot.press("9")
        await app.settle()
        assert app.session.workload.requests_per_s == 9
        await app.press("escape")
        assert app.session.workload == start.changed(output_tokens=77, preset=None)
        assert app.session.comparison.workload == app.session.workload
        await app.press("u")
        assert app.session.workload == start


async def test_escape_before_the_pause_uses_nothing(dashboard, monkeypatch):
    # However slow the machine is.
    monkeypatch.setattr("tui.screens.workload_keys.TYPING_PAUSE_S", 60)
    async with dashboard() as app:
        start = app.session.workload
        await edit(app, "output_tokens")
        await app.pilot.press("7", "escape")
        await app.settle()
        assert app.session.workload == start
        assert app.dashboard.bar.editing is None


async def test_enter_keeps_a_wrong_value_open_and_uses_a_quick_right_one(dashboard):
    async with dashboard() as app:
        await edit(app, "output_tokens")
        await app.pilot.press("x", "enter")
        await app.settle()
        assert app.dashboard.bar.editing == "output_tokens"
        assert app.dashboard.bar.error
        await app.press("backspace")
        await app.pilot.press("8", "enter")
        await app.settle()
        assert app.dashboard.bar.editing is None
        assert app.session.workload.output_tokens == 8


async def test_a_pasted_file_leaves_the_table_on_the_screen(dashboard):
    async with dashboard((80, 24)) as app:
        await edit(app, "model")
        app.dashboard.bar.editor.value = "x y " * 5000
        await app.settle()
        assert app.dashboard.bar.error
        assert len(app.dashboard.bar._message()) <= 2
        assert app.table.size.height >= 4


async def test_the_end_of_the_steps_is_said(dashboard):
    async with dashboard() as app:
        await app.press("right_square_bracket", "right_square_bracket")
        assert app.session.workload.quant == "16bit"
        await app.press("right_square_bracket")
        assert any("16bit is the widest step" in note.message for note in app.app._notifications)


WORDS = (
    ({"kv_quant": "fp8"}, "KV fp8"),
    ({"engine": "sglang"}, "sglang"),
    ({"prefix_hit": 0.5}, "cached 50"),
)


@pytest.mark.parametrize("width", [60, 70, 90])
@pytest.mark.parametrize(("changes", "said"), WORDS)
def test_the_summary_says_what_differs_and_the_speed_target(llama, width, changes, said):
    from rich.cells import cell_len

    from tui.widgets.workload_layout import summary

    assert said not in "".join(text for text, _ in summary(llama, width))
    text = "".join(text for text, _ in summary(llama.changed(**changes, requests_per_s=838.9), width))
    assert said in text
    assert "≥5" in text
    assert "TTFT≤2s" in text
    assert cell_len(text) <= width


def test_the_summary_of_eighty_columns_says_all_of_it(llama):
    from tui.widgets.workload_layout import summary

    work = llama.changed(kv_quant="fp8", engine="sglang", prefix_hit=0.5, requests_per_s=838.9)
    text = "".join(text for text, _ in summary(work, 70))
    assert all(
        said in text for said in ("8bit", "KV fp8", "sglang", "cached 50%", "1,155→211", "839/s", "TTFT≤2s", "≥5t/s")
    )


@pytest.mark.parametrize("width", range(1, 40))
def test_a_summary_without_room_ends_in_an_ellipsis(llama, width):
    from tui.widgets.workload_layout import summary

    text = "".join(text for text, _ in summary(llama.changed(kv_quant="fp8", engine="sglang", prefix_hit=0.5), width))
    assert len(text) <= width
    assert "…" in text
