"""What a stored price file says of itself: how many rows it has and what they answer for.

The file is this line and a line of packed columns (offer_columns). Earlier ones were a CSV with the line at its end.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pricing.offer_list import column
from pricing.provider import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pricing.offer import Offer

FORMAT = 4
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_LINE = re.compile(r"# rackrate (\d+) ([^\n]*)\n")
_FIRST_FORMAT = re.compile(r"rows=(\d+) covers=([a-z_:,]*) regional=([01])")


class NewerFormatError(ValueError):
    """The file was written by a newer rackrate."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a price file says of itself."""

    rows: int
    covers: frozenset[tuple[str, str]]
    """(kind, term) pairs that the feed answers for: bundled rows of these are replaced."""
    regional: bool = False
    missing: tuple[Missing, ...] = ()
    """Parts that were not answered: bundled rows of these stay."""
    providers: frozenset[str] = frozenset()
    """Whose offers the rows are; empty in files of the first format, which held the feed's own only."""
    size: int | None = None
    """Bytes of the rows."""

    def line(self) -> str:
        """The line that starts the file."""
        table = {
            "rows": self.rows,
            "covers": sorted(map(list, self.covers)),
            "regional": self.regional,
            "missing": [[part.reason, part.kind, part.term, part.region, part.provider] for part in self.missing],
            "providers": sorted(self.providers),
            "size": self.size,
        }
        return f"# rackrate {FORMAT} {json.dumps(table, separators=(',', ':'))}\n"

    @classmethod
    def read(cls, text: str) -> tuple[Mark, str]:
        """The mark of a file's text and the rest. Raises NewerFormatError, or ValueError (in words) if it was torn."""
        found = _LINE.match(text)
        if found is None:
            raise ValueError("its start is missing")
        if int(found[1]) > FORMAT:
            raise NewerFormatError
        return cls._of(found[2]), text[found.end() :]

    @classmethod
    def read_csv(cls, text: str) -> tuple[Mark, str]:
        """The mark and the rows of a file of the first or second format. Raises ValueError, in words, if it was torn."""
        rows, _, last = text.rstrip("\n").rpartition("\n")
        found = _LINE.match(last + "\n")
        if found is None:
            raise ValueError("its end is missing")
        return (cls._first(found[2]) if found[1] == "1" else cls._of(found[2])), rows + "\n"

    @classmethod
    def _of(cls, text: str) -> Mark:
        try:
            table = json.loads(text)
            return cls(
                int(table["rows"]),
                frozenset((str(kind), str(term)) for kind, term in table["covers"]),
                bool(table["regional"]),
                tuple(Missing(*part) for part in table["missing"]),
                frozenset(map(str, table["providers"])),
                None if table.get("size") is None else int(table["size"]),
            )
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError("what it says of itself cannot be read") from error

    @classmethod
    def _first(cls, text: str) -> Mark:
        found = _FIRST_FORMAT.fullmatch(text)
        if found is None:
            raise ValueError("what it says of itself cannot be read")
        pairs = (pair.split(":") for pair in found[2].split(",") if pair.count(":") == 1)
        return cls(int(found[1]), frozenset((kind, term) for kind, term in pairs), found[3] == "1")

    def fits(self, offers: Sequence[Offer], feed: str) -> bool:
        """Whether these are the rows that the file was written with."""
        return len(offers) == self.rows and set(column(offers, "provider")) == (self.providers or {feed})
