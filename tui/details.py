"""Everything known about one offer, in words, the most useful first; the kinds of facts are in `tui.sections`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.keys import first
from tui.sections.cost import cost
from tui.sections.machine import machine, watch
from tui.sections.memory import memory, memory_bar
from tui.sections.price import price
from tui.sections.speed import capacity_end, engine, short_limit, speed, step, trust
from tui.text import Section, TextLine, lay_out, length, shorten, sign, wrap

if TYPE_CHECKING:
    from tui.rows import Rows

LABEL = 10
"""Cells of a section's title."""
COPIED_WIDTH = 110


def sections(rows: Rows, i: int, width: int) -> list[Section]:
    """What a pane of `width` cells says about an offer."""
    half = width if width < 100 else (width - 3) // 2
    found = [memory(rows, i, half - LABEL), speed(rows, i), cost(rows, i), watch(rows, i), engine(rows, i)]
    found += [
        step(rows, i, half - LABEL),
        price(rows, i),
        machine(rows, i),
        trust(rows, i),
        _measured(rows, i),
        _source(rows, i),
    ]
    return [section for section in found if section is not None]


def _measured(rows: Rows, i: int) -> Section | None:
    """The measurements nearest to the estimate and those of the very machine, with their sources."""
    found = [*rows.measurements(i), "; ".join(rows.machine_figures(i))]
    lines: list[TextLine] = [[(words, "muted")] for words in found if words]
    return Section("Measured", lines, wide=True) if lines else None


def _source(rows: Rows, i: int) -> Section:
    offer = rows.offer(i)
    source = " ".join(part for part in (offer.source or "", offer.source_url or "") if part)
    return Section("Source", [[(source or "not stated", "muted")]], wide=True)


def title(rows: Rows, i: int) -> TextLine:
    """Server, provider, region and term."""
    offer = rows.offer(i)
    where = offer.region or offer.region_group or ""
    rest = " · ".join(part for part in (offer.provider, where, rows.term(i), offer.tier or "") if part)
    glyph, tone = sign(gpu=offer.kind == "gpu")
    return [(f"{glyph} ", tone), (offer.server, "strong"), (f"  {rest}", "muted")]


def details(rows: Rows, i: int, width: int) -> list[TextLine]:
    """All sections for a pane of `width` cells; two columns where there is room."""
    more: TextLine = [
        (f"{first('details.open')}: the arithmetic behind the figures, commands that check them", "muted")
    ]
    found = lay_out(sections(rows, i, width), width, label=LABEL)
    return [*wrap(title(rows, i), width), *found, *wrap(more, width)]


def whole(rows: Rows, i: int, width: int) -> list[TextLine]:
    """The same for the full screen, with the arithmetic of every figure and the commands that check it."""
    from tui.sections.bottlenecks import bottlenecks
    from tui.sections.check import check
    from tui.sections.worked import arithmetic

    found = [*sections(rows, i, width), bottlenecks(rows, i), *arithmetic(rows, i), check(rows, i, width - LABEL)]
    given = [section for section in found if section is not None]
    return [*wrap(title(rows, i), width), *lay_out(given, width, label=LABEL)]


def plain(rows: Rows, i: int, *, ascii_only: bool = False) -> str:
    """The whole details as text for the clipboard, each command on one line of its own."""
    from tui.sections.check import check
    from tui.sections.worked import arithmetic

    given = [*sections(rows, i, 99), *arithmetic(rows, i)]
    found = [
        *wrap(title(rows, i), COPIED_WIDTH),
        *lay_out(given, COPIED_WIDTH, label=LABEL, two_columns_from=COPIED_WIDTH + 1),
    ]
    lines = ["".join(text for text, _ in line).rstrip() for line in found]
    if (commands := check(rows, i)) is not None:
        lines += ["", commands.title, *("".join(text for text, _ in line) for line in commands.lines)]
    text = "\n".join(fmt.clean(line.replace("\u00a0", " ")) for line in lines) + "\n"
    return "\n".join(fmt.to_ascii(line) for line in text.split("\n")) if ascii_only else text


def summary(rows: Rows, i: int, width: int) -> list[TextLine]:
    """Three lines for narrow terminals: memory, speed, money; each at most `width` cells (the pane shortens)."""
    offer = rows.offer(i)
    currency = rows.comparison.terms.currency
    glyph, tone = sign(gpu=offer.kind == "gpu")
    bar = memory_bar(rows, i, 14)
    used = fmt.percent_used(rows.value("memory_used_share", i))
    one: TextLine = [
        (f"{glyph} ", tone),
        (offer.server, "strong"),
        (f"  {offer.provider} {offer.region or ''}  ", "muted"),
        *bar,
    ]
    one.append((f" {used} of {fmt.number(rows.value('memory_total_gib', i))} GiB" if bar else "no estimate", "text"))
    reason = rows.reason(i)
    if reason:
        two: TextLine = [("! ", "miss"), (reason, "text")]
    else:
        warnings = len(rows.warnings(i))
        lead: TextLine = [(f"! {fmt.few(warnings, 'warning')} · ", "miss")] if warnings else []
        two = [*lead, (_capacity(rows, i, width - length(lead)), "text")]
    days = rows.value("price_age_days", i)
    servers, month = rows.value("servers_needed", i), rows.value("monthly_cost", i)
    money = (
        f"{fmt.count(servers)} × {fmt.price(month / servers, currency)} a month"
        if servers and month is not None
        else "no cost"
    )
    three: TextLine = [
        (money, "strong"),
        (
            f" · {rows.term(i)} · {'undated' if days is None else fmt.age(days) + ' old'} · {first('details.open')}: all details",
            "muted",
        ),
    ]
    return [shorten(line, width) for line in (one, two, three)]


def _capacity(rows: Rows, i: int, width: int) -> str:
    """What limits it, the most users and why no more, the speed; in fewer words where `width` cells hold no more."""
    users, end = rows.value("max_concurrency", i), capacity_end(rows, i)
    speed = f"Σ {fmt.number(rows.value('output_tokens_per_s', i))} tok/s"
    most = f"{fmt.whole(users)} user{'' if users == 1 else 's'}"
    bound = rows.text("bound_by", i)
    limit, few = f"limit {bound}", f"limit {short_limit(bound)}"
    ways = (
        (limit, f"most {most} in the targets", end, speed),
        (limit, f"most {most}", end, speed),
        (few, f"most {most}", end, speed),
        (few, most, end, speed),
        (few, most, end),
        (few, most, speed),
        (few, most),
    )
    found = [" · ".join(part for part in way if part) for way in ways]
    return next((said for said in found if length([(said, "text")]) <= width), found[-1])
