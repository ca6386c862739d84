"""The memory of an offer: a bar of what fills it, the same in words, what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.text import TIED, Section, TextLine

if TYPE_CHECKING:
    from tui.rows import Rows

PARTS = (
    ("weights_gib", "█", "weights", "weights"),
    ("kv_gib", "▓", "kv", "KV"),
    ("overhead_gib", "▒", "overhead", "rest"),
)
"""What fills a memory: figure, glyph, tone, word."""


def memory_bar(rows: Rows, i: int, width: int) -> TextLine:
    """Weights, KV cache, overhead and free memory of the whole server as one bar of `width` cells; empty without an estimate."""
    total = rows.value("memory_total_gib", i)
    parts = [(rows.value(name, i), glyph, tone) for name, glyph, tone, _ in PARTS]
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
    values = [rows.value(name, i) for name, _, _, _ in PARTS]
    line: TextLine = []
    for (_, glyph, tone, word), value in zip(PARTS, values, strict=True):
        line += [(f"{glyph}{TIED}", tone), (f"{word}{TIED}{fmt.number(value, decimals=2)} ", "text")]
    free = (
        None if total is None or any(value is None for value in values) else total - sum(value or 0 for value in values)
    )
    if free is not None and free >= 0:
        line += [(f"·{TIED}", "free"), (f"free{TIED}{fmt.number(free, decimals=2)}", "text")]
    elif free is not None:
        line += [(f"!{TIED}", "miss"), (f"{fmt.number(-free, decimals=2)}{TIED}short", "miss")]
    return line


def memory(rows: Rows, i: int, width: int) -> Section:
    """Bar, legend, and how many sequences and how much context it holds; `width` cells."""
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
        facts.append(fmt.few(int(sequences), "such sequence"))
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
