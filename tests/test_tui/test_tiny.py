"""Tiny terminals: panes go, then columns; never a wall, never a crash, dialogs included."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

WIDTHS = (1, 2, 3, 8, 20, 30, 40, 50, 60)
HEIGHTS = (1, 2, 3, 4, 6, 8, 10, 15, 20)
DIALOGS = (
    "",
    "F",
    "m",
    "w",
    "s",
    "x",
    "question_mark",
    "enter",
    "e",
    "slash",
    "v",
    "full_stop",
    "ctrl+p",
    "J",
    "p",
    "z",
)


async def resized(app, width: int, height: int) -> list[str]:
    """Resize, and the screen as it is then."""
    await app.pilot.resize_terminal(width, height)
    await app.pilot.pause()
    lines = app.screen_text()
    assert len(lines) == height
    assert all(cell_len(line) == width for line in lines)
    return lines


async def test_every_size_from_one_cell_to_sixty_by_twenty(dashboard):
    async with dashboard((60, 20)) as app:
        for height in HEIGHTS:
            for width in WIDTHS:
                lines = await resized(app, width, height)
                text = "\n".join(lines)
                if width >= 20 and height >= 4:
                    assert "l4-" in text, (width, height)  # the table is there
                if width >= 3 and height == 1:
                    assert lines[0].strip(), (width, height)
                if width >= 40 and height >= 10:
                    assert "$/Mtok" in text, (width, height)
        await app.pilot.press("down", "=")
        await resized(app, 80, 24)
        await app.settle()
        assert app.table.cursor == 1


@pytest.mark.parametrize("key", DIALOGS, ids=[key or "none" for key in DIALOGS])
async def test_dialogs_survive_every_size(dashboard, key):
    async with dashboard((80, 24)) as app:
        if key:
            await app.pilot.press(key)
            await app.settle()
        for width, height in ((40, 10), (3, 2), (1, 1), (60, 1), (1, 20), (80, 24)):
            await resized(app, width, height)
            await app.pilot.press("down", "up")
        await app.pilot.press("escape", "escape")
        await app.settle()
        assert app.app.is_running


@pytest.mark.parametrize("key", ["F", "m", "question_mark", "x"])
async def test_dialogs_opened_in_a_tiny_terminal_show_something(dashboard, key):
    async with dashboard((30, 8)) as app:
        await app.pilot.press(key)
        await app.settle()
        lines = app.screen_text()
        assert sum(bool(line.strip()) for line in lines) >= 5
        await app.pilot.press("escape")
        await app.settle()
