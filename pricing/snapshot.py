"""The prices that ship with rackrate, so that the first start is never empty (report: data/SNAPSHOT.md)."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from pricing import paths
from pricing.errors import StoreError
from pricing.offer_csv import parse_offers

if TYPE_CHECKING:
    from pricing.offer import Offer

SNAPSHOT_DATE = "2026-11-30"
"""The day the bundled prices were put together; each row has the date its price was seen."""


def load_snapshot() -> tuple[Offer, ...]:
    """All bundled offers. Raises StoreError if the installation is damaged."""
    try:
        text = paths.bundled("snapshot.csv").read_text(encoding="utf-8")
        sources = _table("snapshot_sources.csv", 1)
        read_gb_s = _table("memory_read.csv", 2)
    except OSError as error:
        raise StoreError(f"The bundled prices cannot be read: {error}.", hint="Reinstall rackrate.") from error

    def fill(table: dict[str, list[Any]]) -> None:
        # Sources are long and few, measured memory rates carry their own licence: both live in side tables.
        rows = [sources[(short,)] for short in table["source"]]
        table["source"] = [text for text, _ in rows]
        table["source_url"] = [url or None for _, url in rows]
        table["memory_read_gb_s_measured"] = [
            float(found[0]) if (found := read_gb_s.get(key)) else None
            for key in zip(table["provider"], table["server"], strict=True)
        ]

    return parse_offers(text, "the bundled prices", fetched_at=SNAPSHOT_DATE, fill=fill)


def _table(name: str, keys: int) -> dict[tuple[str, ...], list[str]]:
    """A small CSV as a dict: the first `keys` columns are the key, the rest the value."""
    with paths.bundled(name).open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        return {tuple(row[:keys]): row[keys:] for row in reader}
