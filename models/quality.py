"""What a number format costs in quality, as far as somebody has measured and published it; nothing is inferred."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Quality:
    """One published measurement of a format against the same model in 16 bits."""

    quant: str
    metric: str
    """perplexity (higher is worse), score (mean of tasks, higher is better) or kl_divergence (0 = the same answers)."""
    value: float
    baseline: float | None
    """The same measurement in 16 bits, in the same unit; None for kl_divergence, which has none."""
    model: str
    tasks: str
    recipe: str
    source: str
    source_url: str
    source_date: str
    license: str

    @property
    def change(self) -> float | None:
        """Relative change against 16 bits, 0.028 = 2.8 % more."""
        return None if self.baseline is None else self.value / self.baseline - 1

    @property
    def words(self) -> str:
        """In few words: "perplexity +2.8 %", "scores -0.5 %"; the sign is that of the measured figure."""
        change = self.change
        return self._said(f"{'+' if (change or 0) >= 0 else '-'}{self._percent} %")

    @property
    def judged(self) -> str:
        """The same with what it means: a higher perplexity is worse, a higher score better."""
        worse = ((self.change or 0) > 0) is (self.metric == "perplexity")
        return self._said(f"{self._percent} % {'worse' if worse else 'better'}")

    @property
    def _percent(self) -> str:
        percent = abs(self.change or 0) * 100
        return f"{percent:.{0 if percent >= 9.95 else 1 if percent >= 0.095 else 2}f}"

    def _said(self, change: str) -> str:
        if self.change is None:
            return f"KL divergence {self.value:.3g}"
        return f"{'perplexity' if self.metric == 'perplexity' else 'scores'} {change}"


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[Quality, ...]]:
    text = (resources.files("models") / "data" / "quant_quality.csv").read_text(encoding="utf-8")
    found: dict[str, list[Quality]] = {}
    for row in csv.DictReader(text.splitlines()):
        made = Quality(
            **{name: row[name] for name in Quality.__slots__ if name not in {"value", "baseline"}},
            value=float(row["value"]),
            baseline=float(row["baseline"]) if row["baseline"] else None,
        )
        found.setdefault(made.quant, []).append(made)
    return {quant: tuple(rows) for quant, rows in found.items()}


def measured(quant: str) -> tuple[Quality, ...]:
    """All published measurements of a format; the first one is the one to show where there is room for one."""
    return _table().get(quant, ())


def loss(quant: str) -> Quality | None:
    """The measurement to show for a format; None where nothing is known."""
    return next(iter(measured(quant)), None)
