"""A server with other quantizations and models side by side; the chosen one becomes the workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Vertical

from tui import alternatives
from tui import format as fmt
from tui.keys import bindings, hints
from tui.one_server import OneServer
from tui.screens.dialog import Dialog
from tui.widgets.choice_list import Choice, ChoiceList
from tui.widgets.line import Line, Part

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from models.traffic import Workload
    from pricing.offer import Offer
    from pricing.terms import CompareOptions
    from tui.alternatives import Alternative

VIEWS = ("quantizations", "models")
_WIDTHS = (8, 9, 8, 6, 4, 8)
_NAMES = {"quantizations": 9, "models": 22}
_ROOMY, _SHORT_NAME, _LEFT_OUT = 76, 14, (3, 4)
"""Below so many cells of the screen names are short and users and servers are left out."""


class AlternativesScreen(Dialog["Workload | None"]):
    """Quantizations first, neighbouring models behind Tab; enter takes the line's workload."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("alternatives")]
    where: ClassVar[str] = "alternatives"

    def __init__(
        self,
        offer: Offer,
        workload: Workload,
        options: CompareOptions,
        tones: dict[str, Style],
        *,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(ascii_only=ascii_only)
        self.offer = offer
        self.workload = workload
        self.options = options
        self.tones = tones
        self.view = VIEWS[0]
        self.server = OneServer(offer, options)
        self.found: dict[str, list[Alternative]] = {}

    def compose(self) -> ComposeResult:
        """Heads, lines, what is wrong with the one under the cursor."""
        with Vertical(classes="dialog tall") as dialog:
            keys = (("takes it", "list.choose"), ("other view", "alternatives.view"), ("back", "alternatives.back"))
            self.entitle(dialog, keys=hints(*keys))
            yield ChoiceList(ascii_only=self.ascii_only, id="heads")
            yield ChoiceList(mark="now", ascii_only=self.ascii_only, id="lines")
            yield Line(id="why", ascii_only=self.ascii_only)
            yield Line(id="loss", ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """The quantizations, the present one under the cursor."""
        heads = self.query_one("#heads", ChoiceList)
        heads.as_heads()
        for line in self.query(Line):
            line.restyle(self.tones)
        self.query_one("#lines", ChoiceList).focus()
        self._show()

    def alternatives(self) -> list[Alternative]:
        """The lines of the present view, worked out when it is first seen."""
        if self.view not in self.found:
            make: Any = alternatives.quantizations if self.view == VIEWS[0] else alternatives.models
            self.found[self.view] = make(self.server, self.workload)
        return self.found[self.view]

    def _show(self) -> None:
        found, formats = self.alternatives(), self.view == VIEWS[0]
        work = self.workload
        what = f"{work.model.name} in other formats" if formats else f"other models in {work.quant}"
        self.entitle(self.query_one(Vertical), f" {what} on {self.offer.server} ")
        names = ("Fit", "TTFT ", "tok/s·u", "Users", "N", f"{fmt.symbol(self.options.currency)}/Mtok")
        heads = self.query_one("#heads", ChoiceList)
        heads.show([self._choice("", "Format" if formats else "Model", names, self._last_head())])
        heads.cursor = -1
        now = work.quant if formats else work.model.name
        places = [place for place, one in enumerate(found) if one.name == now]
        lines = self.query_one("#lines", ChoiceList)
        lines.mark = now
        choices = [self._choice(one.name, one.name, alternatives.cells(one), self._last(one)) for one in found]
        lines.show(choices, places[0] if places else 0)
        self._explain()

    def _last_head(self) -> str:
        return "Runs as" if self.view == VIEWS[0] else "Weights GiB"

    def _last(self, one: Alternative) -> str:
        if self.view != VIEWS[0]:
            return fmt.number(one.value("weights_gib"))
        return one.runs_as

    def _choice(self, key: str, name: str, cells: tuple[str, ...], last: str) -> Choice:
        """A line in columns; a narrow screen has the name shortened, and neither users nor servers nor the last column."""
        narrow = self.app.size.width < _ROOMY
        columns = [(text, width) for place, (text, width) in enumerate(zip(cells, _WIDTHS, strict=True))
                   if not narrow or place not in _LEFT_OUT]  # fmt: skip
        shown = [fmt.fit_width(name, min(_NAMES[self.view], _SHORT_NAME) if narrow else _NAMES[self.view])]
        shown += [fmt.fit_width(text, width, right=True) for text, width in columns]
        return Choice(key, " ".join(shown if narrow else [*shown, "", last]))

    def _explain(self) -> None:
        """Why the line under the cursor misses, or that it does not."""
        lines = self.query_one("#lines", ChoiceList)
        name = lines.current.id if lines.current is not None else None
        chosen = next((one for one in self.alternatives() if one.name == name), None)
        if chosen is None:
            return
        part = Part(f"! {chosen.reason}", "miss", 0) if chosen.reason else Part("meets the targets", "good", 0)
        self.query_one("#why", Line).show([part])
        loss = f"known loss of {chosen.name}: {chosen.note}" if chosen.note else ""
        self.query_one("#loss", Line).show([Part(loss, "muted", 0)])

    def on_choice_list_moved(self, event: ChoiceList.Moved) -> None:
        """Say what is wrong with the line."""
        if event.choice_list.id == "lines":
            self._explain()

    def on_choice_list_chosen(self, event: ChoiceList.Chosen) -> None:
        """Take the workload of the line."""
        chosen = next((one for one in self.alternatives() if one.name == event.choice.id), None)
        if chosen is not None:
            self.dismiss(chosen.workload)

    def action_other_view(self) -> None:
        """Quantizations or models."""
        self.view = VIEWS[1 - VIEWS.index(self.view)]
        self._show()

    def on_resize(self) -> None:
        """As many columns as have room; the cursor stays on its line."""
        lines = self.query_one("#lines", ChoiceList)
        at = lines.cursor
        self._show()
        lines.show(lines.choices, at)
        self._explain()
