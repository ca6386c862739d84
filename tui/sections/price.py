"""The price of an offer: what is listed, what a month comes to, what is committed, where and when it was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.sections.cost import money_notes
from tui.text import Section, TextLine

if TYPE_CHECKING:
    from pricing.month import Month
    from tui.rows import Rows


def price(rows: Rows, i: int) -> Section:
    """The listed price with its terms, the fair month, its age and warnings."""
    from pricing.month import month

    offer = rows.offer(i)
    parts = []
    if offer.price_per_hour is not None:
        parts.append(f"{fmt.price(offer.price_per_hour, offer.currency)} an hour")
    if offer.price_per_month is not None:
        parts.append(f"{fmt.price(offer.price_per_month, offer.currency)} a month")
    vat = {True: "VAT included", False: "without VAT", None: "VAT not stated"}[offer.vat_included]
    fee = f", setup {fmt.price(offer.setup_fee, offer.currency)}" if offer.setup_fee else ""
    section = Section("Price")
    section.lines.append(
        [(" or ".join(parts) or fmt.MISSING, "strong"), (f"{fee}, {rows.term(i)}, {vat}, {offer.price_basis}", "text")]
    )
    found = month(rows.comparison, i)
    if found is not None:
        section.lines += _month(found, rows.comparison.terms.currency)
    if notes := money_notes(rows, i):
        section.lines.append([(notes, "muted")])
    if offer.note:
        section.lines.append([(offer.note, "text")])
    days = rows.value("price_age_days", i)
    seen = f"seen {offer.source_date}, {fmt.age(days)} ago" if offer.source_date and days is not None else "undated"
    if failed := rows.failure(i):
        seen += f"; its {failed}"
    if offer.availability:
        seen += f"; {offer.availability}"
    section.lines.append([("* " if rows.old(i) else "", "miss"), (seen, "miss" if rows.old(i) else "text")])
    return section


def _month(found: Month, currency: str) -> list[TextLine]:
    """One server's month as the comparison counts it."""

    def money(value: float | None) -> str:
        return fmt.price(value, currency)

    counts = found.by_month is not None and (found.by_hours is None or found.by_month <= found.by_hours)
    hours = f"{money(found.per_hour)} × {found.hours:,.4g} h = {money(found.by_hours)}"
    if counts and found.by_hours is not None:
        words = f"the monthly price {money(found.by_month)} counts: hours would be {hours}"
    elif counts:
        words = f"{money(found.by_month)} however few hours"
    else:
        words = hours
    if found.setup_share:
        share = f"{money(found.setup_fee)} setup ÷ {fmt.amount(found.setup_months, 'month')}"
        words += f" + {share} = {money(found.total)}"
    lines: list[TextLine] = [[("a month of one ", "muted"), (words, "text")]]
    if found.break_even_hours is not None and found.break_even_hours < found.hours:
        lines.append([(f"by the month from {found.break_even_hours:,.0f} h a month on", "muted")])
    if found.commitment_months and found.committed is not None:
        committed = f"{fmt.few(found.commitment_months, 'month')} × {money(found.recurring)}"
        committed += f" + {money(found.setup_fee)} setup" if found.setup_fee else ""
        paid = f"; {money(found.upfront)} of it upfront, spread in the price" if found.upfront else ""
        lines.append([("committed ", "muted"), (f"{committed} = {money(found.committed)}{paid}", "text")])
    return lines
