"""All prices that ship with rackrate: the snapshot, and the rows kept by hand over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pricing.hand_kept import load_hand_kept
from pricing.snapshot import load_snapshot

if TYPE_CHECKING:
    from pricing.offer import Offer


def load_bundled() -> tuple[Offer, ...]:
    """Every bundled offer once; a row kept by hand stands in for the snapshot's of the same id. Raises StoreError."""
    offers = {entry.offer_id: entry for entry in load_snapshot()}
    offers.update((entry.offer_id, entry) for entry in load_hand_kept())
    return tuple(offers.values())
