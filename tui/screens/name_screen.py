"""The dialog that saves a workload under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Input, Static

from models.errors import RackrateError
from tui import format as fmt
from tui import named
from tui.keys import bindings, hints
from tui.screens.dialog import Dialog, on_top

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from models.traffic import Workload


class NameScreen(Dialog[str | None]):
    """Asks for a name and saves the workload; stays open while that fails. Returns the name."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("name")]
    where: ClassVar[str] = "name"

    def __init__(self, workload: Workload, *, ascii_only: bool = False) -> None:
        super().__init__(ascii_only=ascii_only)
        self.workload = workload
        try:
            self.taken = set(named.read()[0])
        except RackrateError:
            self.taken = set()  # saving will say why

    def compose(self) -> ComposeResult:
        """A name, and what comes of it."""
        with Vertical(classes="dialog") as dialog:
            self.entitle(dialog, "Save the workload", f"enter saves · {hints(('cancels', 'name.cancel'))}")
            yield Input(self._suggestion(), compact=True, max_length=named.LONGEST, select_on_focus=True)
            yield Static("", id="name-said", markup=False)

    def _suggestion(self) -> str:
        name = f"{self.workload.model.name} {self.workload.preset or 'own'}"
        return fmt.clean(name)[: named.LONGEST].strip()

    def on_mount(self) -> None:
        """Say what the suggestion would do."""
        self._say(self.query_one(Input).value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what the name would do."""
        self._say(event.value)

    def _say(self, name: str) -> None:
        name = name.strip()
        problem = named.problem_of(name)
        said = problem or ("Replaces the one of that name." if name in self.taken else f"In {named.file()}")
        self.query_one("#name-said", Static).update(self.said(said))
        self.query_one(Input).set_class(bool(problem), "-invalid-value")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save."""
        if not on_top(self):
            return
        name = event.value.strip()
        try:
            named.save(name, self.workload)
        except RackrateError as error:
            self.query_one("#name-said", Static).update(self.said(str(error)))
            return
        self.dismiss(name)
