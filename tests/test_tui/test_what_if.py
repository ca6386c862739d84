"""Every input of the workload steps by key, wheel and click; the utilization is one of them."""

from __future__ import annotations

import pytest
from textual import events

from models.errors import RackrateError
from tui.inputs import BY_ID, FIELDS, read
from tui.widgets.field_input import STEPPER
from tui.widgets.workload_layout import summary


def wheel(bar, spot, *, up: bool) -> None:
    """Turn the wheel over a field."""
    kind = events.MouseScrollUp if up else events.MouseScrollDown
    x, y = spot.x + bar.gutter.left, spot.y + bar.gutter.top
    bar.post_message(kind(bar, x, y, 0, 0, 0, shift=False, meta=False, ctrl=False,
                          screen_x=bar.region.x + x, screen_y=bar.region.y + y))  # fmt: skip


@pytest.mark.parametrize("field", [field.id for field in FIELDS])
async def test_the_wheel_steps_every_field(dashboard, field):
    async with dashboard() as app:
        bar, before = app.dashboard.bar, app.session.workload
        spot = next(spot for spot in bar._spots if spot.field.id == field)
        down = BY_ID[field].step(before, -1)
        direction = 1 if down == before else -1
        wheel(bar, spot, up=direction > 0)
        await app.settle()
        assert app.session.workload == BY_ID[field].step(before, direction) != before
        assert bar.editing is None
        assert app.session.comparison.workload == app.session.workload
        await app.press("u")
        assert app.session.workload == before


@pytest.mark.parametrize(("arrow", "direction"), [(0, -1), (1, 1)])
async def test_a_click_on_an_arrow_steps_the_field_in_work(dashboard, arrow, direction):
    async with dashboard() as app:
        await app.press("e", "tab", "tab", "tab", "tab")
        bar, before = app.dashboard.bar, app.session.workload
        assert bar.editing == "input_tokens"
        x, y = bar._stepper
        assert app.screen_text()[bar.content_region.y + y][bar.content_region.x + x :].startswith(STEPPER)
        await app.pilot.click("#workload", offset=(x + arrow + bar.gutter.left, y + bar.gutter.top))
        await app.settle()
        assert app.session.workload == BY_ID["input_tokens"].step(before, direction)
        assert bar.editing == "input_tokens"
        assert bar.editor.value == BY_ID["input_tokens"].show(app.session.workload)
        await app.press("escape")
        assert app.session.workload == before


@pytest.mark.parametrize("size", [(120, 36), (100, 30), (80, 24), (60, 15), (240, 50)])
async def test_the_arrows_have_room_beside_every_field(dashboard, size):
    async with dashboard(size) as app:
        await app.press("e")
        bar = app.dashboard.bar
        for _ in FIELDS:
            x, y = bar._stepper
            assert x + len(STEPPER) <= bar.content_size.width
            assert app.screen_text()[bar.content_region.y + y][bar.content_region.x + x :].startswith(STEPPER)
            await app.press("tab")


async def test_the_wheel_over_another_field_leaves_the_typed_text(dashboard):
    async with dashboard() as app:
        await app.press("e")
        bar = app.dashboard.bar
        assert bar.editing == "model"
        wheel(bar, next(spot for spot in bar._spots if spot.field.id == "traffic"), up=True)
        await app.settle()
        assert app.session.workload.requests_per_s == 2
        assert bar.editor.value == app.session.workload.model.name


@pytest.mark.parametrize(("text", "share"), [("70", 0.7), ("70 %", 0.7), ("100", 1.0), ("1", 0.01)])
def test_utilization_is_read(llama, text, share):
    assert read(BY_ID["utilization"], llama, text).utilization == share


@pytest.mark.parametrize(
    ("text", "said"), [("0", "1 to 100 %"), ("101", "1 to 100 %"), ("0.7", "write 70 for 70 %"), ("x", "is a number")]
)
def test_a_wrong_utilization_is_told(llama, text, said):
    with pytest.raises(RackrateError, match=said):
        read(BY_ID["utilization"], llama, text)


def test_the_summary_says_it_where_it_is_not_full(llama):
    line = "".join(text for text, _ in summary(llama.changed(utilization=0.7), 100))
    assert "util 70 %" in line
    assert "util" not in "".join(text for text, _ in summary(llama, 100))


async def test_it_changes_the_servers_needed(dashboard):
    async with dashboard() as app:
        before = app.session.comparison.column("servers_needed")
        await app.press("e", "shift+tab", "shift+tab")
        assert app.dashboard.bar.editing == "utilization"
        await app.press(*["down"] * 8, "enter")
        assert app.session.workload.utilization == 0.2
        after = app.session.comparison.column("servers_needed")
        assert (after[before == before] >= before[before == before]).all()
        assert (after > before).any()
