"""What was measured on a rented machine: files that a refresh brought, one a machine, read for the details of an offer.

The figures are Spare Cores' inspection data under CC BY-SA 4.0. They stay in files of their own that carry that licence; nothing
of them is mixed into prices.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pricing.offer_csv import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LICENCE = (
    "# Spare Cores inspection data (Spare Cores team, https://sparecores.com), CC BY-SA 4.0 "
    "(https://creativecommons.org/licenses/by-sa/4.0/); figures picked out, units changed"
)
"""First line of every file: who measured, and on which terms it may be passed on."""
MEASURED_BY = "measured on this type by Spare Cores (CC BY-SA 4.0)"
MAX_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_FORMULA = "=+-@"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure, or one fact that a machine reported of itself."""

    task: str
    """lscpu, bw_mem or llm."""
    metric: str
    """"read_512mb", "pp512", "cpu_model"."""
    model: str
    """The model file of llama-bench; empty for the other tasks."""
    value: str
    unit: str
    threads: str
    date: str
    """ISO day of the run; empty = not stated."""
    source_url: str

    @property
    def number(self) -> float | None:
        """The value if it is a number."""
        try:
            value = float(self.value)
        except ValueError:
            return None
        return value if math.isfinite(value) else None

    def sentence(self) -> str:
        """The figure in words: "pp512 of gemma-2b.Q4_K_M = 123 tokens/s, 16 threads"."""
        value = self.value if self.number is None else f"{self.number:.4g}"
        what = f"{self.metric} of {self.model}" if self.model else self.metric.replace("_", " ")
        threads = f", {self.threads} threads" if self.threads else ""
        return f"{what} = {value} {self.unit}".rstrip() + threads


COLUMNS: tuple[str, ...] = tuple(entry.name for entry in fields(Figure))


def file_name(provider: str, server: str) -> str | None:
    """The file of a machine ("aws_c8i.4xlarge.csv"); None for a name that no file may have."""
    if not (_NAME.fullmatch(provider) and _NAME.fullmatch(server)):
        return None
    return f"{provider}_{server}.csv"


def format_figures(figures: Iterable[Figure]) -> bytes:
    """The content of a machine's file."""
    out = io.StringIO()
    out.write(LICENCE + "\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for figure in figures:
        writer.writerow([clean_text(str(getattr(figure, name))).lstrip(_FORMULA)[:200] for name in COLUMNS])
    return out.getvalue().encode()


def with_others(content: bytes, older: str) -> bytes:
    """A machine's new file with the figures of those tasks of its older one that the new one does not have."""
    fresh = _read(content.decode())
    tasks = {figure.task for figure in fresh}
    kept = [figure for figure in _read(older) if figure.task not in tasks]
    return format_figures((*fresh, *kept)) if fresh and kept else content


def figures(provider: str, server: str, folder: Path) -> tuple[Figure, ...]:
    """What is at hand of a provider's instance type; empty if nothing is, or if the file cannot be used."""
    # Azure's types are written with and without "Standard_".
    for name in (server, f"Standard_{server}"):
        file = file_name(provider, name)
        if file is None:
            continue
        try:
            path = folder / file
            if path.stat().st_size <= MAX_BYTES:
                return _read(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
    return ()


def _read(text: str) -> tuple[Figure, ...]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    try:
        header, *rows = csv.reader(lines, strict=True)
    except (csv.Error, ValueError):
        return ()
    if tuple(header) != COLUMNS:
        return ()
    return tuple(Figure(*(clean_text(cell)[:200] for cell in row)) for row in rows if len(row) == len(COLUMNS))
