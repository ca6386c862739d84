"""In ASCII mode nothing but ASCII is painted: screens, dialogs, editors, notes, frames with the focus, scrollbars."""

from __future__ import annotations

import pytest

from tests.test_tui.conftest import cpu, gpu
from tui import format as fmt
from tui.ascii_filter import AsciiFilter

WAYS = {
    "panes": ("tab", "tab", "tab", "shift+tab", "z", "z", "down", "end"),
    "plots": ("p", "p", "p", "p", "p", "p", "right", "t", "p", "escape", "escape"),
    "details": ("enter", "pagedown", "end", "escape"),
    "comparison": ("space", "space", "c", "d", "y", "escape", "C", "C"),
    "alternatives": ("a", "down", "tab", "escape"),
    "workload": ("e", "tab", "up", "tab", "tab", "tab", "tab", "tab", "tab", "up", "x", "escape", "u", "U"),
    "pickers": (
        "m",
        "l",
        "escape",
        "w",
        "down",
        "escape",
        "b",
        "escape",
        "v",
        "escape",
        "s",
        "escape",
        "full_stop",
        "escape",
    ),
    "filter": (
        "slash",
        "g",
        "p",
        "u",
        "greater_than_sign",
        "equals_sign",
        "escape",
        "slash",
        "é",
        "escape",
        "J",
        "h",
        "escape",
    ),
    "notes": ("dollar_sign", "dollar_sign", "y", "Y", "i", "i", "i", "f", "t", "T"),
    "orders": ("1", "1", "less_than_sign", "greater_than_sign", "greater_than_sign"),
    "help": ("question_mark", "pagedown", "escape", "ctrl+p", "d", "escape"),
    "files": ("x", "down", "escape", "F", "down", "enter", "escape", "escape", "W", "escape", "R"),
}
OFFERS = [
    gpu("l4-small", hour=0.8),
    gpu("h100", "H100-SXM5-80GB", 80.0, hour=2.5, currency="EUR"),
    gpu("t4-undated", "T4", 16.0, hour=0.3, source_date=None),
    cpu("epyc-48", 48.0, 192.0, 260.0),
    cpu("サーバー", 16.0, 128.0, 120.0, region="東京", provider="é—x"),
    *(gpu(f"more-{n}", hour=1.0 + n) for n in range(40)),
]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
@pytest.mark.parametrize("way", WAYS)
async def test_only_ascii_is_painted(dashboard, make_session, monkeypatch, tmp_path, size, way):
    monkeypatch.chdir(tmp_path)
    async with dashboard(size, session=make_session(list(OFFERS), currency="EUR"), ascii_only=True) as app:
        monkeypatch.setattr(app.app, "copy_to_clipboard", lambda _text: None)
        for key in ("", *WAYS[way]):
            if key:
                await app.press(key)
            odd = {char for line in app.screen_text() for char in line if not char.isascii()}
            assert not odd, f"after {key}: {odd}"
        app.app.notify("€/mo ↑ — ≥ 東京 …" * 20, severity="warning", title="→")
        await app.settle()
        assert "EUR/mo ^" in "\n".join(app.screen_text())
        assert all(line.isascii() for line in app.screen_text())
        assert all(len(line) == size[0] for line in app.screen_text())


async def test_other_terminals_have_their_signs(dashboard):
    async with dashboard((120, 36)) as app:
        assert not any(isinstance(one, AsciiFilter) for one in app.app.get_line_filters())
        assert any("╭" in line for line in app.screen_text())


@pytest.mark.parametrize("text", ["━┃▌│ ╭─╮", "€ → ↓ ≥", "東京x", "é́", "\u2800\u28ff", "plain"])
def test_a_twin_fills_the_same_cells(text):
    assert fmt.ascii_cells(text).isascii()
    assert len(fmt.ascii_cells(text)) == fmt.cell_len(text)
