"""The table's columns: what each shows, how wide it is, which go first when the terminal is narrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from models.practical import MOST_SERVERS
from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.rows import Rows


class Cell(NamedTuple):
    """One cell: its text, the one-letter mark behind a number, and the tone that repeats what glyph or mark say."""

    text: str
    mark: str = ""
    tone: str = "text"


EMPTY = Cell(fmt.MISSING, "", "faint")
TIGHT_SHARE = 0.90
"""From this share of the memory on a fit is called tight."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; widths are terminal cells, the mark's place included."""

    id: str
    header: str
    """`{c}` stands for the currency's sign."""
    cell: Callable[[Rows, int], Cell]
    sort: str
    """The comparison column behind it."""
    priority: int
    """1 stays longest on a narrow terminal; display order is the order of the list."""
    width: int
    """Its title and the arrow of the sorted column always have room."""
    help: str
    max_width: int = 0
    """Names grow up to this width where there is room; 0 = fixed."""
    right: bool = True
    marked: bool = False
    """Keeps one cell behind the number for a mark."""
    tail: int | None = None
    """A text too long loses its middle and keeps its end, as in format.shorten_middle: the end tells offers apart."""
    largest_first: bool = False
    """The first click sorts the largest first, where more is better."""

    def title(self, sign: str) -> str:
        """The header in the comparison's currency."""
        return self.header.replace("{c}", sign)


def _server(rows: Rows, i: int) -> Cell:
    return Cell(fmt.clean(rows.server(i)) or fmt.MISSING, "", "strong")


def _provider(rows: Rows, i: int) -> Cell:
    return Cell(fmt.clean(rows.offer(i).provider) or fmt.MISSING)


def _region(rows: Rows, i: int) -> Cell:
    offer = rows.offer(i)
    text = offer.region or offer.region_group
    return Cell(fmt.clean(text), "", "muted") if text else EMPTY


def _hardware(rows: Rows, i: int) -> Cell:
    return Cell(fmt.clean(rows.hardware(i)))


def _term(rows: Rows, i: int) -> Cell:
    return Cell(rows.term(i), "", "muted")


def _fit(rows: Rows, i: int) -> Cell:
    used = rows.value("memory_used_share", i)
    if used is None:
        return EMPTY
    text = fmt.share(used)
    if not rows.flag("fits", i):
        return Cell(f"✗ {text:>3}", "", "miss")
    return Cell(f"~ {text:>3}" if used >= TIGHT_SHARE else f"✓ {text:>3}", "", "good")


def _ttft(rows: Rows, i: int) -> Cell:
    value = rows.value("ttft_ms", i)
    if value is None:
        return EMPTY
    target = rows.workload.ttft_ms
    return _speed(rows, i, fmt.seconds(value), missed=target is not None and value > target)


def _user_speed(rows: Rows, i: int) -> Cell:
    value = rows.value("tokens_per_s_user", i)
    if value is None:
        return EMPTY
    target, tpot = rows.workload.tpot_ms, rows.value("tpot_ms", i)
    return _speed(rows, i, fmt.number(value), missed=target is not None and tpot is not None and tpot > target)


def _speed(rows: Rows, i: int, text: str, *, missed: bool) -> Cell:
    if missed:
        return Cell(text, "!", "miss")
    return Cell(text, "m" if rows.measured(i) else "≈")


def _total_speed(rows: Rows, i: int) -> Cell:
    value = rows.value("output_tokens_per_s", i)
    return EMPTY if value is None else Cell(fmt.number(value))


def _users(rows: Rows, i: int) -> Cell:
    value = rows.value("max_concurrency", i)
    return EMPTY if value is None else Cell(fmt.whole(value), "", "text" if value else "miss")


def _servers(rows: Rows, i: int) -> Cell:
    value = rows.value("servers_needed", i)
    if value is None:
        return EMPTY
    if value > MOST_SERVERS:
        return Cell(fmt.short_count(value), "!", "miss")
    return Cell(fmt.count(value))


def _month(rows: Rows, i: int) -> Cell:
    value = rows.value("monthly_cost", i)
    return EMPTY if value is None else Cell(fmt.number(value), "*" if rows.old(i) else "")


def _per_million(rows: Rows, i: int) -> Cell:
    value = rows.value("cost_per_m_output_tokens", i)
    return EMPTY if value is None else Cell(fmt.number(value, decimals=3), "", "strong")


def _load(rows: Rows, i: int) -> Cell:
    value = rows.value("load_s", i)
    return EMPTY if value is None else Cell(fmt.number(value, decimals=1))


def _age(rows: Rows, i: int) -> Cell:
    value = rows.value("price_age_days", i)
    if value is None:
        return Cell("undated", "", "miss")
    return Cell(fmt.age(value), "*" if rows.old(i) else "", "text" if rows.old(i) else "muted")


COLUMNS: tuple[Column, ...] = (
    Column(
        "server",
        "Server",
        _server,
        "server",
        1,
        12,
        "the provider's own name; ● GPU server, ○ CPU server",
        30,
        right=False,
        tail=0,
    ),
    Column("provider", "Provider", _provider, "provider", 11, 10, "who sells it", 13, right=False),
    Column("region", "Where", _region, "region", 12, 8, "region, as the provider names it", 14, right=False),
    Column(
        "hardware",
        "Hardware",
        _hardware,
        "hardware",
        6,
        18,
        "GPUs with their memory, or CPU cores (c) or vCPUs (v) and RAM",
        34,
        right=False,
        tail=-2,
    ),
    Column(
        "fit",
        "Fit %",
        _fit,
        "memory_used_share",
        3,
        6,
        "share of the memory used: ✓ holds the model, ~ tight (90 % or more), ✗ does not",
    ),
    Column(
        "ttft",
        "TTFT s",
        _ttft,
        "ttft_ms",
        5,
        7,
        "time to the first token at this traffic, mean, seconds; ! misses the target",
        marked=True,
    ),
    Column(
        "user_speed",
        "tok/s·u",
        _user_speed,
        "tokens_per_s_user",
        4,
        8,
        "output tokens per second that each user sees; ! misses the target",
        marked=True,
        largest_first=True,
    ),
    Column(
        "total_speed",
        "tok/s Σ",
        _total_speed,
        "output_tokens_per_s",
        10,
        8,
        "output tokens per second of one server at its share of the traffic",
        largest_first=True,
    ),
    Column(
        "users",
        "Users",
        _users,
        "max_concurrency",
        9,
        6,
        "concurrent requests one server holds inside the targets",
        largest_first=True,
    ),
    Column(
        "servers",
        "N",
        _servers,
        "servers_needed",
        8,
        4,
        "servers needed for the traffic; ! more than 50: not practical",
        marked=True,
    ),
    Column("term", "Term", _term, "term", 13, 9, "on-demand, spot, monthly, reserved (months)", right=False),
    Column("load", "Load s", _load, "load_s", 14, 7, "seconds to load the weights from its disk"),
    Column(
        "month",
        "{c}/mo",
        _month,
        "monthly_cost",
        7,
        7,
        "cost of all servers needed for a month; * price older than 180 days, or not to be had now",
        marked=True,
    ),
    Column(
        "per_million",
        "{c}/Mtok",
        _per_million,
        "cost_per_m_output_tokens",
        2,
        7,
        "cost of a million output tokens at this traffic",
    ),
    Column("age", "Age", _age, "price_age_days", 15, 8, "how old the price is; * older than 180 days", marked=True),
)

BY_ID = {column.id: column for column in COLUMNS}
GAP = 1
LEAD = 3
"""Cells before the first column: cursor, kind, space."""


SPACIOUS = 12
"""Columns of lower priority come only when the names have got their room."""
WANTED = {"server": 8, "hardware": 4}
"""Cells above the minimum that make most names readable."""


class Placed(NamedTuple):
    """A column with the place it got on the line."""

    column: Column
    x: int
    width: int


def layout(total: int, offset: int = 0, columns: tuple[Column, ...] = COLUMNS) -> tuple[list[Placed], bool, bool]:
    """Place columns on a line of `total` cells: whole columns by priority, never a clipped one.

    `offset` scrolls that many columns off on the left; columns that had no room then appear on the right.
    Returns the placed columns and whether more exist to the left and to the right.
    """
    frozen, rest = columns[0], columns[1:]
    room = total - LEAD - min(frozen.width, max(total - LEAD, 1))
    chosen: set[str] = set()
    free = room
    for column in sorted(rest, key=lambda column: column.priority):
        wanted = sum(WANTED.values()) if column.priority > SPACIOUS else 0
        if column.width + GAP + wanted > free:
            break
        chosen.add(column.id)
        free -= column.width + GAP
    # What fits keeps its order; what does not follows behind, most important first, for scrolling.
    line = [column for column in rest if column.id in chosen]
    line += sorted((column for column in rest if column.id not in chosen), key=lambda column: column.priority)
    offset = max(0, min(offset, len(line) - 1)) if line else 0
    shown = line[: len(chosen)]
    if offset:
        shown, free = [], room
        for column in line[offset:]:
            if column.width + GAP > free:
                break
            shown.append(column)
            free -= column.width + GAP
    widths = {column.id: column.width for column in (frozen, *shown)}
    widths[frozen.id] = min(frozen.width, max(total - LEAD, 1))
    flexible = [column for column in (frozen, *shown) if column.max_width]
    while free > 0 and (growing := [column for column in flexible if widths[column.id] < column.max_width]):
        for column in growing:
            if free > 0:
                widths[column.id] += 1
                free -= 1
    placed, x = [], LEAD
    for column in (frozen, *shown):
        placed.append(Placed(column, x, widths[column.id]))
        x += widths[column.id] + GAP
    return placed, offset > 0, offset + len(shown) < len(line)
