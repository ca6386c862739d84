"""Prices that providers state on pages alone, kept by hand: dated rows for providers that have no feed, or none without a key.

`data/hand_kept.csv` has the offers' columns. Whoever adds a row gives the page, the day it was read and, where the page prices a
single GPU, says so in `note`; a price worked out from it ("eight times") is marked `derived`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pricing import paths
from pricing.errors import OffersError, StoreError
from pricing.offer_csv import parse_offers

if TYPE_CHECKING:
    from pricing.offer import Offer

CHECKED = "2026-11-30"
"""The day the rows were last gone through; each has the day its price was seen."""


def load_hand_kept() -> tuple[Offer, ...]:
    """All rows kept by hand. Raises StoreError if the installation is damaged.

    A row with the id of a bundled one is newer and stands in for it.
    """
    path = paths.bundled("hand_kept.csv")
    try:
        return parse_offers(path.read_text(encoding="utf-8"), path.name, fetched_at=CHECKED, latest=CHECKED)
    except (OSError, UnicodeDecodeError, OffersError) as error:
        raise StoreError(f"The prices kept by hand cannot be read: {error}.", hint="Reinstall rackrate.") from error
