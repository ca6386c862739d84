"""What the dashboard's single lines say: status and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.key_list import BY_ID
from tui.keys import first, footer_keys, hints, while_typing
from tui.rows import describe_sort
from tui.widgets.line import Part

if TYPE_CHECKING:
    from tui.session import Session


WORKLOAD_KEYS = (
    ("edit", "workload.edit"),
    ("model", "workload.model"),
    ("workloads", "workload.preset"),
    ("quant", "quant.lower", "quant.higher"),
    ("traffic", "traffic.halve", "traffic.double"),
    ("prompt", "prompt.halve", "prompt.double"),
    ("undo", "workload.undo"),
)
"""What stands on the workload's frame: a word and the commands it stands for."""


TOUR = (
    ("workload.edit", "change the workload"),
    ("filter.edit", "filter"),
    ("details.open", "details"),
    ("help", "help"),
)
"""What a first start points at, until something was done."""


def workload_keys(ascii_only: bool) -> str:
    """The keys that change the workload, for its frame."""
    return fmt.shown(hints(*WORKLOAD_KEYS), ascii_only=ascii_only)


def status(
    session: Session,
    index: int | None,
    position: int,
    hidden: tuple[bool, bool],
    *,
    touring: bool,
    carried: bool = False,
) -> list[Part]:
    """Where the cursor is, why its offer falls short, the order, and what the marks mean."""
    rows = session.rows
    if rows is None or session.comparison is None:
        return []
    view = session.view
    parts: list[Part] = []
    if index is not None:
        parts.append(Part(f"{position + 1:,}/{len(rows):,}", "text", 1))
    if carried:
        parts.append(Part(f"{first('move.first')} to the first", "accent", 1))
    if marked := len(session.marked()):
        parts.append(Part(f"{marked:,} marked", "accent", 2, "compare"))
    parts.append(
        Part(
            f"by {describe_sort(view.sort, descending=view.descending, currency=session.comparison.terms.currency)}",
            "text",
            3,
        )
    )
    reason = rows.reason(index) if index is not None else ""
    if reason:
        parts.append(Part(f"! {reason}", "miss", 0))
    elif touring:
        parts.append(Part(_tour(), "text", 2))
    unknown = session.counts().unknown
    if unknown:
        told = f"{unknown:,} of unknown hardware: no estimate"
        parts.append(Part(told, "muted", 5, short=f"{unknown:,} unknown hardware"))
    if session.regionless:
        told = f"{session.regionless:,} more {'state' if session.regionless > 1 else 'states'} no region"
        parts.append(Part(told, "muted", 4, short=f"{session.regionless:,} without region"))
    if not reason:  # the reason is worth more room than the legend
        legend = f"≈ estimated  ! misses target (N: over {MOST_SERVERS})  * check price"
        parts.append(Part(legend, "muted", 6, right=True, short="≈ est  ! misses  * check price"))
        parts.append(Part("·u per user  Σ all users", "muted", 7, right=True))
    if any(hidden):
        parts.append(Part(f"{first('columns.left')} {first('columns.right')} columns", "muted", 4, right=True))
    return parts


def _tour() -> str:
    return " · ".join(f"{first(name)} {text}" for name, text in TOUR)


TYPING: dict[str, tuple[tuple[str, ...], ...]] = {
    "workload": (("next field", "field.next"), ("step the value", "field.up", "field.down"), ("keep", "field.keep"),
                 ("take back", "field.cancel")),
    "filter": (("keep", "filter.keep"), ("clear", "back"), ("complete", "filter.complete"),
               ("filters used before", "filter.older", "filter.newer")),
    "jump": (("stay there", "jump.stay"), ("go back", "back"), ("other matches", "jump.previous", "jump.next")),
}  # fmt: skip
"""The footer while something is typed."""


def _plot_keys(*, whole: bool) -> tuple[tuple[str, ...], ...]:
    """The footer while the plot has the focus."""
    return (
        ("along the points", "plot.before", "plot.after"),
        ("to the offer in the table", "plot.table"),
        *([("as text", "plot.text")] if whole else []),
        ("next plot", "plot.next"),
        ("back" if whole else "whole screen", "pane.zoom"),
        ("table", "back"),
        ("more traffic", "traffic.double"),
        ("help", "help"),
    )


WIDGETS = frozenset({"workload", "filter", "jump", "plot"})
"""Places whose actions a screen does not know: a click on such a key does nothing."""


def commands(*pairs: tuple[str, ...]) -> list[Part]:
    """Words and the commands they stand for, most important first; a click on a key runs it, and on a word the last one."""
    parts: list[Part] = []
    for keep, (words, *names) in enumerate(pairs, 1):
        action = ""
        for number, key in enumerate(BY_ID[name] for name in names):
            action = key.command if key.where not in WIDGETS else ""
            parts.append(Part(" " * bool(number) + first(key.id), "key", keep, action, joined=bool(number)))
        parts.append(Part(f" {words}", "muted", joined=True, action=action))
    return parts


def keys(mode: str) -> list[Part]:
    """The footer: the keys that matter now, most important last to go."""
    if mode in TYPING:
        *parts, key, words = commands(*TYPING[mode], ("help", "help"))
        return [*parts, key._replace(text=while_typing("help")), words]
    if mode.startswith("plot"):
        return commands(*_plot_keys(whole=mode != "plot-beside"))
    return commands(*((key.label, key.id) for key in footer_keys()))
