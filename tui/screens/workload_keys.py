"""Keys that change the workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from models.errors import RackrateError
from tui import input_steps, input_text, inputs
from tui.keys import first
from tui.screens.base import DashboardBase
from tui.widgets.workload_bar import WorkloadBar

if TYPE_CHECKING:
    from models.traffic import Workload

TYPING_PAUSE_S = 0.06
"""Typed text is used after so long without a key."""


class WorkloadKeys(DashboardBase):
    """Editing, stepping, choosing, undoing."""

    _typed_last: WorkloadBar.Typed | None = None

    def action_edit_workload(self) -> None:
        """Edit the inputs."""
        self.bar.display = True
        self.bar.edit("model" if self.bar.editing is None else "")
        self._show_lines()

    @on(WorkloadBar.Typed)
    def _typed(self, message: WorkloadBar.Typed) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typed_last = message
        self._typing = self.set_timer(TYPING_PAUSE_S, lambda: self._use_typed(message))

    def _use_typed(self, message: WorkloadBar.Typed) -> None:
        self._typing = None
        try:
            workload = inputs.read(message.field, self.session.workload, message.text)
        except RackrateError as error:
            if self.bar.editing == message.field.id:
                self.bar.show_error(str(error))
            else:  # left before it was used
                self.notify(str(error), severity="warning")
            return
        self.bar.show_error("")
        self.change(workload, step=message.field.id)

    @on(WorkloadBar.Stepped)
    def _stepped(self, message: WorkloadBar.Stepped) -> None:
        if self._typing is not None:  # the step starts from what stands there
            self._typing.stop()
            self._typing = None
        self.change(message.field.step(self.session.workload, message.direction), step=message.field.id)
        if self.bar.editing is not None:  # the wheel steps a field that is not in work, too
            self.bar.show_error("")
            self.bar.set_value(self.session.workload)

    def _flush_typed(self) -> None:
        """Use at once what waits to be used."""
        if self._typing is not None and self._typed_last is not None:
            self._typing.stop()
            self._use_typed(self._typed_last)

    @on(WorkloadBar.Entered)
    def _entered(self) -> None:
        self._flush_typed()
        self.session.history.end_step()

    @on(WorkloadBar.Finished)
    def _finished(self, message: WorkloadBar.Finished) -> None:
        if message.keep:
            self._flush_typed()
            if self.bar.error:  # a wrong value is not thrown away without a word
                return
        else:
            if self._typing is not None:
                self._typing.stop()
                self._typing = None
            if self.session.history.cancel_step(message.field.id):
                self.recompute()
        self.bar.leave()

    @on(WorkloadBar.Left)
    def _left(self) -> None:
        self.session.history.end_step()
        self.back_to_pane()
        self._show_lines()

    def action_step_quant(self, direction: int) -> None:
        """Weights in more or fewer bits."""
        end = "widest" if direction > 0 else "narrowest"
        more = f"{first('quant.pick')} lists all formats."
        self._step(
            input_steps.step_quant(self.session.workload, direction),
            f"{self.session.workload.quant} is the {end} step; {more}",
        )

    def action_step_traffic(self, direction: int) -> None:
        """More or less traffic."""
        now = input_text.show_traffic(self.session.workload)
        end = f"{now} is the last step; the Traffic field ({first('workload.edit')}) takes any number."
        self._step(input_steps.step_traffic(self.session.workload, direction), end)

    def action_scale_prompt(self, factor: float) -> None:
        """Longer or shorter prompts."""
        end = f"A prompt of {self.session.workload.input_tokens:,} tokens is the last step."
        self._step(input_steps.scale_prompt(self.session.workload, factor), end)

    def _step(self, workload: Workload, end: str) -> None:
        if workload == self.session.workload:
            self.notify(end, timeout=3)
        else:
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
