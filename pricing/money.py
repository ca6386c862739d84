"""Currencies: dated rates against the euro, converted for display only."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pricing import atomic
from pricing.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# Units of each currency per euro with the day of the fixing. USD: ECB reference rate of 2026-10-02 as publicly
# noted on 2026-10-04. The others: ECB EXR series of 2026-08-13. Nothing else has a source, so nothing else is here.
_BUNDLED: dict[str, tuple[float, str]] = {
    "USD": (1.1225, "2026-10-02"),
    "CHF": (0.9373, "2026-08-13"),
    "CZK": (24.226, "2026-08-13"),
    "DKK": (7.4757, "2026-08-13"),
    "GBP": (0.8549, "2026-08-13"),
    "NOK": (10.986, "2026-08-13"),
    "PLN": (4.3048, "2026-08-13"),
    "SEK": (11.0285, "2026-08-13"),
}
BASE = "EUR"


@dataclass(frozen=True, slots=True)
class Rates:
    """Units per euro and the day each was fixed; a currency without a rate converts to None, never to 0."""

    per_euro: Mapping[str, float]
    dates: Mapping[str, str]
    source: str = "ECB"

    @classmethod
    def bundled(cls) -> Rates:
        """The rates that ship with rackrate."""
        return cls(
            {code: rate for code, (rate, _) in _BUNDLED.items()},
            {code: day for code, (_, day) in _BUNDLED.items()},
            "ECB, bundled",
        )

    @property
    def date(self) -> str:
        """The day of the dollar's rate: the one that matters for most offers."""
        return self.dates.get("USD") or max(self.dates.values(), default="")

    def currencies(self) -> tuple[str, ...]:
        """Every currency that can be shown."""
        return tuple(sorted({BASE, *self.per_euro}))

    def factor(self, source: str, target: str) -> float | None:
        """What one unit of `source` is in `target`, by way of the euro; None if either has no rate."""
        if source == target:
            return 1.0
        from_rate = 1.0 if source == BASE else self.per_euro.get(source)
        to_rate = 1.0 if target == BASE else self.per_euro.get(target)
        return None if from_rate is None or to_rate is None else to_rate / from_rate

    def convert(self, amount: float | None, source: str, target: str) -> float | None:
        """An amount in another currency; None if there is no amount or no rate."""
        factor = self.factor(source, target)
        return None if amount is None or factor is None else amount * factor

    def updated(self, fresh: Rates) -> Rates:
        """These rates with the fresh ones over them: a currency that left the list keeps its old, dated rate."""
        return Rates({**self.per_euro, **fresh.per_euro}, {**self.dates, **fresh.dates}, fresh.source)

    def newest(self, other: Rates) -> Rates:
        """Each currency's later rate of the two; of the same day the other's."""
        newer = other.only(code for code in other.per_euro if other.dates[code] >= self.dates.get(code, ""))
        return Rates(
            {**self.per_euro, **newer.per_euro},
            {**self.dates, **newer.dates},
            other.source if newer.per_euro else self.source,
        )

    def only(self, codes: Iterable[str]) -> Rates:
        """The rates of some currencies."""
        kept = list(codes)
        return Rates(
            {code: self.per_euro[code] for code in kept}, {code: self.dates[code] for code in kept}, self.source
        )

    def to_json(self) -> str:
        """The text of the rates file."""
        rows = {code: {"per_euro": self.per_euro[code], "date": self.dates[code]} for code in sorted(self.per_euro)}
        return json.dumps({"source": self.source, "rates": rows}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Rates:
        """Rates from their file. Raises ValueError if it holds anything else."""
        try:
            table = json.loads(text)
            rows = {str(code): (float(row["per_euro"]), str(row["date"])) for code, row in table["rates"].items()}
            source = str(table["source"])
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a rates file: {error}") from error
        checked = make_rates({code: rate for code, (rate, _) in rows.items()}, "")
        return cls(checked.per_euro, {code: rows[code][1] for code in checked.per_euro}, source)


def make_rates(per_euro: Mapping[str, float], day: str, source: str = "ECB") -> Rates:
    """Rates of one fixing. Raises ValueError on a rate that cannot be one."""
    for code, rate in per_euro.items():
        if len(code) != 3 or not code.isupper() or not math.isfinite(rate) or not 1e-4 < rate < 1e7:
            raise ValueError(f"{code!r} = {rate!r} is not an exchange rate")
    kept = {code: rate for code, rate in per_euro.items() if code != BASE}
    return Rates(kept, dict.fromkeys(kept, day), source)


def load_rates(path: Path) -> Rates:
    """The fetched rates over the bundled ones. Raises OSError, or ValueError if the file is damaged."""
    return Rates.bundled().updated(Rates.from_json(path.read_text(encoding="utf-8")))


def save_rates(path: Path, rates: Rates) -> None:
    """Write the rates file atomically. Raises StoreError."""
    if not rates.per_euro:
        raise StoreError("There are no rates to save.")
    atomic.write_text(path, rates.to_json())
