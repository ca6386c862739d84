"""Everything known about one offer, in words: memory, speed, cost with its arithmetic, source of the price, warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.inputs import show_traffic, show_ttft
from tui.rows import short_cpu
from tui.text import TIED, Section, TextLine, lay_out, shorten, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer
    from tui.rows import Rows

BAR_TONES = (("weights_gib", "█", "weights"), ("kv_gib", "▓", "kv"), ("overhead_gib", "▒", "overhead"))

_LEAST = 0.01
"""Share of a token's time from which on a part is named."""


def memory_bar(rows: Rows, i: int, width: int) -> TextLine:
    """Weights, KV cache, overhead and free memory of the whole server as one bar of `width` cells; empty without an estimate."""
    total = rows.value("memory_total_gib", i)
    parts = [(rows.value(name, i), glyph, tone) for name, glyph, tone in BAR_TONES]
    if not total or all(value is None for value, _, _ in parts):
        return []
    scale = width / max(total, sum(value or 0 for value, _, _ in parts))
    spans: TextLine = []
    used, sum_gib = 0, 0.0
    for value, glyph, tone in parts:
        sum_gib += value or 0
        cells = max(min(round(sum_gib * scale), width) - used, 1 if value and used < width else 0)
        if cells:
            spans.append((glyph * cells, tone))
            used += cells
    if used < width:
        spans.append(("·" * (width - used), "free"))
    return spans


def _legend(rows: Rows, i: int) -> TextLine:
    total = rows.value("memory_total_gib", i)
    values = [rows.value(name, i) for name, _, _ in BAR_TONES]
    line: TextLine = []
    for (_, glyph, tone), value, word in zip(BAR_TONES, values, ("weights", "KV", "rest"), strict=True):
        line += [(f"{glyph} ", tone), (f"{word} {fmt.number(value, decimals=2)} ", "text")]
    free = (
        None if total is None or any(value is None for value in values) else total - sum(value or 0 for value in values)
    )
    if free is not None and free >= 0:
        line += [("· ", "free"), (f"free {fmt.number(free, decimals=2)}", "text")]
    elif free is not None:
        line += [("! ", "miss"), (f"{fmt.number(-free, decimals=2)} short", "miss")]
    return line


def _memory(rows: Rows, i: int, width: int) -> Section:
    section = Section("Memory")
    used, total = rows.value("memory_used_share", i), rows.value("memory_total_gib", i)
    bar = memory_bar(rows, i, max(10, min(width - 26, 40)))
    if bar:
        ok = rows.flag("fits", i)
        words = (
            f"  {fmt.percent_used(used)} of {fmt.number(total)} GiB"
            if ok
            else f"  needs {fmt.percent_used(used)} of {fmt.number(total)} GiB"
        )
        section.lines.append([*bar, (words, "good" if ok else "miss")])
        section.lines.append(_legend(rows, i))
    if (fit_reason := rows.text("fit_reason", i)) and fit_reason != rows.reason(i):
        section.lines.append([(fit_reason, "text")])
    sequences, context = rows.value("max_sequences", i), rows.value("max_context", i)
    facts = []
    if sequences:
        facts.append(f"{fmt.count(sequences)} such sequence{'' if sequences == 1 else 's'}")
    if context:
        limit = rows.workload.model.max_context
        whole = limit is not None and context >= limit
        facts.append(
            f"the model's whole {fmt.count(limit)} context" if whole else f"context up to {fmt.count(context)}"
        )
    if facts:
        section.lines.append([("holds ", "muted"), (", ".join(facts), "text")])
    if not section.lines:
        section.lines.append([(fmt.MISSING, "faint"), ("  no estimate", "muted")])
    return section


def _band(low: float | None, high: float | None, show: Callable[[float | None], str] = fmt.number) -> str:
    """Low to high in brackets; a unit that both share is written once."""
    if low is None or high is None:
        return ""
    first, second = show(low), show(high)
    number, _, unit = first.partition(" ")
    if unit and second.endswith(f" {unit}"):
        first = number
    return f"  ({first} – {second})".replace(" – ", f"{TIED}–{TIED}")


def _speed(rows: Rows, i: int) -> Section:
    section = Section("Speed")
    work = rows.workload
    ttft, tpot = rows.value("ttft_ms", i), rows.value("tpot_ms", i)
    if ttft is not None:
        missed = work.ttft_ms is not None and ttft > work.ttft_ms
        band = _band(rows.value("ttft_ms_low", i), rows.value("ttft_ms_high", i), fmt.duration)
        alone = rows.value("ttft_solo_ms", i)
        line: TextLine = [("TTFT ", "muted"), (fmt.duration(ttft), "miss" if missed else "strong"), (band, "text")]
        if missed:
            line.append((f"  !{TIED}over{TIED}{show_ttft(work).replace(' ', TIED)}", "miss"))
        if alone is not None:
            line.append((f"  alone{TIED}{fmt.duration(alone).replace(' ', TIED)}", "muted"))
        section.lines.append(line)
    if tpot is not None and tpot > 0:
        missed = work.tpot_ms is not None and tpot > work.tpot_ms
        low, high = rows.value("tpot_ms_low", i), rows.value("tpot_ms_high", i)
        band = _band(1000 / high if high else None, 1000 / low if low else None, fmt.number)
        line = [
            ("user ", "muted"),
            (f"{fmt.number(rows.value('tokens_per_s_user', i))} tok/s", "miss" if missed else "strong"),
            (band, "text"),
            (f"  TPOT {fmt.duration(tpot)}", "muted"),
        ]
        if missed:
            line.append((f"  !{TIED}over{TIED}{fmt.plain(work.tpot_ms)}{TIED}ms", "miss"))
        section.lines.append(line)
    total = rows.value("output_tokens_per_s", i)
    if total is not None:
        band = _band(rows.value("output_tokens_per_s_low", i), rows.value("output_tokens_per_s_high", i), fmt.number)
        section.lines.append(
            [("server ", "muted"), (f"{fmt.number(total)} tok/s", "strong"), (f"{band} of output", "text")]
        )
    users, rate = rows.value("max_concurrency", i), rows.value("requests_per_s_at_target", i)
    if users is not None:
        at = "" if rate is None else f"; {fmt.number(rate)} req/s"
        if users > 0:
            words = f" user{'' if users == 1 else 's'} inside the targets{at}"
            section.lines.append([("most ", "muted"), (fmt.whole(users), "strong"), (words, "text")])
        else:
            section.lines.append([("even one user alone misses the targets", "miss"), (at and f"{at} at best", "text")])
    if limit := rows.text("bound_by", i):
        section.lines.append([("limit ", "muted"), (limit, "text")])
    if not section.lines:
        section.lines.append([(fmt.MISSING, "faint"), ("  no estimate", "muted")])
    return section


def _engine(rows: Rows, i: int) -> Section | None:
    engine, quant = rows.text("engine_used", i), rows.text("quant_used", i)
    if not engine:
        return None
    tp, replicas = rows.value("tp_used", i), rows.value("replicas", i)
    layout = []
    if tp and tp > 1:
        layout.append(f"tensor parallel {tp:g}")
    if replicas and replicas > 1:
        layout.append(f"{replicas:g} replicas")
    text = " · ".join(part for part in (engine, quant, f"KV {rows.workload.kv_quant}", *layout) if part)
    basis = rows.text("basis", i)
    return Section("Runs as", [[(text, "text"), (f"; figures {basis}" if basis else "", "muted")]])


def _step(rows: Rows, i: int) -> Section | None:
    """The parts of one output token, which sum to its time; those below a hundredth of it together."""
    found = rows.step(i)
    total = sum(part for _, part in found)
    if not total:
        return None
    shown = [(name, part) for name, part in found if part >= _LEAST * total]
    words = [f"{name} {fmt.duration(part)}" for name, part in shown]
    if rest := total - sum(part for _, part in shown):
        words.append(f"others {fmt.duration(rest)}")
    line: TextLine = [(f"a token {fmt.duration(total)}", "strong"), (f" = {' + '.join(words)}", "text")]
    return Section("Step", [line], wide=True)


def _measured(rows: Rows, i: int) -> Section | None:
    """The measurements nearest to the estimate and those of the very machine, with their sources."""
    found = [*rows.measurements(i), "; ".join(rows.machine_figures(i))]
    lines: list[TextLine] = [[(words, "muted")] for words in found if words]
    return Section("Measured", lines, wide=True) if lines else None


def _cost(rows: Rows, i: int) -> Section:
    section = Section("Cost")
    currency = rows.comparison.terms.currency
    servers, month = rows.value("servers_needed", i), rows.value("monthly_cost", i)
    if servers is None or month is None:
        section.lines.append([(fmt.MISSING, "faint"), ("  no cost without an estimate and a price", "muted")])
        return section
    work = rows.workload
    used = rows.value("utilization", i)
    count = f"{fmt.count(servers)} server{'' if servers == 1 else 's'}"
    line: TextLine = [
        (f"{count} × {fmt.price(month / servers, currency)}", "text"),
        (f" = {fmt.price(month, currency)} a month", "strong"),
    ]
    if servers > MOST_SERVERS:
        line.append((f"  !{TIED}not{TIED}practical", "miss"))
    section.lines.append(line)
    if money := _money_notes(rows, i):
        section.lines.append([(money, "muted")])
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


def _money_notes(rows: Rows, i: int) -> str:
    """What lies between the listed price and the cost: discount, tax, setup fee, exchange rate."""
    offer, terms = rows.offer(i), rows.comparison.terms
    notes = []
    if discount := terms.discounts.get(offer.provider, 0.0):
        notes.append(f"{discount * 100:.4g} % negotiated discount applied")
    if terms.vat and offer.vat_included is not True:
        notes.append(f"{fmt.number(terms.vat * 100)} % VAT added")
    if offer.setup_fee:
        notes.append(f"setup fee over {terms.setup_months:g} months")
    factor = terms.rates.factor(offer.currency, terms.currency)
    if offer.currency != terms.currency and factor is not None:
        notes.append(f"{offer.currency} 1 = {terms.currency} {factor:.4g}, {terms.rates.source} of {terms.rates.date}")
    return "; ".join(notes)


def _price(rows: Rows, i: int) -> Section:
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
    if offer.note:
        section.lines.append([(offer.note, "text")])
    days = rows.value("price_age_days", i)
    seen = f"seen {offer.source_date}, {fmt.age(days)} ago" if offer.source_date and days is not None else "undated"
    if offer.availability:
        seen += f"; {offer.availability}"
    section.lines.append([("* " if rows.old(i) else "", "miss"), (seen, "miss" if rows.old(i) else "text")])
    return section


def _machine(rows: Rows, i: int) -> Section:
    offer = rows.offer(i)
    facts = [rows.hardware(i) if offer.cores or not offer.vcpus else rows.hardware(i).replace("v ", " vCPU ", 1)]
    if offer.kind == "gpu":
        host = [
            f"{offer.vcpus:g} vCPU" if offer.vcpus else f"{offer.cores:g} cores" if offer.cores else "",
            short_cpu(offer.cpu_model) if offer.cpu_model else "",
            f"{offer.ram_gib:.4g} GiB RAM" if offer.ram_gib else "",
        ]
        facts.append("host " + (" ".join(part for part in host if part) or "not stated"))
        if offer.interconnect and offer.interconnect != "none":
            facts.append(offer.interconnect)
        if offer.pcie_gb_s_measured:
            facts.append(f"PCIe {offer.pcie_gb_s_measured:.3g} GB/s measured")
    elif memory := _memory_speed(offer):
        facts.append(memory)
    if offer.numa_nodes and offer.numa_nodes > 1:
        facts.append(f"{offer.numa_nodes} NUMA nodes")
    if offer.storage:
        facts.append(offer.storage)
    load = rows.value("load_s", i)
    if load is not None:
        facts.append(f"loads the weights in {fmt.duration(load * 1000)}")
    return Section("Machine", [[("; ".join(facts), "text")]])


def _memory_speed(offer: Offer) -> str:
    """Channels and speed of a CPU server's memory: the offer's where it states them, else the platform's, said to be assumed."""
    if offer.memory_channels and offer.memory_mts:
        return f"{offer.memory_channels:g} channels × {offer.memory_mts:g} MT/s"
    cpu = catalog.find_cpu(offer.cpu_model) if offer.cpu_model else None
    if cpu is None or not cpu.memory_channels or not (offer.memory_mts or cpu.memory_mts):
        return f"memory at {offer.memory_mts:g} MT/s" if offer.memory_mts else ""
    speed = f"{offer.memory_mts:g} MT/s" if offer.memory_mts else f"{cpu.memory_mts:g} MT/s"
    whole = "all populated" if offer.memory_mts else "the platform's"
    return f"{cpu.memory_channels} channels a socket × {speed} (assumed: {whole})"


def _watch(rows: Rows, i: int) -> Section | None:
    lines: list[TextLine] = []
    if reason := rows.reason(i):
        lines.append([("! ", "miss"), (reason, "text")])
    lines += [[("! ", "miss"), (warning, "text")] for warning in machine_warnings(rows, i)]
    return Section("Watch", lines, wide=True) if lines else None


def machine_warnings(rows: Rows, i: int) -> list[str]:
    """What to watch on the machine; what is wrong with the price or the number stands there."""
    return [
        warning
        for warning in rows.warnings(i)
        if not warning.lower().startswith(("price ", "undated", "not practical"))
        and not warning.endswith("discount applied")
    ]


def title(rows: Rows, i: int) -> TextLine:
    """Server, provider, region and term."""
    offer = rows.offer(i)
    where = offer.region or offer.region_group or ""
    rest = " · ".join(part for part in (offer.provider, where, rows.term(i), offer.tier or "") if part)
    kind = ("● ", "gpu") if offer.kind == "gpu" else ("○ ", "cpu")
    return [kind, (offer.server, "strong"), (f"  {rest}", "muted")]


def details(rows: Rows, i: int, width: int) -> list[TextLine]:
    """All sections for a pane of `width` cells; two columns where there is room."""
    offer = rows.offer(i)
    half = width if width < 100 else (width - 3) // 2
    sections = [_memory(rows, i, half - 9), _speed(rows, i)]
    if engine := _engine(rows, i):
        sections.append(engine)
    sections += [_cost(rows, i), _price(rows, i), _machine(rows, i)]
    if watch := _watch(rows, i):
        sections.append(watch)
    if step := _step(rows, i):
        sections.append(step)
    if near := _measured(rows, i):
        sections.append(near)
    source = " ".join(part for part in (offer.source or "", offer.source_url or "") if part)
    sections.append(Section("Source", [[(source or "not stated", "muted")]], wide=True))
    return [*wrap(title(rows, i), width), *lay_out(sections, width)]


def summary(rows: Rows, i: int, width: int) -> list[TextLine]:
    """Three lines for narrow terminals: memory, speed, money; each at most `width` cells (the pane shortens)."""
    offer = rows.offer(i)
    currency = rows.comparison.terms.currency
    bar = memory_bar(rows, i, 14)
    used = fmt.percent_used(rows.value("memory_used_share", i))
    first: TextLine = [
        ("● " if offer.kind == "gpu" else "○ ", "gpu" if offer.kind == "gpu" else "cpu"),
        (offer.server, "strong"),
        (f"  {offer.provider} {offer.region or ''}  ", "muted"),
        *bar,
    ]
    first.append((f" {used} of {fmt.number(rows.value('memory_total_gib', i))} GiB" if bar else "no estimate", "text"))
    reason = rows.reason(i)
    if reason:
        second: TextLine = [("! ", "miss"), (reason, "text")]
    else:
        users = rows.value("max_concurrency", i)
        facts = [
            f"{fmt.whole(users)} users in the targets",
            f"Σ {fmt.number(rows.value('output_tokens_per_s', i))} tok/s",
            rows.text("bound_by", i),
        ]
        second = [(" · ".join(part for part in facts if part), "text")]
        if warnings := len(machine_warnings(rows, i)):
            second.insert(0, (f"! {warnings} warning{'' if warnings == 1 else 's'} · ", "miss"))
    days = rows.value("price_age_days", i)
    servers, month = rows.value("servers_needed", i), rows.value("monthly_cost", i)
    money = (
        f"{fmt.count(servers)} × {fmt.price(month / servers, currency)} a month"
        if servers and month is not None
        else "no cost"
    )
    third: TextLine = [
        (money, "strong"),
        (f" · {rows.term(i)} · {'undated' if days is None else fmt.age(days) + ' old'} · enter: all details", "muted"),
    ]
    return [shorten(line, width) for line in (first, second, third)]
