"""What the workload's bar says where: the grid of fields, or one line of summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from tui import format as fmt
from tui.input_text import show_traffic, show_traffic_narrow, show_ttft, show_user_speed
from tui.inputs import FIELDS
from tui.text import shorten, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.traffic import Workload
    from tui.inputs import Field
    from tui.text import TextLine

MESSAGE_LINES = 2
"""Lines under the fields for a hint or an error."""
SHORTEST_NAME = 8
"""Cells of a model's name that still tell it from others."""


class Spot(NamedTuple):
    """Where a field stands: its label at (x, y), its value behind."""

    field: Field
    x: int
    y: int
    label: int
    value: int
    """Width of the value."""


def arrange(width: int) -> tuple[list[Spot], int]:
    """Fields on a grid of as many columns as the width allows; returns the places and the number of lines."""
    columns = next(
        (columns for columns, needed in ((13, 221), (7, 112), (5, 88), (4, 72), (3, 48)) if width >= needed), 2
    )
    size = width // columns
    label_of_column: dict[int, int] = {}
    slots: list[tuple[Field, int, int, int]] = []
    column = line = 0
    for field in FIELDS:
        span = 2 if field.wide else 1
        if column + span > columns:
            column, line = 0, line + 1
        slots.append((field, column, line, span))
        label_of_column[column] = max(label_of_column.get(column, 0), cell_len(field.label))
        column += span
    spots = []
    for field, place, y, span in slots:
        label = label_of_column[place] + 1
        spots.append(Spot(field, place * size, y, label, max(span * size - label - 1, 3)))
    return spots, line + 1


def spot_at(spots: Sequence[Spot], x: int, y: int) -> Spot | None:
    """The field whose label or value stands at a place."""
    return next((one for one in spots if one.y == y and one.x <= x < one.x + one.label + one.value + 1), None)


def message(field: Field, workload: Workload, error: str, width: int) -> list[TextLine]:
    """What stands under the fields: the hint of the field in work, or what is wrong with its value."""
    tone, text = ("miss", f"! {error}") if error else ("muted", field.hint_for(workload))
    lines = wrap([(text, tone)], width)
    if len(lines) <= MESSAGE_LINES:
        return lines
    kept = lines[:MESSAGE_LINES]
    return [*kept[:-1], shorten([*kept[-1], (" " * width, tone)], width)]


def summary(workload: Workload, width: int) -> list[tuple[str, str]]:
    """The workload in one line of `width` cells for narrow terminals, as toned spans.

    All that differs from its default is said. What it says gets shorter before anything goes, and what goes leaves an ellipsis.
    """
    name, quant = fmt.clean(workload.model.name), workload.quant
    for level in range(4):
        parts = _summary_parts(workload, level)
        gap = " · " if level < 2 else " "
        rest = "".join(f"{gap}{text}" for text in parts)
        room = width - cell_len(f" {quant}{rest}")
        if cell_len(name) <= room or (level == 3 and room >= SHORTEST_NAME):
            return [(f"{fmt.shorten_middle(name, room)} {quant}", "strong"), (rest, "text")]
    cut = fmt.fit_width(f"{name} {quant}{rest}", max(width, 1))
    return [(cut[: len(f"{name} {quant}")], "strong"), (cut[len(f"{name} {quant}") :], "text")]


def _summary_parts(workload: Workload, level: int) -> list[str]:
    """What follows the model's name: at level 0 in full, at each further level in fewer cells."""
    parts = []
    if workload.kv_quant != "16bit":
        parts.append(f"KV {workload.kv_quant}")
    if workload.engine != "auto":
        parts.append(workload.engine)
    if workload.prefix_hit:
        cached = fmt.plain(workload.prefix_hit * 100, 3)
        parts.append(f"cached {cached} %" if level == 0 else f"cached {cached}%")
    if workload.utilization != 1:
        share = fmt.plain(workload.utilization * 100, 3)
        parts.append(f"util {share} %" if level == 0 else f"util {share}%")
    parts.append(f"{fmt.tokens(workload.input_tokens)}→{fmt.tokens(workload.output_tokens)}{'' if level else ' tok'}")
    parts.append(show_traffic_narrow(workload) if level else show_traffic(workload))
    if workload.ttft_ms is not None:
        parts.append(f"TTFT≤{show_ttft(workload).replace(' ', '')}")
    if workload.tpot_ms is not None:
        parts.append(f"≥{show_user_speed(workload)}{' tok/s·u' if level == 0 else ' t/s' if level < 3 else 't/s'}")
    return parts
