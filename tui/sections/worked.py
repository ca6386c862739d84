"""The arithmetic of an estimate with its numbers put in: memory, TTFT, TPOT and cost, each a sum that adds up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from models.constants import meanings
from models.worked import worked
from tui import format as fmt
from tui.text import Section, TextLine

if TYPE_CHECKING:
    from models.terms import Factor, Sum, Term
    from tui.rows import Rows

GIB = 2.0**30
_SCALES = {
    "bytes": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
    "bytes/s": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s")),
    "flop": ((1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP")),
    "flop/s": ((1e15, "PFLOPS"), (1e12, "TFLOPS"), (1e9, "GFLOPS")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
}
_LEAST = 0.005
"""Share of a figure below which parts are named together."""


def three(value: float) -> str:
    """Three significant digits, whole counts in full."""
    if value == round(value) and abs(value) < 1e6:
        return f"{value:,.0f}"
    return fmt.number(value, decimals=7)


def factor(one: Factor) -> str:
    """A number with its unit: 16.1 GB, 84.3 %, 1,376 tokens."""
    label = f" {one.label}" if one.label else ""
    if one.unit == "share":
        return f"{fmt.number(one.value * 100)} %"
    if one.unit == "billion":
        return f"{three(one.value / 1e9)} billion{label}"
    if one.unit == "bits":
        return f"{fmt.number(one.value)} bits"
    scales = _SCALES.get(one.unit)
    if scales is None:
        return f"{three(one.value)}{label}"
    scale, unit = next((pair for pair in scales if abs(one.value) >= pair[0]), scales[-1])
    return f"{three(one.value / scale)} {unit}{label}"


class Shown:
    """One sum in one unit, as lines."""

    def __init__(self, found: Sum, unit: str, scale: float) -> None:
        self.found, self.unit, self.scale = found, unit, scale

    def value(self, value: float) -> str:
        """A part in the sum's unit."""
        return f"{three(value / self.scale)} {self.unit}"

    def lines(self) -> list[TextLine]:
        """The figure as its parts, then each part with what it is made of."""
        found = self.found
        shown = [term for term in found.terms if abs(term.value) >= _LEAST * abs(found.value)]
        rest = found.value - sum(term.value for term in shown)
        words = [f"{three(abs(term.value) / self.scale)} {term.name}" for term in shown]
        signs = ["−" if term.value < 0 else "+" for term in shown]
        if rest and len(shown) < len(found.terms):
            words.append(f"{three(abs(rest) / self.scale)} others")
            signs.append("−" if rest < 0 else "+")
        text = " ".join(f"{sign} {word}" for sign, word in zip(signs, words, strict=True)).removeprefix("+ ")
        lines: list[TextLine] = [[(f"{self.value(found.value)} = ", "strong"), (text, "text")]]
        for term in shown:
            lines += self._term(term, "· ")
        return lines

    def _term(self, term: Term, lead: str) -> list[TextLine]:
        expression = self._expression(term)
        if not expression and not term.note:
            return []
        line: TextLine = [(f"{lead}{term.name}  ", "muted")]
        if expression:
            line.append((f"{expression} = {self.value(term.value)}", "text"))
        if term.constants:
            line.append((f"  [{' × '.join(f'{name} {three(value)}' for name, value in term.constants)}]", "muted"))
        if term.note:
            line.append((f"{'; ' if expression else ''}{term.note}", "muted"))
        inner = [text for part in term.parts if part.value for text in self._term(part, "  · ")]
        return [line, *inner]

    def _expression(self, term: Term) -> str:
        if term.over:
            over = " × ".join(factor(one) for one in term.over)
            under = [factor(one) for one in term.under if one.unit != "share" or abs(one.value - 1) > 1e-9]
            below = under[0] if len(under) == 1 else f"({' × '.join(under)})"
            return f"{over} ÷ {below}" if under else over
        if term.joined == "sum":
            return " + ".join(f"{three(part.value / self.scale)} {part.name}" for part in term.parts)
        values = [three(part.value / self.scale) for part in term.parts if part.value]
        if len(values) == 1:
            return values[0]
        if not values:
            return ""
        if term.joined == "larger":
            return f"the larger of {' and '.join(values)}"
        power = fmt.plain(2.0 if term.joined == "squares" else term.power, 4)
        inner = " + ".join(f"{value}^{power}" for value in values)
        return f"({inner})^(1/{power})"


def arithmetic(rows: Rows, i: int) -> list[Section]:
    """Memory, TTFT, TPOT and the cost of a million tokens, worked out; nothing where there is no estimate."""
    found = worked(rows.comparison.estimates, int(rows.comparison.market.server_index[i]))
    if found is None:
        return []
    memory = Shown(found.memory, "GiB", GIB).lines()
    total = rows.value("memory_total_gib", i)
    cards = found.gpus * found.replicas
    where = fmt.few(cards, "GPU") if rows.offer(i).kind == "gpu" else "RAM"
    if total:
        needed = found.memory.value / GIB
        share = f"{three(needed)} ÷ {three(total)} = {fmt.number(needed / total * 100)} %"
        words = f"of {three(total)} GiB that the engine can use ({where}): {share}"
        memory.insert(1, [(words, "text")])
    sections = [Section("= Memory", memory, wide=True)]
    for name, each in (("= TTFT", found.ttft), ("= TPOT", found.tpot)):
        if each is not None:
            unit, scale = ("s", 1.0) if each.value >= 1 else ("ms", 1e-3)
            sections.append(Section(name, Shown(each, unit, scale).lines(), wide=True))
    if found.tpot is not None:
        running = f"{fmt.number(found.sequences)} requests run at once on each of {found.replicas} replicas"
        if found.replicas == 1:
            running = f"{fmt.number(found.sequences)} requests run at once"
        speed = f"tok/s·u = 1000 ÷ {fmt.number(found.tpot.value * 1e3)} = {fmt.number(1 / found.tpot.value)}"
        sections[-1].lines.append([(f"{running}; {speed}", "muted")])
    if names := _names(sections):
        sections.append(Section("= Names", names, wide=True))
    if cost := _cost(rows, i):
        sections.append(Section("= Cost", cost, wide=True))
    return sections


_SOURCES = re.compile(r"\[(?P<factors>[^\]]*)\]|from (?P<names>[a-z0-9_]+(?:, [a-z0-9_]+)*)")
"""Where a line names what a share comes from: "[em_gddr 0.845 × em_f8 0.998]", "from mfu_att, att_half"."""


def _names(sections: list[Section]) -> list[TextLine]:
    """What the names of fitted constants in the sums stand for, each once."""
    known = meanings()
    texts = ["".join(text for text, _ in line) for section in sections for line in section.lines]
    found = [
        name.strip()
        for source in _SOURCES.finditer("\n".join(texts))
        for name in (
            source["names"].split(", ")
            if source["names"]
            else [factor.rpartition(" ")[0] for factor in source["factors"].split(" × ")]
        )
    ]
    words = [f"{name} = {known[name]}" for name in dict.fromkeys(found) if name in known]
    lines: list[TextLine] = [[("; ".join(words), "muted")]]
    lines.append([("fitted to measurements; `rackrate accuracy --fit` shows each with its error", "muted")])
    return lines if words else []


def _cost(rows: Rows, i: int) -> list[TextLine]:
    """A month's cost over the tokens it serves."""
    comparison = rows.comparison
    month, per = rows.value("monthly_cost", i), rows.value("cost_per_m_output_tokens", i)
    servers = rows.value("servers_needed", i)
    if month is None or not per or not servers:
        return []
    hours = comparison.terms.hours_per_month
    tokens_per_s = month / hours / per * 1e6 / 3600
    currency = comparison.terms.currency
    return [
        [(f"{fmt.price(per, currency)} per Mtok = ", "strong"),
         (f"{fmt.price(month, currency)} ÷ ({three(tokens_per_s)} tok/s × 3,600 s × {three(hours)} h)", "text")],
        [(f"output of {fmt.few(int(servers), 'server')} at this traffic, not at full load", "muted")],
    ]  # fmt: skip
