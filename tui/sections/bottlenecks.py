"""Hidden bottlenecks of an offer's server in the details: what is wrong with its cost, then what was checked and is fine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.bottlenecks import OK, UNKNOWN, WARNING
from tui.text import Section, TextLine

if TYPE_CHECKING:
    from tui.rows import Rows


def bottlenecks(rows: Rows, i: int) -> Section | None:
    """All checks of the server; None where there is no estimate."""
    found = rows.comparison.bottlenecks(i)
    if not found:
        return None
    lines: list[TextLine] = []
    for one in found:
        if one.severity in {OK, UNKNOWN}:
            continue
        cost = f" Costs {one.cost}." if one.cost else ""
        mark = ("! ", "miss") if one.severity == WARNING else ("· ", "muted")
        lines.append([mark, (f"{one.name}: ", "strong"), (one.text + cost, "text")])
        counted = "in the estimate" if one.counted else "not in the estimate"
        lines.append([(f"  {one.formula}; {counted}; {one.source}", "muted")])
    for severity, words in ((OK, "fine"), (UNKNOWN, "not stated, so not checked")):
        names = [one.name for one in found if one.severity == severity]
        if names:
            lines.append([(f"{words}: ", "muted"), (", ".join(names), "muted")])
    return Section("Checked", lines, wide=True)
