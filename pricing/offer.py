"""One server at one price: the single shape of every price in rackrate."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Offer:
    """One (provider, server, region, term, commitment, tier, currency); None is "not stated", never 0."""

    offer_id: str
    provider: str
    region: str | None
    region_group: str | None
    """eu, us, asia or other."""
    server: str
    """The provider's own name of the instance or plan."""
    kind: str
    """gpu or cpu."""
    cpu_model: str | None
    sockets: int | None
    cores: float | None
    vcpus: float | None
    shared_cpu: bool | None
    memory_channels: float | None
    """Over all sockets; a share for slices of a host."""
    memory_mts: float | None
    ram_gib: float | None
    gpu_model: str | None
    """A key of the chip catalog, or the provider's spelling if the catalog does not know it."""
    gpu_count: float | None
    """A slice of a card is a fraction."""
    vram_gib_per_gpu: float | None
    gpu_memory_bandwidth_gb_s: float | None
    interconnect: str | None
    storage: str | None
    nic: str | None
    term: str
    """on_demand, spot, reserved, savings_plan or monthly."""
    commitment_months: int | None
    upfront_share: float | None
    tier: str | None
    currency: str
    price_per_hour: float | None
    price_per_month: float | None
    """Only where the provider bills, or caps, by the month."""
    setup_fee: float | None
    vat_included: bool | None
    availability: str | None
    source: str | None
    source_url: str | None
    source_date: str | None
    """ISO date the price was seen; None = undated."""
    fetched_at: str | None
    """ISO date or time of import."""
    price_basis: str
    """listed or derived."""
    cpu_basis: str | None = None
    """How the CPU model is known."""
    memory_read_gb_s_measured: float | None = None
    pcie_gb_s_measured: float | None = None
    """Between host and one GPU, measured on the machine."""
    numa_nodes: int | None = None
    note: str | None = None
    """What a buyer must know that no other column says: "IPv4 extra", "spot close to on-demand"."""


OFFER_COLUMNS: tuple[str, ...] = tuple(entry.name for entry in fields(Offer))


def from_columns(columns: Mapping[str, Sequence[object]]) -> tuple[Offer, ...]:
    """Offers of whole columns, all of one length.

    The slots are filled column by column: a frozen dataclass's own constructor takes 20 ms for 5,000 rows at every start,
    this a third of that.
    """
    offers = tuple(object.__new__(Offer) for _ in columns["offer_id"])
    for name in OFFER_COLUMNS:
        deque(map(getattr(Offer, name).__set__, offers, columns[name]), maxlen=0)
    return offers


def from_facts(facts: Mapping[str, object]) -> Offer:
    """One offer of a value for every column, in half the time of the dataclass's own constructor."""
    offer = object.__new__(Offer)
    for name, put in _SETTERS:
        put(offer, facts[name])
    return offer


_SETTERS = tuple((name, getattr(Offer, name).__set__) for name in OFFER_COLUMNS)

KINDS = ("gpu", "cpu")
TERMS = ("on_demand", "spot", "reserved", "savings_plan", "monthly")
REGION_GROUPS = ("eu", "us", "asia", "other")
GROUP_WORDS = {"europe": "eu", "usa": "us", "america": "us", "north america": "us"}
"""Plain words for groups, besides the groups' own names: eu is Europe, not the European Union, and us has Canada in it."""
PRICE_BASES = ("listed", "derived")

_NOT_SLUG = re.compile(r"[^a-z0-9.]+")


@lru_cache(maxsize=16384)
def slug(text: str) -> str:
    """Lower case, everything but letters, digits and dots a dash."""
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


def offer_id(
    provider: str,
    server: str,
    region: str | None,
    term: str,
    commitment_months: int | None,
    tier: str | None,
    currency: str,
) -> str:
    """The key of an offer as one word; parts that are not stated are left empty between underscores."""
    length = f"{slug(term)}-{commitment_months}" if commitment_months else slug(term)
    return "_".join((slug(provider), slug(server), slug(region or ""), length, slug(tier or ""), currency.lower()))


def unique_ids(ids: Iterable[str]) -> list[str]:
    """The same ids, later repeats marked ~2, ~3: two lines that share a key both stay visible."""
    seen: dict[str, int] = {}
    result = []
    for name in ids:
        count = seen[name] = seen.get(name, 0) + 1
        result.append(name if count == 1 else f"{name}~{count}")
    return result
