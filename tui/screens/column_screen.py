"""The column chooser: which columns the table has, in which order and how wide; the table behind shows it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical

from tui import format as fmt
from tui.columns import BY_ID, COLUMNS, chosen, clamp_width
from tui.keys import bindings, first, hints
from tui.screens.dialog import Dialog
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.state import ViewState


class ColumnScreen(Dialog[None]):
    """Columns with a tick each, the shown ones first and in their order."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("columns")]
    where: ClassVar[str] = "columns"

    def __init__(
        self,
        view: ViewState,
        changed: Callable[[ViewState], dict[str, int]],
        currency: str,
        *,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(ascii_only=ascii_only)
        self.view = view
        self.changed = changed
        """Shows a view and tells the widths of the columns that have room."""
        self.placed = changed(view)
        self.sign = fmt.symbol(currency)

    def compose(self) -> ComposeResult:
        """The heads and the list."""
        with Vertical(classes="dialog", id="columns") as dialog:
            keys = (("toggle", "columns.toggle"), ("move", "columns.up", "columns.down"), ("width", "columns.narrower", "columns.wider"),
                    ("default", "columns.reset"), ("done", "columns.close"))  # fmt: skip
            self.entitle(dialog, "Columns", hints(*keys))
            yield ChoiceList(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show the list."""
        self.options.focus()
        self._show("server")

    @property
    def options(self) -> ChoiceList:
        """The columns."""
        return self.query_one(ChoiceList)

    def _show(self, cursor: str) -> None:
        shown = [column.id for column in chosen(self.view)]
        order = list(shown)
        for before, column in zip((None, *COLUMNS), COLUMNS, strict=False):  # hidden ones stay where they usually are
            if column.id not in order:
                order.insert(order.index(before.id) + 1 if before is not None else 1, column.id)
        widths = dict(self.view.widths)
        choices = []
        for name in order:
            column = BY_ID[name]
            tick = "[x]" if name in shown else "[ ]"
            width = f"{widths[name]:>4}" if name in widths else "auto"
            room = "" if name in self.placed or name not in shown else "(no room) "
            text = f"{tick} {fmt.fit_width(column.title(self.sign), 13)} {width}  {room}{column.help}"
            choices.append(Choice(name, text))
        self.options.show(choices, order.index(cursor))

    @property
    def _current(self) -> str:
        choice = self.options.current
        return choice.id if choice is not None else "server"

    def _use(self, columns: list[str] | None = None, widths: dict[str, int] | None = None) -> None:
        current = self._current
        if columns is not None:
            self.view = self.view.changed(columns=tuple(columns))
        if widths is not None:
            self.view = self.view.changed(widths=tuple(widths.items()))
        self.placed = self.changed(self.view)
        self._show(current)

    def action_tick(self) -> None:
        """Show or hide a column. The server and the cost unit stay."""
        name, shown = self._current, [column.id for column in chosen(self.view)]
        if name in {"server", self.view.unit}:
            what = "The server's name" if name == "server" else f"The cost unit ({first('cost.unit')} changes it)"
            self.notify(f"{what} is always shown.", timeout=3)
        elif name in shown:
            self._use([other for other in shown if other != name])
        else:
            self._use(_placed(shown, name))

    def action_shift(self, step: int) -> None:
        """Move a shown column; the server stays first."""
        name, shown = self._current, [column.id for column in chosen(self.view)]
        place = shown.index(name) if name in shown else 0
        if place and 0 < place + step < len(shown):
            shown.insert(place + step, shown.pop(place))
            self._use(shown)

    def action_widen(self, step: int) -> None:
        """Make a column wider or narrower; texts may be cut, numbers never."""
        name, widths = self._current, dict(self.view.widths)
        column = BY_ID[name]
        width = clamp_width(column, widths.get(name, self.placed.get(name, column.width)) + step)
        self._use(widths=widths | {name: width})

    def action_reset(self) -> None:
        """The usual columns, order and widths."""
        self._use([], {})

    def on_choice_list_chosen(self) -> None:
        """A click on a line ticks it."""
        self.action_tick()


def _placed(shown: list[str], name: str) -> list[str]:
    """A column among those shown, behind the one that comes before it in the usual order."""
    usual = [column.id for column in COLUMNS]
    before = [other for other in usual[: usual.index(name)] if other in shown]
    place = shown.index(before[-1]) + 1 if before else 1
    return [*shown[:place], name, *shown[place:]]
