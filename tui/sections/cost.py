"""What an offer costs at the traffic, with its arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.practical import too_many
from tui import format as fmt
from tui.input_text import show_traffic
from tui.text import TIED, Section, TextLine

if TYPE_CHECKING:
    from tui.rows import Rows


def cost(rows: Rows, i: int) -> Section:
    """Servers, month, share in use, cost of a million tokens."""
    section = Section("Cost")
    currency = rows.comparison.terms.currency
    servers, month = rows.value("servers_needed", i), rows.value("monthly_cost", i)
    if servers is None or month is None:
        section.lines.append([(fmt.MISSING, "faint"), ("  no cost without an estimate and a price", "muted")])
        return section
    work = rows.workload
    used = rows.value("utilization", i)
    count = fmt.few(int(servers), "server")
    line: TextLine = [
        (f"{count} × {fmt.price(month / servers, currency)}", "text"),
        (f" = {fmt.price(month, currency)} a month", "strong"),
    ]
    if not rows.comparison.practical[i]:
        why = too_many(float(rows.comparison.market.most_servers[i])).replace(" ", TIED)
        line.append((f"  !{TIED}{why}", "miss"))
    section.lines.append(line)
    if servers > 1 and (why := _why_so_many(rows, i, servers)):
        section.lines.append([(why, "text")])
    if servers > 1:
        words = "something must spread the requests over them (a load balancer); the filter n=1 shows single servers"
        section.lines.append([(words, "muted")])
    if used is not None:
        verb = "uses" if work.requests_per_s is not None or work.concurrency == 1 else "use"
        section.lines.append(
            [(f"{show_traffic(work)} {verb} {fmt.number(used * 100)} % of {'it' if servers == 1 else 'them'}", "text")]
        )
    per_output, per_total = rows.value("cost_per_m_output_tokens", i), rows.value("cost_per_m_total_tokens", i)
    if per_output:
        section.lines.append(
            [
                (f"{fmt.price(month, currency)} / {fmt.number(month / per_output)} Mtok = ", "text"),
                (f"{fmt.money(per_output, currency)} per Mtok output", "strong"),
            ]
        )
    full = rows.value("cost_per_m_output_tokens_full_load", i)
    more = [
        f"all tokens {fmt.money(per_total, currency)}" if per_total is not None else "",
        f"fully loaded {fmt.money(full, currency)}" if full is not None else "",
    ]
    if any(more):
        section.lines.append([("; ".join(part for part in more if part), "muted")])
    return section


def _why_so_many(rows: Rows, i: int, servers: float) -> str:
    """The traffic over what one server takes: "1 req/s ÷ 0.357 = 2.8 → 3 servers"; empty where that is not what counted."""
    work = rows.workload
    by_rate = work.requests_per_s is not None
    able = rows.value("requests_per_s_at_target" if by_rate else "max_concurrency", i)
    if not able:
        return ""
    wanted = float(work.requests_per_s or work.concurrency or 1)
    quotient = wanted / (able * work.utilization)
    # As many digits as show that the whole number below was not enough.
    shown = next(
        (said for places in (1, 2, 3, 6) if float(said := f"{quotient:.{places}f}") > servers - 1), f"{quotient}"
    )
    one = fmt.number(able) if by_rate else fmt.whole(able)
    if work.utilization != 1:
        one = f"({one} × {fmt.plain(work.utilization * 100, 3)} %)"
    return f"{show_traffic(work)} ÷ {one} = {shown} → {fmt.few(int(servers), 'server')}"


def money_notes(rows: Rows, i: int) -> str:
    """What lies between the listed price and the cost: tax, setup fee, exchange rate; a discount is among the warnings."""
    offer, terms = rows.offer(i), rows.comparison.terms
    notes = []
    if terms.vat and offer.vat_included is not True:
        notes.append(f"{fmt.number(terms.vat * 100)} % VAT added")
    if offer.setup_fee:
        notes.append(f"setup fee over {fmt.amount(terms.setup_months, 'month')}")
    factor = terms.rates.factor(offer.currency, terms.currency)
    if offer.currency != terms.currency and factor is not None:
        notes.append(f"{offer.currency} 1 = {terms.currency} {factor:.4g}, {terms.rates.source} of {terms.rates.date}")
    return "; ".join(notes)
