"""Every input of the workload steps by key, wheel and click; the utilization is one of them."""

from __future__ import annotations

import pytest
from textual import events

from models.errors import RackrateError
from tui.inputs import BY_ID, FIELDS, read
from tui.widgets.field_input import BEHIND, DOWN, UP
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
        x, _, step = bar.arrows[arrow]
        assert step == direction
        await app.pilot.click("#workload", offset=(x + bar.gutter.left, bar._edited.y + bar.gutter.top))
        await app.settle()
        assert app.session.workload == BY_ID["input_tokens"].step(before, direction)
        assert bar.editing == "input_tokens"
        assert bar.editor.value == BY_ID["input_tokens"].show(app.session.workload)
        await app.press("escape")
        assert app.session.workload == before


LONG = {
    "concurrency": 1_000_000,
    "ttft_ms": 600_000.0,
    "tpot_ms": 0.0123,
    "input_tokens": 123_456,
    "quant": "autoround_int4",
}


@pytest.mark.parametrize(
    "changes", [{}, {"requests_per_s": 0.1, "ttft_ms": 10_000.0}, LONG], ids=["usual", "rare", "long"]
)
@pytest.mark.parametrize("width", [60, 80, 98, 120, 160, 200, 240])
async def test_the_arrows_have_cells_of_their_own_inside_every_field(dashboard, make_session, llama, width, changes):
    session = make_session()
    session.history.set(llama.changed(**changes))
    async with dashboard((width, 30), session=session) as app:
        bar = app.dashboard.bar
        await app.press("e")
        for _ in FIELDS:
            spot, region, screen = bar._edited, bar.content_region, app.screen_text()
            (down, _, _), (up, _, _) = bar.arrows
            line = screen[region.y + spot.y][region.x :]
            assert (line[down], line[up]) == (DOWN, UP)
            assert spot.x + len(spot.field.label) <= down < up < bar.content_size.width
            inside = len(bar.editor.value) <= spot.value - BEHIND
            assert not inside or line[down + 1 :].startswith(bar.editor.value)
            assert inside or bar.editing in {"model", "quant"}  # numbers have a shorter form
            assert not inside or up < spot.x + spot.label + spot.value + 1
            # Every field of the line still says its name, but for those that a long name covers whole.
            for other in bar._spots:
                label = screen[region.y + other.y][region.x + other.x :][: len(other.field.label)]
                assert label == other.field.label or (not inside and other.y == spot.y and spot.x < other.x <= up)
            await app.pilot.press("tab")
            await app.pilot.pause()


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
