"""Many offers as columns: an `Offer` is made when somebody looks at it.

A start shows thirty of thousands of offers and reads half of their columns; making every offer would take longer than
comparing them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, overload

from pricing.offer import OFFER_COLUMNS, Offer, from_columns, from_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Spread(Sequence[Any]):
    """A column of few distinct values: each row has the place of its own."""

    def __init__(self, values: Sequence[Any], places: Sequence[int]) -> None:
        """`places` has one entry per row, each an index of `values`."""
        self.values = values
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, at: Any) -> Any:
        return self.values[self.places[at]]

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.places)


class OfferList(Sequence[Offer]):
    """Offers in order; equal to any other sequence of the same offers."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, columns: Mapping[str, Sequence[Any]], find: Callable[[int], Offer] | None = None) -> None:
        """Take one sequence per column of the schema, all of one length; `find` gives one offer where that is quicker."""
        self._columns = columns
        self._find = find or self._make
        self._lists: dict[str, Sequence[Any]] = {}
        self._made: dict[int, Offer] = {}
        self._all: tuple[Offer, ...] | None = None

    def __len__(self) -> int:
        return len(self._columns["offer_id"])

    @overload
    def __getitem__(self, at: int) -> Offer: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Offer, ...]: ...

    def __getitem__(self, at: int | slice) -> Offer | tuple[Offer, ...]:
        """One offer, made now, or a tuple of some."""
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        if self._all is not None:
            return self._all[at]
        place = range(len(self))[at]
        found = self._made.get(place)
        if found is None:
            found = self._made[place] = self._find(place)
        return found

    def _make(self, place: int) -> Offer:
        return from_facts({name: self._columns[name][place] for name in OFFER_COLUMNS})

    def __iter__(self) -> Iterator[Offer]:
        """Every offer: all are made at once, which takes a fourth of the time of one by one."""
        if self._all is None:
            made = from_columns({name: self.column(name) for name in OFFER_COLUMNS})
            # An offer that was looked at before stays the same object.
            self._all = tuple(self._made.get(place, entry) for place, entry in enumerate(made)) if self._made else made
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def column(self, name: str) -> Sequence[Any]:
        """One value per offer."""
        found = self._lists.get(name)
        if found is None:
            column = self._columns[name]
            found = self._lists[name] = column if isinstance(column, list | tuple) else list(column)
        return found

    def with_columns(self, changed: Mapping[str, Sequence[Any]]) -> OfferList:
        """The same offers with other values in some columns."""
        return OfferList({**self._columns, **changed})


def column(offers: Sequence[Offer], name: str) -> Sequence[Any]:
    """One value per offer of any sequence of offers."""
    if isinstance(offers, OfferList):
        return offers.column(name)
    return [getattr(entry, name) for entry in offers]


def offer_list(offers: Sequence[Offer]) -> OfferList:
    """Any sequence of offers as a list of columns."""
    if isinstance(offers, OfferList):
        return offers
    return OfferList({name: [getattr(entry, name) for entry in offers] for name in OFFER_COLUMNS})


def latest(offers: Sequence[Offer]) -> Sequence[Offer]:
    """Each id once: the last offer of an id, at the place of the first."""
    ids = column(offers, "offer_id")
    last = {offer_id: place for place, offer_id in enumerate(ids)}
    return offers if len(last) == len(ids) else pick([offers], ((0, place) for place in last.values()))


def joined(lists: Sequence[Sequence[Offer]]) -> Sequence[Offer]:
    """All offers of some lists, one list after the other."""
    filled = [offers for offers in lists if len(offers)]
    if len(filled) == 1:
        return filled[0]
    return _of_runs(filled, [(number, range(len(offers))) for number, offers in enumerate(filled)])


def pick(lists: Sequence[Sequence[Offer]], rows: Iterable[tuple[int, int]]) -> OfferList:
    """The offers at (number of a list, place in it), in that order."""
    return _of_runs(lists, [(number, [at for _, at in run]) for number, run in groupby(rows, key=itemgetter(0))])


def _of_runs(lists: Sequence[Sequence[Offer]], runs: Sequence[tuple[int, Sequence[int]]]) -> OfferList:
    ends = list(accumulate(len(places) for _, places in runs))
    count = ends[-1] if ends else 0

    def make(name: str) -> list[Any]:
        values: list[Any] = []
        for number, places in runs:
            whole = column(lists[number], name)
            values += whole if isinstance(places, range) else map(whole.__getitem__, places)
        return values

    def find(place: int) -> Offer:
        run = bisect_right(ends, place)
        number, places = runs[run]
        return lists[number][places[place - ends[run]]]

    return OfferList({name: _Later(make, name, count) for name in OFFER_COLUMNS}, find)


class _Later(Sequence[Any]):
    """A column that is put together when it is first asked for."""

    def __init__(self, make: Callable[[str], list[Any]], name: str, count: int) -> None:
        self._make = make
        self._name = name
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        return self._make(self._name)[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._make(self._name))
