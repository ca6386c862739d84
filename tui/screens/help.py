"""The help: every key, every column, what the words mean; made from the same lists that make the keys and the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui import format as fmt
from tui.columns import COLUMNS
from tui.keys import BINDINGS, GROUPS
from tui.text import wrap

if TYPE_CHECKING:
    from tui.text import TextLine

FILTER_GRAMMAR = (
    ("word", "in the name of server, provider, region or hardware; several words must all be there"),
    ("gpu  cpu  spot  monthly", "kind or term; !spot is everything but"),
    ("provider:hetzner region:eu", "one provider, one region or its beginning"),
    ("gpu>=24  n <= 2  $/mo<900", "a figure, with < <= > >= = !="),
)
SIGNS = (
    ("≈  m", "≈ is estimated; m rests on a measurement of this set-up. The details give low and high of every speed."),
    ("!  *", "! misses a target (by N: more than 50 servers); * the price is older than 180 days."),
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
    ("cursor", "Stays on the offer you moved it to when the order changes; on the first line it stays there: g."),
    (
        "prices",
        "Each carries its date. Undated ones and those older than 24 months are hidden until v. Nothing is fetched until r.",
    ),
)
CONTEXT = {
    "workload": "You are editing the workload. Tab and shift+Tab change the field, ↑ ↓ step its value, enter keeps it, esc takes it back.",
    "filter": "You are typing a filter. It acts while you type; enter keeps it, esc clears it.",
    "details": "You are in the details. ↑ ↓ scroll, Tab goes back to the table, enter shows them on the full screen.",
    "table": "The table is sorted by the column with the arrow. Move with ↑ ↓, sort with s, 1-9 or a click on a header.",
}


def help_lines(width: int, context: str = "table") -> list[TextLine]:
    """The whole help for a pane of `width` cells."""
    from pricing.where import NUMBER_HELP, TEXT_HELP  # the start does not need it

    lines: list[TextLine] = [*wrap([(CONTEXT.get(context, ""), "text")], width), []]
    label = 12 if width >= 60 else 9
    lines.append([("What the signs mean", "accent")])
    for sign, meaning in SIGNS:
        lines += _entry(sign, meaning, width, label, "strong")
    lines.append([])
    for group in GROUPS:
        lines.append([(group, "accent")])
        for key in BINDINGS:
            if key.group == group:
                lines += _entry(key.shown, key.help, width, label, "key")
        lines.append([])
    label = 30 if width >= 80 else 14
    lines.append([("Filter  (/)", "accent")])
    for text, meaning in FILTER_GRAMMAR:
        lines += _entry(text, meaning, width, label, "strong")
    for heading, fields in (("numbers", NUMBER_HELP), ("texts", TEXT_HELP)):
        lines.append([(f"  {heading}", "muted")])
        for name, meaning in fields:
            lines += _entry(name, meaning, width, 14, "strong")
    lines += [[], *wrap([("Columns, those that stay longest on a narrow terminal first", "accent")], width)]
    for column in sorted(COLUMNS, key=lambda column: column.priority):
        lines += _entry(column.title("$"), column.help, width, 12, "strong")
    lines += [[], [("What the words mean", "accent")]]
    for word, meaning in MEANINGS:
        lines += _entry(word, meaning, width, 12, "strong")
    return lines


def _entry(head: str, text: str, width: int, label: int, tone: str) -> list[TextLine]:
    if cell_len(head) > label - 4:  # two cells before it and two behind
        return [
            [("  " + head, tone)],
            *([(" " * label, "text"), *line] for line in wrap([(text, "text")], width - label)),
        ]
    wrapped = wrap([(text, "text")], width - label)
    first: TextLine = [(fmt.fit_width("  " + head, label), tone), *wrapped[0]]
    return [first, *([(" " * label, "text"), *line] for line in wrapped[1:])]
