"""The export dialog: which rows, to which file; it says where they were written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from models.errors import InputError, RackrateError
from tui.screens.dialog import Dialog, on_top
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType


def target(typed: str) -> Path:
    """The file that is meant. Raises InputError where nothing can be written: no name, a folder, no such folder."""
    if not typed.strip():
        raise InputError("A file name is missing.")
    try:
        path = Path(typed.strip()).expanduser()
        if path.is_dir():
            raise InputError(f"{path} is a folder: add a file name.")
        # As the command line does: a folder with a typing error in its name must not come into being.
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent}.")
        with suppress(FileNotFoundError):
            path.lstat()
    except OSError as error:
        raise InputError(f"This cannot be a file: {error.strerror or error}.") from None
    except (RuntimeError, ValueError) as error:  # no such home directory, a zero byte
        raise InputError(f"This cannot be a file: {error!s:.80}") from None
    return path


class ExportScreen(Dialog[Path | None]):
    """Ask for rows and path, write, and return the path; stays open with the reason when writing fails."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(
        self, path: Path, visible: int, total: int, write: Callable[[str, Path], int], *, ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self.ascii_only = ascii_only
        self.path = path
        self.counts = (visible, total)
        self.write = write

    def compose(self) -> ComposeResult:
        """Rows, path, a line for what went wrong."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = "Export as CSV"
            dialog.border_subtitle = "enter writes · Tab between rows and file · esc cancels"
            yield Static("Rows", markup=False)
            yield ChoiceList([
                Choice("visible", f"the {self.counts[0]:,} rows of the table, filtered and sorted as shown"),
                Choice("all", f"all {self.counts[1]:,} offers, sorted by cost"),
            ], ascii_only=self.ascii_only)  # fmt: skip
            yield Static("File", markup=False)
            yield Input(str(self.path), compact=True)
            yield Static("", id="export-hint", markup=False)

    def on_mount(self) -> None:
        """Start at the rows."""
        self.query_one(ChoiceList).focus()
        self._hint()

    def _hint(self, problem: str = "") -> None:
        """Say what is wrong with the file, or where it goes."""
        field = self.query_one(Input)
        where = ""
        if not problem:
            try:
                path = target(field.value)
                where = "the file exists and will be replaced" if path.is_file() else f"in {path.absolute().parent}"
            except InputError as error:
                problem = f"! {error}"
        field.set_class(bool(problem), "-invalid-value")
        self.query_one("#export-hint", Static).update(problem or where)

    def on_input_changed(self) -> None:
        """Say where the file goes."""
        self._hint()

    def on_input_submitted(self) -> None:
        """Write."""
        self._write()

    def on_choice_list_chosen(self) -> None:
        """Write."""
        self._write()

    def _write(self) -> None:
        if not on_top(self):  # the second of two quick presses
            return
        choice = self.query_one(ChoiceList).current
        scope = choice.id if choice is not None else "visible"
        try:
            path = target(self.query_one(Input).value)
            self.write(scope, path)
        except RackrateError as error:
            self._hint(f"! {error}")
        except OSError as error:
            self._hint(f"! cannot write: {error.strerror or error}")
        else:
            self.dismiss(path.absolute())
