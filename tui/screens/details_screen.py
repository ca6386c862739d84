"""The details of one offer on the whole screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tui.details import plain, whole
from tui.keys import bindings
from tui.lines import commands
from tui.screens.dialog import on_top
from tui.screens.full_screen import FullScreen
from tui.widgets.line import Line, Part
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.binding import BindingType
    from textual.screen import Screen

    from tui.rows import Rows


TERMINAL_BROWSERS = frozenset({"www-browser", "links", "elinks", "lynx", "w3m"})
"""Those that the standard library tries where there is no graphical one."""


class DetailsScreen(FullScreen[int]):
    """All about the offer on one line; returns the line it ended on."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("details")]
    where: ClassVar[str] = "details"

    def __init__(self, rows: Rows, position: int, tones: dict[str, Style], *, ascii_only: bool = False) -> None:
        super().__init__(tones, ascii_only=ascii_only)
        self.rows = rows
        self.position = position

    def show(self) -> None:
        """The offer and the keys."""
        i = self.rows.index(self.position)
        self.query_one(TextPane).show(lambda width: whole(self.rows, i, width), keep_place=False)
        pairs = (
            ("back", "details.back"), ("other offers", "details.previous", "details.next"), ("copy", "details.copy"),
            ("price's page", "details.source"), ("help", "help"),
        )  # fmt: skip
        place = Part(f"{self.position + 1:,}/{len(self.rows):,}", "muted", len(pairs) + 1, right=True)
        self.query_one(Line).show([*commands(*pairs), place])

    def action_back(self) -> None:
        """Back to the table."""
        if on_top(self):
            self.dismiss(self.position)

    def action_other(self, step: int) -> None:
        """The offer before or after in the table's order."""
        self.position = max(0, min(len(self.rows) - 1, self.position + step))
        self.show()

    def action_copy(self) -> None:
        """All of it as text, each command on one line."""
        from tui.screens.clipboard import copy

        text = plain(self.rows, self.rows.index(self.position), ascii_only=self.ascii_only)
        copy(self, text, f"the details, {text.count(chr(10)):,} lines")

    def action_open_source(self) -> None:
        """Open the page the price comes from."""
        open_source(self, self.rows.offer(self.rows.index(self.position)).source_url)


def open_source(screen: Screen[Any], url: str | None) -> None:
    """Open a page in the browser; only plain web addresses, because feeds are not trusted."""
    if url and url.startswith(("https://", "http://")):
        screen.app.open_url(url)  # it says what came of it
    else:
        screen.notify("This price has no web page.", severity="warning")


def has_browser() -> bool:
    """Whether a page opens in a window; a browser that draws in this terminal would draw over the dashboard."""
    import webbrowser

    try:
        name = getattr(webbrowser.get(), "name", "")
    except webbrowser.Error:
        return False
    return Path(str(name)).name not in TERMINAL_BROWSERS
