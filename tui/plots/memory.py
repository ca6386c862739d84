"""What fills the memory of the marked servers, or of those around the cursor: weights, KV cache, overhead, free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import format as fmt
from tui.plots import TITLES
from tui.plots.facts import who
from tui.plots.plot import CHOSEN, Bar, Entry, Plot, empty
from tui.sections.memory import PARTS
from tui.text import sign

if TYPE_CHECKING:
    from tui.rows import Rows
    from tui.session import Session

TITLE = TITLES["memory"]
NEIGHBOURS = 12
"""Lines of the table on each side of the cursor, where nothing is marked."""


def build(session: Session, rows: Rows, position: int) -> Plot:
    """One bar a server, its whole memory as its length."""
    marked = session.marked()
    around = rows.order[max(position - NEIGHBOURS, 0) : position + NEIGHBOURS + 1].tolist()
    asked = marked or [int(i) for i in around]
    known = [i for i in asked if rows.value("memory_total_gib", i)]
    if not known:
        return empty("memory", TITLE, f"No estimate of memory for {'what is marked' if marked else 'these servers'}.")
    bars = tuple(_bar(rows, i) for i in known)
    what = "marked servers" if marked else "servers around the cursor; mark some to compare those"
    missing = len(asked) - len(known)
    legend = (*(Entry(glyph, tone, word) for _, glyph, tone, word in PARTS), Entry("·", "free", "free"),
              Entry(CHOSEN, "accent", "this one"))  # fmt: skip
    lines = [f"{TITLE} of {what}, GiB", _heads()]
    lines += [_line(rows, i) for i in known]
    if missing:
        lines.append(f"{missing} more without an estimate")
    return Plot("memory", TITLE, tuple(lines), legend, "GiB of each", bars=bars, caption=what)


def _bar(rows: Rows, i: int) -> Bar:
    total = rows.value("memory_total_gib", i) or 1.0
    sizes = [rows.value(name, i) or 0.0 for name, _, _, _ in PARTS]
    scale = max(total, sum(sizes))
    parts = [(size / scale, glyph, tone) for size, (_, glyph, tone, _) in zip(sizes, PARTS, strict=True)]
    parts.append((max(total - sum(sizes), 0.0) / scale, "·", "free"))
    fits = rows.flag("fits", i)
    used = fmt.percent_used(rows.value("memory_used_share", i))
    most = rows.value("max_sequences", i)
    held = f", {fmt.whole(most)} seq" if most else ""
    note = f"{used} of {fmt.number(total)}{held}" if fits else f"needs {used} of {fmt.number(total)}"
    glyph, tone = sign(gpu=rows.offer(i).kind == "gpu")
    words = ", ".join(
        f"{word} {fmt.number(size, decimals=2)}" for size, (_, _, _, word) in zip(sizes, PARTS, strict=True)
    )
    words += f", {_free(total - sum(sizes))} GiB{_sequences(rows, i)}: {who(rows, i)}"
    return Bar(
        who(rows, i), glyph, tone, tuple(parts), note, words, i, missed=not fits, more=_figures(rows, i, sizes, total)
    )


def _figures(rows: Rows, i: int, sizes: list[float], total: float) -> str:
    """The sum that the bar draws."""
    parts = " + ".join(
        f"{word} {fmt.number(size, decimals=2)}" for size, (_, _, _, word) in zip(sizes, PARTS, strict=True)
    )
    said = f"{parts} = {fmt.number(sum(sizes))} of {fmt.number(total)} GiB"
    if not rows.flag("fits", i):
        return f"{said}, {rows.reason(i) or 'does not fit'}"
    most, longest = rows.value("max_sequences", i), rows.value("max_context", i)
    said += f", {fmt.whole(most)} sequences" if most else ""
    return said + (f", context up to {fmt.count(longest)}" if longest else "")


def _free(size: float) -> str:
    return f"free {fmt.number(size, decimals=2)}" if size >= 0 else f"{fmt.number(-size, decimals=2)} short"


def _sequences(rows: Rows, i: int) -> str:
    most = rows.value("max_sequences", i)
    return f", max {fmt.whole(most)} seq" if most and rows.flag("fits", i) else ""


def _heads() -> str:
    return f"{'weights':>9} {'KV':>9} {'rest':>9} {'free':>9} {'of':>9} {'sequences':>9}  server"


def _line(rows: Rows, i: int) -> str:
    total = rows.value("memory_total_gib", i) or 0.0
    sizes = [rows.value(name, i) for name, _, _, _ in PARTS]
    left = total - sum(size or 0.0 for size in sizes)
    cells = [*(fmt.number(size, decimals=2) for size in sizes), fmt.number(left, decimals=2), fmt.number(total)]
    cells.append(fmt.whole(rows.value("max_sequences", i)) if rows.flag("fits", i) else "does not fit")
    return f"{' '.join(f'{cell:>9}' for cell in cells)}  {sign(gpu=rows.offer(i).kind == 'gpu')[0]} {who(rows, i)}"
