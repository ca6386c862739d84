"""What all dialogs are: screens over the dashboard that close exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rich.text import Text
from textual.app import ScreenStackError
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

from tui import format as fmt
from tui.guard import Guarded
from tui.keys import bindings

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widget import Widget

Result = TypeVar("Result")


def on_top(screen: Screen[Any]) -> bool:
    """True while a screen is the one that is seen: two keys in one burst both reach a screen that the first one closes."""
    try:
        return screen.app.screen is screen
    except ScreenStackError:  # the app is leaving
        return False


class Dialog(Guarded, ModalScreen[Result]):
    """A screen over the dashboard; closing it again does nothing. F1 tells its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("dialog")]
    where: ClassVar[str] = "dialog"
    """Whose keys the help shows: one of WHERES."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self.ascii_only = ascii_only

    def said(self, text: str) -> str:
        """A text as the terminal can show it."""
        return fmt.shown(fmt.clean(text), ascii_only=self.ascii_only)

    def entitle(self, frame: Widget, title: str | None = None, keys: str | None = None) -> None:
        """Write a title and keys on a frame, as they are: a name in brackets is no markup."""
        if title is not None:
            frame.border_title = Text(self.said(title))
        if keys is not None:
            frame.border_subtitle = Text(self.said(keys))

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result, once."""
        return super().dismiss(result) if on_top(self) else AwaitComplete()
