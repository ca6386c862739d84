"""What all dialogs are: screens over the dashboard that close exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.app import ScreenStackError
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

from tui.guard import Guarded
from tui.keys import bindings

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.screen import Screen

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

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result, once."""
        return super().dismiss(result) if on_top(self) else AwaitComplete()
