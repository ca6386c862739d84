"""The table's columns: what each shows, how wide it is, which stay longest when the terminal is narrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui import cells
from tui.cells import CHECK_PRICE, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.rows import Rows
    from tui.state import ViewState

__all__ = ["BY_ID", "COLUMNS", "COSTS", "OPTIONAL_PRIORITY", "Cell", "Column", "chosen", "clamp_width", "priority"]


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
    optional: bool = False
    """Shown only where the user has asked for it."""
    wide_cell: Callable[[Rows, int], Cell] | None = None
    """A longer form for wide terminals."""
    wide_width: int = 0

    def title(self, sign: str) -> str:
        """The header in the comparison's currency."""
        return self.header.replace("{c}", sign)


COLUMNS: tuple[Column, ...] = (
    Column("server", "Server", cells.server, "server", 1, 11,
           "the provider's own name; ● GPU server, ○ CPU server", 30, right=False, tail=0),
    Column("provider", "Provider", cells.provider, "provider", 10, 10, "who sells it", 13, right=False),
    Column("region", "Where", cells.region, "region", 11, 8, "region, as the provider names it", 14, right=False),
    Column("group", "Area", cells.words("region_group"), "region_group", 16, 5,
           "part of the world: eu (Europe, not the Union), us (with Canada), asia, other", right=False, optional=True),
    Column("hardware", "Hardware", cells.hardware, "hardware", 6, 18,
           "GPUs with their memory, or CPU cores (c) or vCPUs (v) and RAM", 34, right=False, tail=-2),
    Column("cores", "Cores", cells.amount("cores"), "cores", 17, 6,
           "physical CPU cores, where the provider states them", largest_first=True, optional=True),
    Column("vcpus", "vCPUs", cells.amount("vcpus"), "vcpus", 18, 6,
           "virtual CPUs, where the provider states them", largest_first=True, optional=True),
    Column("ram", "RAM GB", cells.amount("ram_gib"), "ram_gib", 19, 7, "host memory", largest_first=True, optional=True),
    Column("vram", "VRAM GB", cells.amount("vram_gib"), "vram_gib", 20, 8,
           "memory of all GPUs of the server", largest_first=True, optional=True),
    Column("bandwidth", "GB/s", cells.figure("memory_gb_s"), "memory_gb_s", 21, 6,
           "memory bandwidth: all GPUs together, or one CPU socket as reckoned with", largest_first=True, optional=True),
    Column("fit", "Fit %", cells.fit, "memory_used_share", 3, 6,
           "share of the memory used: ✓ holds the model, ~ tight (90 % or more), ✗ does not", wide_cell=cells.fit_bar, wide_width=13),
    Column("context", "Context", cells.amount("max_context"), "max_context", 22, 8,
           "longest context that fits, tokens", largest_first=True, optional=True),
    Column("ttft", "TTFT s", cells.ttft, "ttft_ms", 5, 7,
           "time to the first token at this traffic, mean, seconds; ! misses the target", marked=True),
    Column("ttft_band", "TTFT low–high", cells.ttft_band, "ttft_ms_high", 23, 14,
           "time to the first token, low and high estimate, seconds; sorts by the high one", optional=True),
    Column("ttft_p95", "TTFT p95", cells.ttft_p95, "ttft_p95_ms", 24, 9,
           "time to the first token that 95 of 100 requests stay below, seconds; ! misses the target", marked=True, optional=True),
    Column("tpot", "TPOT ms", cells.tpot, "tpot_ms", 25, 9,
           "time between the output tokens of a request, milliseconds; ! misses the target", marked=True, optional=True),
    Column("user_speed", "tok/s·u", cells.user_speed, "tokens_per_s_user", 4, 8,
           "output tokens per second that each user sees; ! misses the target", marked=True, largest_first=True),
    Column("total_speed", "tok/s Σ", cells.total_speed, "output_tokens_per_s", 12, 8,
           "output tokens per second of one server at its share of the traffic", largest_first=True),
    Column("users", "Users", cells.users, "max_concurrency", 9, 6,
           "concurrent requests one server holds inside the targets", largest_first=True),
    Column("rps", "req/s max", cells.figure("requests_per_s_at_target"), "requests_per_s_at_target", 26, 10,
           "requests per second one server answers inside the targets", largest_first=True, optional=True),
    Column("limit", "Limit", cells.said("bound_by"), "bound_by", 27, 9, "what limits the speed", 16, right=False, optional=True),
    Column("engine", "Engine", cells.said("engine_used"), "engine_used", 28, 9,
           "the engine reckoned with", 14, right=False, optional=True),
    Column("servers", "N", cells.servers, "servers_needed", 7, 4,
           "servers needed for the traffic; ! more than 50: not practical", marked=True),
    Column("use", "Use %", cells.figure("utilization", decimals=1, scale=100.0), "utilization", 29, 6,
           "share of the servers that the traffic uses", optional=True),
    Column("term", "Term", cells.term, "term", 13, 9, "on-demand, spot, monthly, reserved (months)", right=False),
    Column("commitment", "Months", cells.amount("commitment_months"), "commitment_months", 30, 7,
           "months one has to stay", optional=True),
    Column("tier", "Tier", cells.words("tier"), "tier", 31, 9,
           "the provider's class, as secure or community", 14, right=False, optional=True),
    Column("load", "Load s", cells.load, "load_s", 14, 7, "seconds to load the weights from its disk"),
    Column("hour", "{c}/h", cells.hour, "hourly_cost", 32, 7,
           f"cost of all servers needed for an hour; * {CHECK_PRICE}", marked=True, optional=True),
    Column("month", "{c}/mo", cells.month, "monthly_cost", 8, 7,
           f"cost of all servers needed for a month; * {CHECK_PRICE}", marked=True),
    Column("per_million", "{c}/Mtok", cells.per_million, "cost_per_m_output_tokens", 2, 7,
           "cost of a million output tokens at this traffic"),
    Column("full_load", "{c}/M full", cells.figure("cost_per_m_output_tokens_full_load", decimals=3),
           "cost_per_m_output_tokens_full_load", 33, 10,
           "the same with every server used in full", optional=True),
    Column("age", "Age", cells.age, "price_age_days", 15, 8, f"how old the price is; * {CHECK_PRICE}", marked=True),
)  # fmt: skip

BY_ID = {column.id: column for column in COLUMNS}

_TOTALS = frozenset({"month", "hour"})
COSTS = ("per_million", "month", "hour")
"""The cost columns that can be the unit, which is shown to the last."""
OPTIONAL_PRIORITY = 5.5
"""Who asks for a column wants to see it: it goes after the speeds, before all that is there by default."""
_SECOND_COST = 6.5
"""A million tokens' price where it is not the unit."""
_NARROWEST_TEXT, _WIDEST = 5, 60


def priority(column: Column, unit: str) -> tuple[float, int]:
    """Which columns stay longest: smaller is longer."""
    if column.id == unit:
        return 2, 0
    if column.id == "servers" and unit in _TOTALS:
        return 2, -1  # the cost of all servers says little without how many they are
    if column.id == "per_million":
        return _SECOND_COST, 0
    return OPTIONAL_PRIORITY if column.optional else column.priority, column.priority


def chosen(view: ViewState) -> tuple[Column, ...]:
    """The columns to show, in order: those the user has chosen, else the usual ones. Server comes first; the cost unit is there."""
    ids = [name for name in dict.fromkeys(view.columns) if name in BY_ID and name != "server"]
    if not ids:
        ids = [column.id for column in COLUMNS if not column.optional or column.id == view.unit]
        return tuple(BY_ID[name] for name in ids)
    return tuple(BY_ID[name] for name in ("server", *ids, *(() if view.unit in ids else (view.unit,))))


def clamp_width(column: Column, width: int) -> int:
    """A width that the column can have: texts may be cut, numbers never."""
    return max(_NARROWEST_TEXT if not column.right else column.width, min(width, _WIDEST))


def markdown() -> str:
    """The column table of the README: the usual ones by priority, those that have to be asked for, those of files only."""
    from pricing.asked import COLUMNS as ASKED  # the dashboard itself does not need them

    lines = ["| column | is |", "|---|---|"]
    for column in sorted(COLUMNS, key=lambda column: (column.optional, column.priority)):
        asked = " *(with `.`)*" if column.optional else ""
        meaning = column.help.replace("|", "\\|")
        lines.append(f"| **{column.title('$')}** | {meaning}{asked} |")
    lines += [f"| **{name}** | {meaning} *(in CSV and JSON)* |" for name, meaning in ASKED.items()]
    return "\n".join(lines)
