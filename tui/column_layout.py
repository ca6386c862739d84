"""Which columns have room on a line, and where they stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tui.columns import COLUMNS, Column, clamp_width, priority

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GAP = 1
LEAD = 4
"""Cells before the first column: cursor, mark, kind, space."""
SPACIOUS = 11
"""Columns of lower priority come only when the names have got their room."""
WANTED = {"server": 9, "hardware": 4}
"""Cells above the minimum that make most names readable."""
COST = 2
"""Priority of the cost that stays to the last, and of what it cannot be read without."""
FIRM = 8
"""Columns up to this priority are worth more than the longer form of another."""
USUAL = tuple(column for column in COLUMNS if not column.optional)


class Placed(NamedTuple):
    """A column with the place it got on the line."""

    column: Column
    x: int
    width: int

    @property
    def wide(self) -> bool:
        """Whether there is room for the longer form."""
        return bool(self.column.wide_width) and self.width >= self.column.wide_width


class Layout(NamedTuple):
    """The placed columns, and whether more wait to the left and to the right."""

    placed: list[Placed]
    left: bool
    right: bool


def layout(
    total: int,
    offset: int = 0,
    columns: Sequence[Column] = USUAL,
    *,
    widths: Mapping[str, int] | None = None,
    unit: str = "per_million",
    wide: bool = False,
) -> Layout:
    """Place columns on a line of `total` cells: whole columns by priority, never a clipped one.

    `offset` scrolls that many columns off on the left; columns that had no room then appear on the right.
    `widths` are the user's own; `wide` allows the longer forms where no important column goes for them.
    """
    sized = [_sized(column, widths or {}) for column in columns]
    plain = _place(total, offset, sized, unit)
    if not wide:
        return plain
    longer = [
        replace(column, width=column.wide_width) if column.wide_width > column.width else column for column in sized
    ]
    found = _place(total, offset, longer, unit)
    firm = {place.column.id for place in plain.placed if priority(place.column, unit)[0] <= FIRM}
    return found if firm <= {place.column.id for place in found.placed} else plain


def _sized(column: Column, widths: Mapping[str, int]) -> Column:
    if column.id not in widths:
        return column
    return replace(column, width=clamp_width(column, widths[column.id]), max_width=0)


def _place(total: int, offset: int, columns: Sequence[Column], unit: str) -> Layout:
    frozen, rest = columns[0], columns[1:]
    ranked = sorted(rest, key=lambda column: priority(column, unit))
    # A name made wide must not push out what it costs: the unit stays with it.
    least = sum(column.width + GAP for column in rest if priority(column, unit)[0] <= COST)
    first = max(min(frozen.width, total - LEAD - (least if total - LEAD - least >= _LEAST_NAME else 0)), 1)
    room = total - LEAD - first
    shown_ids: set[str] = set()
    free = room
    for column in ranked:
        wanted = sum(WANTED.values()) if column.priority > SPACIOUS and not column.optional else 0
        if column.width + GAP + wanted > free:
            break
        shown_ids.add(column.id)
        free -= column.width + GAP
    # What fits keeps its order; what does not follows behind, most important first, for scrolling.
    line = [column for column in rest if column.id in shown_ids]
    line += [column for column in ranked if column.id not in shown_ids]
    offset = max(0, min(offset, len(line) - 1)) if line else 0
    shown = line[: len(shown_ids)]
    if offset:
        shown, free = [], room
        for column in line[offset:]:
            if column.width + GAP > free:
                break
            shown.append(column)
            free -= column.width + GAP
    sizes = {column.id: column.width for column in (frozen, *shown)}
    sizes[frozen.id] = first
    flexible = [column for column in (frozen, *shown) if column.max_width]
    # The name grows twice as fast: it tells offers apart.
    while free > 0 and (growing := [column for column in flexible if sizes[column.id] < column.max_width]):
        for column in [
            *growing,
            *(column for column in growing if column is frozen and sizes[column.id] + 1 < column.max_width),
        ]:
            if free > 0:
                sizes[column.id] += 1
                free -= 1
    placed, x = [], LEAD
    for column in (frozen, *shown):
        placed.append(Placed(column, x, sizes[column.id]))
        x += sizes[column.id] + GAP
    return Layout(placed, offset > 0, offset + len(shown) < len(line))


_LEAST_NAME = 5
"""Cells of a server's name that still say something."""
