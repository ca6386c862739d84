"""The export dialog: which rows, in which format, to which file; it says where they were written."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.containers import Vertical
from textual.widgets import Input, Static

from models.errors import InputError, RackrateError
from tui import exporting
from tui import format as fmt
from tui.keys import bindings, first
from tui.lines import commands
from tui.screens.dialog import Dialog, on_top
from tui.widgets.choice_list import Choice, ChoiceList
from tui.widgets.line import Line, Part

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.session import Session

FORMATS = (
    Choice("csv", "CSV: every column, for a spreadsheet or a script"),
    Choice("json", "JSON: every column, a missing figure is null"),
    Choice("markdown", "Markdown: a table of the main columns, for a document"),
)


class ExportScreen(Dialog[tuple[int, Path] | None]):
    """Ask what to write and where, write it, and return how many rows went to which file; stays open when that fails."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("export")]
    where: ClassVar[str] = "export"

    def __init__(self, session: Session, *, ascii_only: bool = False) -> None:
        super().__init__(ascii_only=ascii_only)
        self.session = session
        self.stop = threading.Event()
        self.writing = False
        self._proposed = str(exporting.new_path(session, exporting.FORMATS["csv"]))

    def compose(self) -> ComposeResult:
        """Rows, format, file, a line for what went wrong."""
        counts, marks = self.session.counts(), len(self.session.marked())
        scopes = [Choice("visible", f"the {counts.shown:,} rows of the table, filtered and sorted as shown")]
        if marks:
            scopes.append(Choice("marked", f"the {fmt.few(marks, 'marked row')}"))
        scopes.append(Choice("all", f"all {counts.total:,} offers, sorted by cost"))
        with Vertical(classes="dialog") as dialog:
            self.entitle(dialog, "Export")
            yield Static("Rows", markup=False)
            yield ChoiceList(scopes, ascii_only=self.ascii_only, id="export-rows")
            yield Static("Format", markup=False)
            yield ChoiceList(FORMATS, ascii_only=self.ascii_only, id="export-format")
            yield Static("File", markup=False)
            yield Input(self._proposed, compact=True)
            yield Static("", id="export-hint", markup=False)
            yield Line(id="export-keys", ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Start at the rows."""
        line = self.query_one("#export-keys", Line)
        line.restyle(self.app.tones)  # type: ignore[attr-defined]
        line.show([
            *commands(("write", "export.write"), ("cancel", "export.cancel")),
            Part("Tab", "key", 3, "app.focus_next"), Part(" next", joined=True, action="app.focus_next"),
            Part(f"{first('list.up')} {first('list.down')}", "key", 4), Part(" choose", joined=True),
        ])  # fmt: skip
        self.query_one("#export-rows").focus()
        self._hint()

    def _choice(self, name: str) -> str:
        chosen = self.query_one(f"#export-{name}", ChoiceList).current
        return chosen.id if chosen is not None else ""

    def _hint(self, problem: str = "") -> None:
        """Say what is wrong with the file, or where it goes."""
        field = self.query_one(Input)
        where = ""
        if not problem:
            try:
                path = exporting.target(field.value)
                where = "the file exists and will be replaced" if path.is_file() else f"in {path.absolute().parent}"
                if (form := exporting.form_of(path, chosen := self._choice("format"))) != chosen:
                    where = f"as {form}, since it ends in {path.suffix}; {where}"
            except InputError as error:
                problem = f"! {error}"
        field.set_class(bool(problem), "-invalid-value")
        self.query_one("#export-hint", Static).update(problem or where)

    def on_input_changed(self) -> None:
        """Say where the file goes."""
        self._hint()

    @on(ChoiceList.Moved, "#export-format")
    def _format_chosen(self) -> None:
        """A name that was only proposed takes the format's ending; one that was typed stays."""
        field = self.query_one(Input)
        if field.value == self._proposed:
            self._proposed = str(exporting.new_path(self.session, exporting.FORMATS[self._choice("format")]))
            field.value = self._proposed
        self._hint()

    def on_input_submitted(self) -> None:
        """Write."""
        self.action_write()

    def on_choice_list_chosen(self, event: ChoiceList.Chosen) -> None:
        """Enter writes; a click only chooses."""
        if not event.clicked:
            self.action_write()

    def action_cancel(self) -> None:
        """Close without a file; stop one that is being written."""
        self.stop.set()
        if on_top(self):
            self.dismiss(None)

    def action_write(self) -> None:
        """Write, in a thread: a hundred thousand rows take seconds."""
        if self.writing or not on_top(self):  # the second of two quick presses
            return
        try:
            path = exporting.target(self.query_one(Input).value)
        except InputError as error:
            self._hint(f"! {error}")
            return
        self.writing = True
        self._hint(self.said(f"writing: {first('export.cancel')} stops"))
        self._write(self._choice("rows"), exporting.form_of(path, self._choice("format")), path)

    @work(thread=True, group="export")
    def _write(self, scope: str, form: str, path: Path) -> None:
        try:
            count = exporting.write(self.session, scope, form, path, self.stop.is_set)
        except RackrateError as error:
            self.app.call_from_thread(self._failed, f"! {error}")
        except OSError as error:
            self.app.call_from_thread(self._failed, f"! cannot write: {error.strerror or error}")
        else:
            self.app.call_from_thread(self._written, count, path.absolute())

    def _failed(self, problem: str) -> None:
        self.writing = False
        if on_top(self):
            self._hint(problem)

    def _written(self, count: int, path: Path) -> None:
        self.writing = False
        self.session.export_folder = str(path.parent)
        if on_top(self):
            self.dismiss((count, path))
