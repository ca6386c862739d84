"""Which offers are shown and in which order."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import InputError, brief
from pricing import offer as schema
from pricing.compare import COMPARE_COLUMNS, MONTH_DAYS
from pricing.regions import region_group

if TYPE_CHECKING:
    from models.traffic import Workload
    from pricing.compare import Comparison
    from pricing.where import Where

    Array = np.ndarray[Any, Any]

DEFAULT_TERMS = ("on_demand", "monthly")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Offers that pass every other condition and are hidden all the same, by cause."""

    without_region: int = 0
    """The seller states no region, so no region matches."""
    undated_or_old: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """What an offer must be to be shown; empty or None = no condition. Prices are what the traffic costs, in dollars."""

    kind: str | None = None
    """cpu or gpu."""
    providers: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    """Each is an exact region, else the start of one; the name of a group (eu, us, asia, other, europe, usa) means the group."""
    terms: tuple[str, ...] = DEFAULT_TERMS
    """("all",) shows every term."""
    undated: bool = False
    """Show prices without a date too."""
    max_age_months: float | None = 24.0
    max_usd_hour: float | None = None
    max_usd_month: float | None = None
    fit: str = "all"
    """all, fits or targets."""
    text: str = ""
    """Words that must all occur in provider, region, server, chip, CPU, tier or term."""
    where: Where | None = None

    def __post_init__(self) -> None:
        """Refuse what would silently show nothing. Raises InputError."""
        if self.kind not in {None, "", *schema.KINDS}:
            raise InputError(f"Kind is cpu or gpu, not {brief(self.kind)}.")
        if self.fit not in {"all", "fits", "targets"}:
            raise InputError(f"Fit is all, fits or targets, not {brief(self.fit)}.")
        for term in self.terms:
            if term not in {"all", *schema.TERMS}:
                raise InputError(f"Unknown term {brief(term)}.", hint=f"Known: all, {', '.join(schema.TERMS)}.")

    def mask(self, comparison: Comparison) -> Array:
        """True for the offers that pass."""
        market = comparison.market
        mask = np.ones(len(market), dtype=bool)
        if self.kind:
            mask &= market.is_gpu == (self.kind == "gpu")
        if self.providers:
            mask &= np.isin(market.column("provider").astype(str), [name.lower() for name in self.providers])
        if self.regions:
            mask &= region_mask(comparison, self.regions)
        if "all" not in self.terms and self.terms:
            mask &= np.isin(market.column("term").astype(str), list(self.terms))
        mask &= self._age(comparison)
        if self.max_usd_hour is not None:
            mask &= usd(comparison, comparison.column("hourly_cost")) <= self.max_usd_hour
        if self.max_usd_month is not None:
            mask &= usd(comparison, comparison.column("monthly_cost")) <= self.max_usd_month
        if self.fit == "fits":
            mask &= comparison.column("fits")
        elif self.fit == "targets":
            mask &= comparison.column("meets_targets")
        for word in self.text.lower().split():
            mask &= text_mask(comparison, word)
        if self.where is not None:
            mask &= self.where.mask(comparison)
        return mask

    def left_out(self, comparison: Comparison) -> LeftOut:
        """How many offers only the region or only the age of their price keeps out."""
        shown = self.mask(comparison)
        undated = 0
        if not self.undated or self.max_age_months is not None:
            undated = int((replace(self, undated=True, max_age_months=None).mask(comparison) & ~shown).sum())
        return LeftOut(self.regionless(comparison), undated)

    def regionless(self, comparison: Comparison) -> int:
        """How many offers a condition on the region alone keeps out because they state none."""
        where = self.where.anywhere() if self.where is not None else None
        if not self.regions and where == self.where:
            return 0
        nowhere = np.array([not name for name in comparison.market.column("region")], dtype=bool)
        wider = replace(self, regions=(), where=where).mask(comparison)
        return int((wider & ~self.mask(comparison) & nowhere).sum())

    def _age(self, comparison: Comparison) -> Array:
        age = comparison.price_age_days
        dated = ~np.isnan(age)
        young = np.ones(len(age), dtype=bool)
        if self.max_age_months is not None:
            young = ~(age > self.max_age_months * MONTH_DAYS)
        # The user's own quotes and machines are shown whatever their date.
        own = comparison.market.column("provider") == "custom"
        shown: Array = own | (young & (dated | self.undated))
        return shown


def usd(comparison: Comparison, amounts: Array) -> Array:
    """Amounts of the shown currency in dollars."""
    factor = comparison.terms.rates.factor(comparison.terms.currency, "USD")
    return amounts * (np.nan if factor is None else factor)


def region_mask(comparison: Comparison, wanted: tuple[str, ...]) -> Array:
    """Offers in the wished regions: exact, then prefix; a word for a group means the group. A row may name several regions."""
    market = comparison.market
    names = market.column("region")
    words = {name: (name.lower(), *name.lower().split()) for name in dict.fromkeys(names) if name}
    mask = np.zeros(len(names), dtype=bool)
    for want in (entry.strip().lower() for entry in wanted):
        found = {name for name, parts in words.items() if want in parts}
        group = schema.GROUP_WORDS.get(want, want)
        if group in schema.REGION_GROUPS:
            # "us" is more than the regions whose names start with it, and a row of many regions lies in several groups.
            mask |= market.column("region_group") == group
            found |= {
                name
                for name, parts in words.items()
                if len(parts) > 2 and any(region_group(part) == group for part in parts[1:])
            }
        elif not found:
            found = _beginning(want, words)
        mask |= np.array([name in found for name in names], dtype=bool)
    return mask


def _beginning(want: str, words: dict[str, tuple[str, ...]]) -> set[str]:
    """Regions with a name that begins so, up to a dash, digit or the end if there are such: "us-east" is us-east-1 and us-east1.

    Two letters are a country's or a state's code and never the start of a longer word: "no" is Norway, not North America.
    """
    # Behind a letter no letter, behind a digit no digit.
    up_to = re.compile(re.escape(want) + r"(?:(?<=[^\W\d_])(?![^\W\d_])|(?<=\d)(?!\d)|(?<=[\W_]))")
    found = {name for name, parts in words.items() if any(map(up_to.match, parts))}
    if found or (len(want) == 2 and want.isalpha()):
        return found
    return {name for name, parts in words.items() if any(part.startswith(want) for part in parts)}


def text_mask(comparison: Comparison, word: str) -> Array:
    """Offers whose names hold a word."""
    return np.array([word in text for text in comparison.market.haystack], dtype=bool)


def order(comparison: Comparison, mask: Array, sort: str, *, descending: bool = False) -> Array:
    """Offers that pass, in the order of `ordered`."""
    return ordered(comparison, np.flatnonzero(mask), sort, descending=descending)


def usual_sort(workload: Workload) -> str:
    """The column whose first offer is the cheapest for the traffic.

    At a rate every fleet answers the same tokens; with users a faster one makes more of them, so a token's price says less.
    """
    return "monthly_cost" if workload.requests_per_s is None else "cost_per_m_output_tokens"


def ordered(comparison: Comparison, chosen: Array, sort: str, *, descending: bool = False) -> Array:
    """Offers in order: those that meet the targets first, then misses, then those without a figure.

    Out of stock is last inside each, then more servers than is practical: a verdict picks such only where nothing else is.
    Then the sort column, unknown values last either way; ties by price, then by id.
    """
    if not len(chosen):
        return chosen
    values = sort_values(comparison, sort)[chosen]
    unknown = np.isnan(values)
    values = np.where(unknown, 0.0, -values if descending else values)
    price = comparison.column("monthly_cost")[chosen]
    meets = comparison.column("meets_targets")[chosen]
    group = np.where(meets & ~np.isnan(price), 0, np.where(np.isnan(price), 2, 1))
    undated = np.isnan(comparison.price_age_days[chosen]) & (comparison.market.column("provider")[chosen] != "custom")
    price = np.where(np.isnan(price), np.inf, price)
    keys = (
        comparison.market.rank[chosen],
        undated,
        price,
        values,
        unknown,
        np.where(~comparison.practical[chosen], 2, comparison.market.out_of_stock[chosen]),
        group,
    )
    return chosen[np.lexsort(keys)]


def sort_values(comparison: Comparison, sort: str) -> Array:
    """A column as numbers that sort: texts by alphabet, NaN = none. Raises InputError for a name that is no column."""
    if sort not in COMPARE_COLUMNS:
        near = difflib.get_close_matches(sort, COMPARE_COLUMNS, 3, 0.5)
        raise InputError(
            f"There is no column {brief(sort)} to sort by.", hint=f"Did you mean {', '.join(near)}?" if near else ""
        )
    values = comparison.column(sort)
    if values.dtype != object:
        return values.astype(float)
    texts = [None if value is None else str(value).lower() for value in values]
    place = {text: at for at, text in enumerate(sorted({text for text in texts if text is not None}))}
    return np.array([np.nan if text is None else place[text] for text in texts], dtype=float)
