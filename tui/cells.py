"""What a cell says: the facts of one offer as a short text, its mark and its tone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from models.practical import STALE_DAYS
from tui import format as fmt

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.rows import Rows


class Cell(NamedTuple):
    """One cell: its text, the one-letter mark behind a number, and the tone that repeats what glyph or mark say."""

    text: str
    mark: str = ""
    tone: str = "text"


CHECK_PRICE = (
    f"price older than {STALE_DAYS} days or undated, its feed failed at the last refresh, or not to be had now"
)
"""What a * behind a price means."""
EMPTY = Cell(fmt.MISSING, "", "faint")
TIGHT_SHARE = 0.90
"""From this share of the memory on a fit is called tight."""
BAR_CELLS = 6
"""Cells of the bar of used memory."""


def server(rows: Rows, i: int) -> Cell:
    """The provider's own name."""
    return Cell(fmt.clean(rows.server(i)) or fmt.MISSING, "", "strong")


def provider(rows: Rows, i: int) -> Cell:
    """Who sells it."""
    return Cell(fmt.clean(rows.offer(i).provider) or fmt.MISSING)


def region(rows: Rows, i: int) -> Cell:
    """Where it stands."""
    offer = rows.offer(i)
    text = offer.region or offer.region_group
    return Cell(fmt.clean(text), "", "muted") if text else EMPTY


def hardware(rows: Rows, i: int) -> Cell:
    """The machine in a few words."""
    return Cell(fmt.clean(rows.hardware(i)))


def term(rows: Rows, i: int) -> Cell:
    """How the price is committed."""
    return Cell(rows.term(i), "", "muted")


def fit(rows: Rows, i: int) -> Cell:
    """Whether the memory holds the model, and how much of it is used."""
    used = rows.value("memory_used_share", i)
    if used is None:
        return EMPTY
    text = fmt.share(used)
    if not rows.flag("fits", i):
        return Cell(f"✗ {text:>3}", "", "miss")
    return Cell(f"~ {text:>3}" if used >= TIGHT_SHARE else f"✓ {text:>3}", "", "good")


def fit_bar(rows: Rows, i: int) -> Cell:
    """The same with a bar of the memory in front."""
    cell, used = fit(rows, i), rows.value("memory_used_share", i)
    if used is None:
        return cell
    full = min(round(used * BAR_CELLS), BAR_CELLS) or 1
    return cell._replace(text=f"{'▮' * full}{'▯' * (BAR_CELLS - full)} {cell.text}")


def ttft(rows: Rows, i: int) -> Cell:
    """Seconds to the first token."""
    value = rows.value("ttft_ms", i)
    if value is None:
        return EMPTY
    return _speed(rows, i, fmt.seconds(value), missed=rows.late(i))


def ttft_p95(rows: Rows, i: int) -> Cell:
    """Seconds to the first token that 95 of 100 requests stay below."""
    value = rows.value("ttft_p95_ms", i)
    if value is None:
        return EMPTY
    return _speed(rows, i, fmt.seconds(value), missed=rows.late(i) and rows.workload.ttft_at == "p95")


def user_speed(rows: Rows, i: int) -> Cell:
    """Tokens a second of each user."""
    value = rows.value("tokens_per_s_user", i)
    if value is None:
        return EMPTY
    return _speed(rows, i, fmt.number(value), missed=rows.slow(i))


def _speed(rows: Rows, i: int, text: str, *, missed: bool) -> Cell:
    if missed:
        return Cell(text, "!", "miss")
    return Cell(text, "m" if rows.measured(i) else "≈")


def total_speed(rows: Rows, i: int) -> Cell:
    """Tokens a second of all users."""
    value = rows.value("output_tokens_per_s", i)
    return EMPTY if value is None else Cell(fmt.number(value))


def users(rows: Rows, i: int) -> Cell:
    """Requests at once inside the targets."""
    value = rows.value("max_concurrency", i)
    return EMPTY if value is None else Cell(fmt.whole(value), "", "text" if value else "miss")


def servers(rows: Rows, i: int) -> Cell:
    """Servers for the traffic."""
    value = rows.value("servers_needed", i)
    if value is None:
        return EMPTY
    if not rows.comparison.practical[i]:
        return Cell(fmt.short_count(value), "!", "miss")
    return Cell(fmt.count(value))


def month(rows: Rows, i: int) -> Cell:
    """What the traffic costs a month."""
    value = rows.value("monthly_cost", i)
    return EMPTY if value is None else Cell(fmt.number(value), "*" if rows.old(i) else "")


def per_million(rows: Rows, i: int) -> Cell:
    """What a million output tokens cost."""
    value = rows.value("cost_per_m_output_tokens", i)
    return EMPTY if value is None else Cell(fmt.number(value, decimals=3), "", "strong")


def hour(rows: Rows, i: int) -> Cell:
    """What the traffic costs an hour."""
    value = rows.value("hourly_cost", i)
    return EMPTY if value is None else Cell(fmt.number(value), "*" if rows.old(i) else "")


def load(rows: Rows, i: int) -> Cell:
    """Seconds to load the weights."""
    value = rows.value("load_s", i)
    return EMPTY if value is None else Cell(fmt.number(value, decimals=1))


def age(rows: Rows, i: int) -> Cell:
    """How old the price is."""
    value = rows.value("price_age_days", i)
    if value is None:
        return Cell("undated", "", "miss")
    return Cell(fmt.age(value), "*" if rows.old(i) else "", "text" if rows.old(i) else "muted")


def figure(name: str, *, decimals: int = 4, scale: float = 1.0) -> Callable[[Rows, int], Cell]:
    """A number of the comparison, three digits long."""

    def cell(rows: Rows, i: int) -> Cell:
        value = rows.value(name, i)
        return EMPTY if value is None else Cell(fmt.number(value * scale, decimals=decimals))

    return cell


def amount(name: str) -> Callable[[Rows, int], Cell]:
    """A stated number in full: cores, gigabytes, months."""

    def cell(rows: Rows, i: int) -> Cell:
        value = rows.value(name, i)
        return EMPTY if value is None else Cell(f"{value:,.4g}" if value < 10_000 else fmt.number(value))

    return cell


def words(name: str) -> Callable[[Rows, int], Cell]:
    """A text of the offer."""

    def cell(rows: Rows, i: int) -> Cell:
        text = getattr(rows.offer(i), name)
        return Cell(fmt.clean(str(text)), "", "muted") if text else EMPTY

    return cell


def said(name: str) -> Callable[[Rows, int], Cell]:
    """A text of the estimate."""

    def cell(rows: Rows, i: int) -> Cell:
        text = rows.text(name, i)
        return Cell(fmt.clean(text), "", "muted") if text else EMPTY

    return cell


def ttft_band(rows: Rows, i: int) -> Cell:
    """Seconds to the first token, low and high."""
    low, high = rows.value("ttft_ms_low", i), rows.value("ttft_ms_high", i)
    return EMPTY if low is None or high is None else Cell(f"{fmt.seconds(low)}–{fmt.seconds(high)}", "", "muted")


def tpot(rows: Rows, i: int) -> Cell:
    """Milliseconds between tokens."""
    value = rows.value("tpot_ms", i)
    if value is None:
        return EMPTY
    return _speed(rows, i, fmt.number(value), missed=rows.slow(i))
