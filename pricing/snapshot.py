"""The prices that ship with rackrate, so that the first start is never empty (report: data/SNAPSHOT.md)."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from pricing import paths
from pricing.errors import StoreError
from pricing.measured_hosts import host_facts
from pricing.offer import OFFER_COLUMNS, from_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

SNAPSHOT_DATE = "2026-11-30"
"""The day the bundled prices were put together; each row has the date its price was seen."""


def load_snapshot() -> tuple[Offer, ...]:
    """All bundled offers. Raises StoreError if the installation is damaged.

    The file holds typed values and the ids, one row a line: reading it takes a third of what reading the same rows as a
    CSV does, at every start. The tests hold it to everything the CSV reader checks.
    """
    try:
        data: dict[str, Any] = json.loads(paths.bundled("snapshot.json").read_text(encoding="utf-8"))
        sources = _table("snapshot_sources.csv", 1)
        table: dict[str, Sequence[Any]] = dict(zip(data["columns"], zip(*data["rows"], strict=True), strict=True))
        rows = [sources[(short,)] for short in table["source"]]
    except (OSError, ValueError, KeyError) as error:
        raise StoreError(f"The bundled prices cannot be read: {error}.", hint="Reinstall rackrate.") from error
    # Sources are long and few, measured memory rates carry their own licence: both live in side tables.
    table["source"] = [text for text, _ in rows]
    table["source_url"] = [url or None for _, url in rows]
    hosts = [host_facts(provider, server) for provider, server in zip(table["provider"], table["server"], strict=True)]
    table["memory_read_gb_s_measured"] = [host.read_gb_s for host in hosts]
    table["numa_nodes"] = [host.numa_nodes for host in hosts]
    nothing = [None] * len(rows)
    table["fetched_at"] = [SNAPSHOT_DATE] * len(rows)
    return from_columns({name: table.get(name, nothing) for name in OFFER_COLUMNS})


def _table(name: str, keys: int) -> dict[tuple[str, ...], list[str]]:
    """A small CSV as a dict: the first `keys` columns are the key, the rest the value."""
    with paths.bundled(name).open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        return {tuple(row[:keys]): row[keys:] for row in reader}
