"""All prices that ship with rackrate: the snapshot, and the rows kept by hand over it.

`data/bundled.json` holds both as packed columns (`models.prepared`), read in a fourth of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import prepared
from pricing import paths
from pricing.hand_kept import CHECKED, load_hand_kept
from pricing.offer import OFFER_COLUMNS
from pricing.offer_columns import pack, unpack
from pricing.snapshot import SNAPSHOT_DATE, load_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pricing.offer import Offer

PACKED = "bundled.json"
_WORDS = " ".join((SNAPSHOT_DATE, CHECKED, *OFFER_COLUMNS))


def load_bundled() -> Sequence[Offer]:
    """Every bundled offer once; a row kept by hand stands in for the snapshot's of the same id. Raises StoreError."""
    try:
        found = prepared.read(paths.bundled(PACKED), _sources(), _WORDS)
        if found is not None:
            count, rows = found.decode().split("\n", 1)
            return unpack(rows, int(count))
    except (OSError, ValueError):  # torn
        pass
    return read_bundled()


def read_bundled() -> tuple[Offer, ...]:
    """The same from the files that people edit. Raises StoreError if the installation is damaged."""
    offers = {entry.offer_id: entry for entry in load_snapshot()}
    offers.update((entry.offer_id, entry) for entry in load_hand_kept())
    return tuple(offers.values())


def prepare() -> bytes:
    """What the packed file has to hold."""
    offers = read_bundled()
    return prepared.content(f"{len(offers)}\n{pack(offers)}\n".encode(), _sources(), _WORDS)


def _sources() -> list[Path]:
    return [
        paths.bundled(name) for name in ("snapshot.json", "snapshot_sources.csv", "measured_hosts.csv", "hand_kept.csv")
    ]
