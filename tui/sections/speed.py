"""The speed of an offer: figures with their bands, how the model runs, where the time of a token goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.input_text import show_ttft
from tui.text import TIED, Section, TextLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.rows import Rows


def band(low: float | None, high: float | None, show: Callable[[float | None], str] = fmt.number) -> str:
    """Low to high in brackets; a unit that both share is written once."""
    if low is None or high is None:
        return ""
    first, second = show(low), show(high)
    number, _, unit = first.partition(" ")
    if unit and second.endswith(f" {unit}"):
        first = number
    return f"  ({first} – {second})".replace(" – ", f"{TIED}–{TIED}")


def speed(rows: Rows, i: int) -> Section:
    """Latencies and rates with their bands, the most users, the limit."""
    section = Section("Speed")
    work = rows.workload
    ttft, tpot = rows.value("ttft_ms", i), rows.value("tpot_ms", i)
    if ttft is not None:
        missed = rows.late(i)
        found = band(rows.value("ttft_ms_low", i), rows.value("ttft_ms_high", i), fmt.duration)
        alone = rows.value("ttft_solo_ms", i)
        line: TextLine = [("TTFT ", "muted"), (fmt.duration(ttft), "miss" if missed else "strong"), (found, "text")]
        if missed:
            line.append((f"  !{TIED}over{TIED}{show_ttft(work).replace(' ', TIED)}", "miss"))
        tail = rows.value("ttft_p95_ms", i)
        if tail is not None:
            line.append(
                (
                    f"  p95{TIED}{fmt.duration(tail).replace(' ', TIED)}",
                    "miss" if missed and work.ttft_at == "p95" else "muted",
                )
            )
        if alone is not None:
            line.append((f"  alone{TIED}{fmt.duration(alone).replace(' ', TIED)}", "muted"))
        section.lines.append(line)
    if tpot is not None and tpot > 0:
        missed = rows.slow(i)
        low, high = rows.value("tpot_ms_low", i), rows.value("tpot_ms_high", i)
        found = band(1000 / high if high else None, 1000 / low if low else None, fmt.number)
        line = [
            ("user ", "muted"),
            (f"{fmt.number(rows.value('tokens_per_s_user', i))} tok/s", "miss" if missed else "strong"),
            (found, "text"),
            (f"  TPOT {fmt.duration(tpot)}", "muted"),
        ]
        if missed:
            line.append((f"  !{TIED}over{TIED}{fmt.plain(work.tpot_ms)}{TIED}ms", "miss"))
        section.lines.append(line)
    total = rows.value("output_tokens_per_s", i)
    if total is not None:
        found = band(rows.value("output_tokens_per_s_low", i), rows.value("output_tokens_per_s_high", i), fmt.number)
        section.lines.append(
            [("server ", "muted"), (f"{fmt.number(total)} tok/s", "strong"), (f"{found} of output", "text")]
        )
    users, rate = rows.value("max_concurrency", i), rows.value("requests_per_s_at_target", i)
    if users is not None:
        at = "" if rate is None else f"; {fmt.number(rate)} req/s"
        if users > 0:
            aimed = " inside the targets" if work.has_targets else ""
            words = f" user{'' if users == 1 else 's'}{aimed}{at}"
            line = [("most ", "muted"), (fmt.whole(users), "strong"), (words, "text")]
            if end := capacity_end(rows, i):
                line.append((f"; {end}", "text"))
            section.lines.append(line)
        else:
            section.lines.append([("even one user alone misses the targets", "miss"), (at and f"{at} at best", "text")])
    if limit := rows.text("bound_by", i):
        section.lines.append([("limit ", "muted"), (limit, "text")])
    if not section.lines:
        section.lines.append([(fmt.MISSING, "faint"), ("  no estimate", "muted")])
    return section


def capacity_end(rows: Rows, i: int) -> str:
    """Why the server takes no more users, in words; empty where that is not known."""
    end = rows.text("capacity_end", i)
    if end == "most":
        choice = rows.comparison.estimates.choice(int(rows.comparison.market.server_index[i]))
        # llama.cpp would take more, but more were hardly measured.
        counted = choice is None or choice.gguf
        return "no more are counted" if counted else f"{rows.text('engine_used', i)} runs no more at once"
    return _ENDS.get(end, "")


_ENDS = {"ttft": "more would miss TTFT", "tpot": "more would miss TPOT", "memory": "memory holds no more"}


def engine(rows: Rows, i: int) -> Section | None:
    """Engine, formats and layout; None where nothing runs."""
    name, quant = rows.text("engine_used", i), rows.text("quant_used", i)
    if not name:
        return None
    tp, replicas = rows.value("tp_used", i), rows.value("replicas", i)
    layout = []
    if tp and tp > 1:
        layout.append(f"tensor parallel {tp:g}")
    if replicas and replicas > 1:
        layout.append(f"{replicas:g} replicas")
    text = " · ".join(part for part in (name, quant, f"KV {rows.workload.kv_quant}", *layout) if part)
    basis = rows.text("basis", i)
    return Section("Runs as", [[(text, "text"), (f"; figures {basis}" if basis else "", "muted")]])


_LEAST = 0.01
"""Share of a token's time from which on a part has a line of its own."""
_SHORT = {"prompts of other requests": "others' prompts"}


def short_limit(name: str) -> str:
    """What limits a server, in few cells."""
    return _SHORT.get(name, name)


BASES = {
    "measured": "rows measured on this hardware near this load move the figures",
    "calibrated": "the formulas were fitted to rows measured on this hardware with other models or loads",
    "extrapolated": "nothing was measured on this hardware: its specification stands in",
}


def step(rows: Rows, i: int, width: int) -> Section | None:
    """Where the time of an output token goes, as bars with their milliseconds and shares."""
    found = rows.step(i)
    total = sum(part for _, part in found)
    if not total:
        return None
    shown = [(short_limit(name), part) for name, part in found if part >= _LEAST * total]
    if (rest := total - sum(part for _, part in shown)) > 0:
        shown.append(("others", rest))
    names = max(len(name) for name, _ in shown)
    cells = max(min(width - names - 18, 24), 4)
    lines: list[TextLine] = [[(f"a token {fmt.duration(total)}", "strong"), (" =", "text")]]
    for name, part in shown:
        full = round(part / total * cells)
        bar = [("█" * full, "weights"), ("·" * (cells - full), "free")]
        words = f" {fmt.duration(part):>8} {part / total * 100:>5.1f} %"
        lines.append([(name.ljust(names).replace(" ", TIED) + TIED, "text"), *bar, (words.replace(" ", TIED), "text")])
    return Section("Step", lines)


def trust(rows: Rows, i: int) -> Section | None:
    """How wrong the figures may be, on what that rests, and what the band means."""
    basis = rows.text("basis", i)
    if not basis:
        return None
    spans = []
    for name, key in (("TTFT", "ttft_ms"), ("TPOT", "tpot_ms"), ("tok/s Σ", "output_tokens_per_s")):
        value, low, high = (rows.value(f"{key}{end}", i) for end in ("", "_low", "_high"))
        if value and low is not None and high is not None:
            spans.append(f"{name} × {fmt.number(low / value, decimals=2)} to {fmt.number(high / value, decimals=2)}")
    lines: list[TextLine] = [[(basis, "strong"), (f": {BASES.get(basis, '')}", "text")]]
    if spans:
        lines.append([("; ".join(spans), "text")])
        lines.append(
            [
                (
                    "about 80 % of the measurements that the fit had not seen lie inside such a band",
                    "muted",
                )
            ]
        )
    return Section("Trust", lines, wide=True)
