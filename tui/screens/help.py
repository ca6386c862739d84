"""The help: what the place one is at can do first, then every other key, every column and what the words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual.containers import Vertical
from textual.widgets import Input

from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.cells import CHECK_PRICE
from tui.columns import COLUMNS
from tui.key_list import BINDINGS, WHERES
from tui.keys import bindings, first, groups, hints
from tui.screens.dialog import Dialog
from tui.screens.text_screen import SCROLL
from tui.text import wrap
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.text import TextLine

FILTER_GRAMMAR = (
    ("word", "in the name of server, provider, region or hardware; several words must all be there"),
    ("gpu  cpu  spot  monthly", "kind or term; !spot is everything but"),
    ("provider:hetzner region:eu", "one provider, one region or its beginning"),
    ("gpu>=24  n <= 2  $/mo<900", "a figure, with < <= > >= = !="),
    ("h100|a100  cpu|gpus>=8", "the one or the other; ! in front turns the whole round"),
)
SIGNS = (
    ("≈  m", "≈ is estimated; m rests on a measurement of this set-up. The details give low and high of every speed."),
    ("!", f"Misses a target; by N: more than {MOST_SERVERS} servers, which is not practical."),
    ("*", f"Check: {CHECK_PRICE}."),
    ("tok/s·u", "Output tokens per second that each user sees."),
    ("tok/s Σ", "Output tokens per second of all users of one server together."),
    ("N", "Servers needed: the traffic divided by what one carries inside the targets, rounded up."),
    ("●  ○", "GPU server, CPU server. Hardware that the catalog does not know has no estimate."),
)
MEANINGS = (
    (
        "TTFT",
        "Time to the first token. At a rate: without a start burst. With users: each waits for an answer, then asks again.",
    ),
    (
        "TPOT",
        "Mean time between a request's output tokens after the first, with other requests' prompts in between. tok/s·u is 1000 / TPOT.",
    ),
    (
        "targets",
        "Compared with the mean. A server that misses one keeps its figures, has a ! and ranks behind all that meet them.",
    ),
    ("users", "The most requests at once that one server holds inside the targets."),
    (
        "cost",
        "Whole servers at a month's price, or 730 hours; per million tokens at your traffic. A setup fee is spread over 12 months.",
    ),
    (
        "order",
        "The cheapest for your traffic first: by $/Mtok at a rate, by $/mo with users, who ask faster where they are answered faster.",
    ),
    ("cursor", "Stays on the offer you moved it to when the order changes; on the first line it stays there."),
    ("prices", "Each carries its date. Undated ones and those older than 24 months are hidden at first."),
    ("memory", "Workload, filter, order, columns, marks and theme are kept for the next start."),
)
CONTEXT = {
    "workload": "You are editing the workload: every change is computed at once.",
    "filter": "You are typing a filter. It acts while you type.",
    "pane": "You are in the details beside the table.",
    "plot": "You are in the plot: the arrows go along its points, and the table goes with them.",
    "table": "You are in the table, which is sorted by the column with the arrow; a click on a header sorts too.",
}
MAIN = frozenset({"table", "dashboard", "app"})
"""Where the keys of the main screen are bound."""


class Entry(NamedTuple):
    """A word or key and what it means."""

    head: str
    text: str
    tone: str = "strong"


class Section(NamedTuple):
    """A heading and what stands under it."""

    title: str
    entries: list[Entry]
    label: int = 12
    """Cells of the first column."""


def first_steps() -> Section:
    """From nothing to the cheapest server for a model, why, and a file of it."""
    steps = (
        (first("workload.model"), f"choose the model; {first('workload.edit')} sets its traffic and targets"),
        (first("filter.fit"), "twice leaves servers that meet the targets; the first line is the cheapest"),
        (first("details.open"), "says why: memory, speed, cost, with sources and dates"),
        (first("export"), "writes what you see to a file"),
    )
    return Section("First steps: the cheapest server for a model", [Entry(*step, "key") for step in steps], 10)


def sections(where: str, width: int) -> list[Section]:
    """All of the help: what works here first."""
    from pricing.where_fields import NUMBER_HELP, TEXT_HELP  # the start does not need it

    wide = 30 if width >= 80 else 14
    label = 12 if width >= 60 else 9
    here = tuple(key for key in BINDINGS if key.where in WHERES.get(where, ("", (where,)))[1] and key.where not in MAIN)
    main = tuple(key for key in BINDINGS if key.where in MAIN)
    keys = [
        Section(group, [Entry(key.now, key.help, "key") for key in some], label) for group, some in groups(main).items()
    ]
    local = [
        Section(group, [Entry(key.now, key.help, "key") for key in some], label) for group, some in groups(here).items()
    ]
    signs = Section("What the signs mean", [Entry(*sign) for sign in SIGNS], label)
    grammar = [
        Section(f"Filter  ({first('filter.edit')})", [Entry(*line) for line in FILTER_GRAMMAR], wide),
        Section("Filter: numbers", [Entry(*field) for field in NUMBER_HELP], 14),
        Section("Filter: texts", [Entry(*field) for field in TEXT_HELP], 14),
    ]
    columns = sorted(COLUMNS, key=lambda column: column.priority)
    words = [
        Section(
            "Columns, those that stay longest on a narrow terminal first",
            [Entry(c.title("$"), c.help) for c in columns],
        ),
        Section("What the words mean", [Entry(*meaning) for meaning in MEANINGS]),
    ]
    if where == "filter":
        return [*local, *grammar, first_steps(), *keys, signs, *words]
    if local:
        return [*local, first_steps(), signs, *keys, *grammar, *words]
    return [first_steps(), signs, *keys, *grammar, *words]


def help_lines(width: int, where: str = "table", search: str = "") -> list[TextLine]:
    """The help for a pane of `width` cells; with a search only the entries that have all its words."""
    wanted = search.casefold().split()
    lines: list[TextLine] = []
    if not wanted and where in CONTEXT:
        lines += [*wrap([(CONTEXT[where], "text")], width), []]
    for section in sections(where, width):
        kept = [
            entry
            for entry in section.entries
            if all(word in f"{entry.head} {entry.text} {section.title}".casefold() for word in wanted)
        ]
        if not kept:
            continue
        lines += wrap([(section.title, "accent")], width)
        for entry in kept:
            lines += _entry(entry, width, section.label)
        lines.append([])
    return lines or [[(f"Nothing here about {fmt.clean(search)!r}.", "muted")]]


def _entry(entry: Entry, width: int, label: int) -> list[TextLine]:
    head, text, tone = entry
    if cell_len(head) > label - 4:  # two cells before it and two behind
        return [
            [("  " + head, tone)],
            *([(" " * label, "text"), *line] for line in wrap([(text, "text")], width - label)),
        ]
    wrapped = wrap([(text, "text")], width - label)
    start: TextLine = [(fmt.fit_width("  " + head, label), tone), *wrapped[0]]
    return [start, *([(" " * label, "text"), *line] for line in wrapped[1:])]


class HelpScreen(Dialog[None]):
    """The help for where the user is, which can be searched."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help")]
    where: ClassVar[str] = "help"

    def __init__(self, place: str, tones: dict[str, Style], *, ascii_only: bool = False) -> None:
        super().__init__(ascii_only=ascii_only)
        self.place = place
        self.tones = tones

    def compose(self) -> ComposeResult:
        """What is searched, once asked for, and the text."""
        with Vertical(classes="dialog tall") as dialog:
            place = WHERES.get(self.place, (self.place, ()))[0]
            keys = (("closes", "help.close"), ("searches", "help.search"), SCROLL)
            self.entitle(dialog, f"Help: {place}", hints(*keys))
            field = Input(placeholder="a word of what you look for", compact=True)
            field.display = False
            yield field
            yield TextPane(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show all of it."""
        pane = self.query_one(TextPane)
        pane.restyle(self.tones)
        pane.focus()
        self._show("")

    def _show(self, search: str) -> None:
        self.query_one(TextPane).show(lambda width: help_lines(width, self.place, search), keep_place=False)

    def action_search(self) -> None:
        """Type what is looked for."""
        field = self.query_one(Input)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep what has all words typed."""
        self._show(event.value)

    def on_input_submitted(self) -> None:
        """Read on."""
        self.query_one(TextPane).focus()

    def action_close(self) -> None:
        """Take the search back, or close."""
        field = self.query_one(Input)
        if field.display:
            field.display = False
            field.value = ""
            self.query_one(TextPane).focus()
        else:
            self.dismiss(None)
