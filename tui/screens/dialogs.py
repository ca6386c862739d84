"""The list of columns to sort by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.columns import COLUMNS
from tui.screens.picker import Picker
from tui.widgets.choice_list import Choice

if TYPE_CHECKING:
    from tui.state import ViewState


def sort_picker(view: ViewState, currency: str, *, ascii_only: bool) -> Picker:
    """The columns to sort by."""
    choices = []
    for column in COLUMNS:
        arrow = ("↓" if view.descending else "↑") if column.id == view.sort else " "
        choices.append(
            Choice(column.id, f"{fmt.fit_width(column.title(fmt.symbol(currency)), 9)}{arrow} {column.help}")
        )
    return Picker(
        "Sort by",
        Choice("", "Column    What it is (the same again reverses)"),
        choices,
        view.sort,
        ascii_only=ascii_only,
    )
