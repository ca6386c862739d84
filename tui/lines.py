"""What the dashboard's single lines say: status, keys, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.keys import first, footer_keys, while_typing
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
    text = " · ".join(f"{' '.join(first(name) for name in names)} {label}" for label, *names in WORKLOAD_KEYS)
    return fmt.to_ascii(text) if ascii_only else text


def status(
    session: Session, index: int | None, position: int, hidden: tuple[bool, bool], *, touring: bool
) -> list[Part]:
    """Where the cursor is, why its offer falls short, the order, and what the marks mean."""
    rows = session.rows
    if rows is None or session.comparison is None:
        return []
    view = session.view
    parts: list[Part] = []
    if index is not None:
        parts.append(Part(f"{position + 1:,}/{len(rows):,}", "text", 1))
    if session.marks:
        parts.append(Part(f"{len(session.marks):,} marked", "accent", 2, "compare"))
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
    if not reason:  # the reason is worth more room than the legend
        legend = "≈ estimated  ! misses target  * old price"
        parts.append(Part(legend, "muted", 6, right=True, short="≈ est  ! misses  * old"))
        parts.append(Part("·u per user  Σ all users", "muted", 7, right=True))
    if any(hidden):
        parts.append(Part("← → columns", "muted", 4, right=True))
    return parts


def _tour() -> str:
    return " · ".join(f"{first(name)} {text}" for name, text in TOUR)


def plot_keys(*, whole: bool) -> list[tuple[str, str, str]]:
    """The footer while the plot has the focus: (keys, label, action)."""
    return [
        ("← →", "along the points", ""),
        (first("plot.table"), "to the offer in the table", ""),
        *([(first("plot.text"), "as text", "")] if whole else []),
        (first("plot.next"), "next plot", "next_plot(1)"),
        (first("pane.zoom"), "back" if whole else "whole screen", "zoom"),
        (first("back"), "table", "back"),
        (first("traffic.double"), "more traffic", "step_traffic(1)"),
        (first("help"), "help", "app.help"),
    ]


def keys(mode: str) -> list[Part]:
    """The footer: the keys that matter now, most important last to go."""
    if mode == "workload":
        pairs = [
            (first("field.next"), "next field", ""),
            (f"{first('field.up')} {first('field.down')}", "step the value", ""),
            (first("field.keep"), "keep", ""),
            (first("field.cancel"), "take back", ""),
            (while_typing("help"), "help", "app.help"),
        ]
    elif mode == "filter":
        pairs = [
            ("enter", "keep", ""),
            (first("back"), "clear", "back"),
            (first("filter.complete"), "complete", ""),
            ("↑ ↓", "filters used before", ""),
            (while_typing("help"), "help", "app.help"),
        ]
    elif mode == "jump":
        pairs = [
            ("enter", "stay there", ""),
            (first("back"), "go back", "back"),
            ("↑ ↓", "other matches", ""),
            (while_typing("help"), "help", "app.help"),
        ]
    elif mode.startswith("plot"):
        pairs = plot_keys(whole=mode != "plot-beside")
    else:
        pairs = [(first(key.id), key.label, key.command) for key in footer_keys()]
    parts: list[Part] = []
    for place, (shown, label, action) in enumerate(pairs):
        parts += [Part(shown, "key", place + 1, action), Part(f" {label}", "muted", joined=True, action=action)]
    return parts
