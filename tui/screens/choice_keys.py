"""Keys that choose the model, its number format or a whole workload from a list, and save one under a name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import work
from textual.worker import get_current_worker

from models.errors import RackrateError
from tui import inputs
from tui.keys import first
from tui.screens.base import DashboardBase
from tui.state import FITS

if TYPE_CHECKING:
    from tui.screens.pickers import QuantPicker


class ChoiceKeys(DashboardBase):
    """Model, format, workload."""

    def action_pick_model(self) -> None:
        """Choose the model from a list."""
        from tui.screens.pickers import model_picker

        self.app.push_screen(model_picker(self.session.workload, ascii_only=self.app.ascii_only), self._model_picked)

    def _model_picked(self, name: str | None) -> None:
        self._choose("model", name)

    def _choose(self, field: str, text: str | None) -> None:
        if text is not None:
            self.change(inputs.read(inputs.BY_ID[field], self.session.workload, text))

    # number formats

    def action_pick_quant(self) -> None:
        """Choose the number format of the weights from a list."""
        from tui.screens.pickers import QuantPicker

        picker = QuantPicker(self.session.workload, ascii_only=self.app.ascii_only)
        self.app.push_screen(picker, lambda name: self._choose("quant", name))
        self._count_holders(picker)

    @work(thread=True, group="holders")
    def _count_holders(self, picker: QuantPicker) -> None:
        """How many of the offers shown hold the model in each format: by the comparison itself, one format after the other."""
        session, worker = self.session, get_current_worker()
        filters = session.filters(session.view.changed(fit=FITS[1]))
        present = picker.workload.quant
        for name in sorted(picker.names, key=lambda name: name != present):
            if worker.is_cancelled or picker.closed or session.market is None:
                return
            found = session.compare(picker.workload.changed(quant=name))
            self.app.call_from_thread(picker.count, name, len(found.select(filters)))

    # workloads

    def action_pick_workload(self) -> None:
        """Choose one's own workload or a preset from a list."""
        from tui import named
        from tui.screens.pickers import WorkloadPicker

        try:
            saved, told = named.read()
        except RackrateError as error:
            saved, told = {}, [str(error)]
        for text in told:
            self.notify(text, severity="warning", timeout=8)
        picker = WorkloadPicker(saved, self.session.workload, ascii_only=self.app.ascii_only)

        def picked(name: str | None) -> None:
            if name in picker.saved:
                self.change(picker.saved[name])
            else:
                self._choose("preset", name)

        self.app.push_screen(picker, picked)

    def take(self, kind: str, name: str) -> None:
        """Use what was chosen by name: a model, a preset, a saved workload, a column to sort by, a currency."""
        if kind in {"model", "preset"}:
            self._choose(kind, name)
        elif kind == "workload":
            self._take_saved(name)
        elif kind == "sort":
            self.session.set_view(self.session.view.sorted_by(name))
            self.show()
        elif kind == "currency" and self.session.settings is not None:
            before = self.session.options.currency
            self.session.settings = replace(self.session.settings, currency=name)
            self.recompute()
            self._tell_currency(before)

    def _tell_currency(self, before: str) -> None:
        from pricing.where import asks_cost

        now = self.session.options.currency
        if now != before and asks_cost(self.session.view.where):
            self.notify(f"Costs in the filter now count in {now}.", timeout=8)

    def _take_saved(self, name: str) -> None:
        from tui import named

        try:
            found = named.find(name)
        except RackrateError as error:
            self.notify(str(error), severity="warning")
            return
        if found is not None:
            self.change(found)

    def action_save_workload(self) -> None:
        """Save the workload under a name."""
        from tui.screens.name_screen import NameScreen

        self.app.push_screen(NameScreen(self.session.workload, ascii_only=self.app.ascii_only), self._workload_saved)

    def _workload_saved(self, name: str | None) -> None:
        if name is not None:
            self.notify(f"Saved as {name}; {first('workload.preset')} lists it.", timeout=5)
