"""All prices that ship with rackrate: the snapshot, and the rows kept by hand over it.

`data/bundled.json` holds both as packed columns, read in a tenth of the time. It says which files it was made of; once one
of them is changed it counts for nothing until `make prepare` has made it anew.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from pricing import paths
from pricing.hand_kept import CHECKED, load_hand_kept
from pricing.offer import OFFER_COLUMNS
from pricing.offer_columns import pack, unpack
from pricing.snapshot import SNAPSHOT_DATE, load_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

PACKED = "bundled.json"
_SOURCES = ("snapshot.json", "snapshot_sources.csv", "measured_hosts.csv", "hand_kept.csv")


def load_bundled() -> Sequence[Offer]:
    """Every bundled offer once; a row kept by hand stands in for the snapshot's of the same id. Raises StoreError."""
    try:
        first, rows = paths.bundled(PACKED).read_text(encoding="utf-8").split("\n", 1)
        made_of, _, count = first.partition(" ")
        return unpack(rows, int(count)) if made_of == _sources() else read_bundled()
    except (OSError, ValueError):
        return read_bundled()


def read_bundled() -> tuple[Offer, ...]:
    """The same from the files that people edit. Raises StoreError if the installation is damaged."""
    offers = {entry.offer_id: entry for entry in load_snapshot()}
    offers.update((entry.offer_id, entry) for entry in load_hand_kept())
    return tuple(offers.values())


def pack_bundled() -> str:
    """What `data/bundled.json` has to hold."""
    offers = read_bundled()
    return f"{_sources()} {len(offers)}\n{pack(offers)}\n"


def _sources() -> str:
    """A sum over everything the packed file is made of."""
    said = zlib.crc32(" ".join((SNAPSHOT_DATE, CHECKED, *OFFER_COLUMNS)).encode())
    for name in _SOURCES:
        # A checkout may have other line ends than a package.
        said = zlib.crc32(paths.bundled(name).read_bytes().replace(b"\r\n", b"\n"), said)
    return f"{said:08x}"
