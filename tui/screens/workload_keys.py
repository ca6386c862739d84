"""Keys that change the workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from models.errors import RackrateError
from tui import inputs
from tui.screens import dialogs
from tui.screens.base import DashboardBase
from tui.widgets.workload_bar import WorkloadBar

if TYPE_CHECKING:
    from models.traffic import Workload

TYPING_PAUSE_S = 0.06
"""Typed text is used after so long without a key."""


class WorkloadKeys(DashboardBase):
    """Editing, stepping, choosing, undoing."""

    def action_edit_workload(self) -> None:
        """Edit the inputs."""
        self.bar.display = True
        self.bar.edit("model" if self.bar.editing is None else "")
        self._show_lines()

    @on(WorkloadBar.Typed)
    def _typed(self, message: WorkloadBar.Typed) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE_S, lambda: self._use_typed(message))

    def _use_typed(self, message: WorkloadBar.Typed) -> None:
        self._typing = None
        try:
            workload = inputs.read(message.field, self.session.workload, message.text)
        except RackrateError as error:
            if self.bar.editing == message.field.id:
                self.bar.show_error(str(error))
            else:  # left before it was used
                self.notify(str(error), severity="warning", markup=False)
            return
        self.bar.show_error("")
        self.change(workload, step=message.field.id)

    @on(WorkloadBar.Stepped)
    def _stepped(self, message: WorkloadBar.Stepped) -> None:
        if self._typing is not None:  # the step starts from what stands there
            self._typing.stop()
            self._typing = None
        self.change(message.field.step(self.session.workload, message.direction), step=message.field.id)
        self.bar.show_error("")
        self.bar.set_text(message.field.show(self.session.workload))

    @on(WorkloadBar.Left)
    def _left(self) -> None:
        self.session.history.end_step()
        self.table.focus()
        self._show_lines()

    def action_pick_model(self) -> None:
        """Choose the model from a list."""
        self.app.push_screen(
            dialogs.model_picker(self.session.workload, ascii_only=self.app.ascii_only), self._model_picked
        )

    def _model_picked(self, name: str | None) -> None:
        if name is not None:
            self.change(inputs.read(inputs.BY_ID["model"], self.session.workload, name))

    def action_pick_preset(self) -> None:
        """Choose a preset from a list."""
        self.app.push_screen(
            dialogs.preset_picker(self.session.workload, ascii_only=self.app.ascii_only), self._preset_picked
        )

    def _preset_picked(self, name: str | None) -> None:
        if name is not None:
            self.change(inputs.read(inputs.BY_ID["preset"], self.session.workload, name))

    def action_step_quant(self, direction: int) -> None:
        """Weights in more or fewer bits."""
        self._step(inputs.step_quant(self.session.workload, direction))

    def action_scale_traffic(self, factor: float) -> None:
        """More or less traffic."""
        self._step(inputs.scale_traffic(self.session.workload, factor))

    def action_scale_prompt(self, factor: float) -> None:
        """Longer or shorter prompts."""
        self._step(inputs.scale_prompt(self.session.workload, factor))

    def _step(self, workload: Workload) -> None:
        self.change(workload)

    def action_undo(self) -> None:
        """The workload before."""
        if self.session.history.undo():
            self.recompute()
        else:
            self.notify("Nothing to undo.", timeout=2)

    def action_redo(self) -> None:
        """The workload that was undone."""
        if self.session.history.redo():
            self.recompute()
        else:
            self.notify("Nothing to redo.", timeout=2)
