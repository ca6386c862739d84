"""Everything by name: commands with their keys, models, workloads, columns, currencies, themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from models import catalog
from models.errors import RackrateError
from tui import format as fmt
from tui.columns import COLUMNS
from tui.key_list import BINDINGS, WHERES
from tui.screens.picker import Picker
from tui.theme import THEMES
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.await_complete import AwaitComplete
    from textual.screen import Screen

    from tui.app import RackrateApp
    from tui.key import Key
    from tui.session import Session

SELF_EVIDENT = frozenset({"palette", "sort.nth", "quit.always"})
"""Commands that a list of commands need not offer."""


def commands(screen: Screen[Any]) -> list[Key]:
    """The commands that the screen below the list can run."""
    here = WHERES[getattr(screen, "where", "dashboard")][1]
    owners = (screen, screen.app)
    return [
        key
        for key in BINDINGS
        if key.where in here
        and key.id not in SELF_EVIDENT
        and any(hasattr(owner, f"action_{key.action.partition('(')[0].rpartition('.')[2]}") for owner in owners)
    ]


def _line(kind: str, name: str, keys: str, text: str, ident: str) -> Choice:
    title = f"{kind}: {name}" if kind else name
    head = f"{fmt.fit_width(title, 36)} {fmt.fit_width(keys, 11)}"
    return Choice(f"{kind.lower() or 'command'}:{ident}", f"{head} {text}", f"{title} {text}")


def _commands(screen: Screen[Any]) -> Iterator[Choice]:
    for key in commands(screen):
        name = key.label or key.id.replace(".", " ")
        yield _line("", name.capitalize(), key.now, key.help, key.id)


def _workloads(session: Session) -> Iterator[Choice]:
    from tui import named

    try:
        saved = named.read()[0]
    except RackrateError:
        saved = {}  # the list of workloads says what is wrong with the file
    for name, workload in saved.items():
        yield _line("Workload", name, "", f"{workload.model.name} {workload.quant}", name)
    for preset in catalog.presets():
        mark = "now" if preset.name == session.workload.preset else ""
        yield _line("Preset", preset.name, mark, preset.title, preset.name)


def _orders(session: Session) -> Iterator[Choice]:
    sign = fmt.symbol(session.options.currency)
    for column in COLUMNS:
        mark = "now" if column.id == session.view.sort else ""
        yield _line("Sort", column.title(sign), mark, column.help, column.id)


def _currencies(session: Session) -> Iterator[Choice]:
    options = session.options
    for code in options.rates.currencies():
        yield _line("Currency", code, "now" if code == options.currency else "", "all costs in it", code)


def _themes(app: RackrateApp) -> Iterator[Choice]:
    ours = [theme.name for theme in THEMES]
    for name in [*ours, *sorted(set(app.available_themes) - set(ours))]:
        yield _line("Theme", name, "now" if name == app.theme else "", "seen while the cursor is on it", name)


def _models(session: Session) -> Iterator[Choice]:
    for model in catalog.llms():
        mark = "now" if model.name == session.workload.model.name else ""
        yield _line("Model", model.name, mark, f"{model.family} {model.hf_id or ''}", model.name)


def choices(screen: Screen[Any], app: RackrateApp) -> Iterable[Choice]:
    """Every line of the list: commands first, models, of which there are most, last."""
    yield from _commands(screen)
    if screen is app.screen_stack[0] and app.session.comparison is not None:
        yield from _workloads(app.session)
        yield from _orders(app.session)
        yield from _currencies(app.session)
    yield from _themes(app)
    if screen is app.screen_stack[0] and app.session.comparison is not None:
        yield from _models(app.session)


class CommandScreen(Picker):
    """The list of everything; a theme is shown while the cursor is on it. Returns "kind:name"."""

    app: RackrateApp
    where: ClassVar[str] = "palette"

    def __init__(self, below: Screen[Any], app: RackrateApp) -> None:
        head = f"{'Command':<36} {'Key':<11}"
        super().__init__(
            "Commands",
            Choice("", f"{head} What it does", short=head),
            list(choices(below, app)),
            ascii_only=app.ascii_only,
        )
        self.theme_before = app.theme

    def on_choice_list_moved(self, event: ChoiceList.Moved) -> None:
        """Try the theme under the cursor on."""
        if event.choice_list is self.options:
            self._try_on()

    def narrow(self) -> None:
        """Show what answers the text, and a theme that comes under the cursor so."""
        super().narrow()
        self._try_on()

    def _try_on(self) -> None:
        kind, _, name = (self.options.current or self.header).id.partition(":")
        self._show(name if kind == "theme" else self.theme_before)

    def _show(self, theme: str) -> None:
        if self.app.theme != theme:
            self.app.theme = theme

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close; a theme that was only tried on goes."""
        self._show(self.theme_before)
        return super().dismiss(result)
