"""Every provider with every fault: what a refresh makes of it, and all that must hold whatever it makes.

`python tests/feeds/fault_table.py` writes the table as Markdown and ends with 1 if something does not hold.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    sys.path.insert(1, str(Path(__file__).parents[2]))

from feeds.server import FAULTS

from pricing import quality, refresh
from pricing.asking import Asker
from pricing.http import Client
from pricing.offer_csv import LIMITS
from pricing.provider import provider, providers
from pricing.store import UNLISTED, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import httpx

    from pricing.refresh_report import Outcome

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=6)
WITNESS, OTHER_WITNESS = "linode", "vultr"
"""Refreshed together with the faulty one: it must notice nothing."""
REGIONS = {
    "aws": ("us-east-1", "eu-west-1"),
    "azure": ("westeurope", "eastus", "uksouth"),
    "gcp": ("us-central1",),
    "sparecores": ("aws/c8i.4xlarge", "hcloud/cax31"),
}
"""Few, so that a cell asks for few pages."""
TIMED = frozenset({"slow", "silent"})
"""Faults whose cells wait rather than work: all at once."""
LIMIT_S = 15.0
LIMITS_S = {"slow": 1.0, "silent": 1.0}
EVERYONE_LIMITS_S = {"slow": 3.5, "silent": 3.5}
LATE_S = 2.0
"""How much later than its limit a refresh may end: two busy cores."""
MAX_BYTES = 4 << 20
MAX_PAGES = 40
"""In place of the real limit, which takes its time: the end is the same."""
NEVER_FRESH = frozenset(
    {"prices x100", "half the rows", "empty lists", "negative prices", "zero prices", "missing prices"}
)
"""Faults that no feed may come through with: they change what a user would be shown."""
NOTHING_LOST = frozenset({"some parts 500", "429 thrice"})
"""Faults that leave parts unanswered: their last rows must stay as they were."""
STATED = frozenset({"akash", "azure", "gcp", "oci", "ovh", "verda"})
"""Feeds that state the currency of every price."""
MERGED = frozenset({"skypilot"})
"""Catalogues whose rows are zones, the cheapest of which is an offer: without that one, the next is."""
AT_ONCE = 6
KEYS = {name: f"k3y-{name}-5ecret" for name in providers() if provider(name).about.key_variable}
Rows = dict[str, Any]
_numbers = count()


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one refresh with one fault of one provider."""

    provider: str
    fault: str
    status: str
    message: str = ""
    problems: tuple[str, ...] = ()


@dataclass
class Table:
    """The cells, and the good refresh that they all start from."""

    address: str
    folder: Path
    http: httpx.Client
    good: dict[str, Rows] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)

    def begin(self) -> None:
        """The good refresh of all providers. Raises AssertionError if one is not fresh."""
        # A catalogue is not asked for what its providers' own feeds have answered: it is refreshed by itself.
        direct = [name for name, source in providers().items() if not source.about.serves]
        report: list[Outcome] = []
        for some in (direct, *([name] for name in providers() if name not in direct)):
            report += self.refresh(some, "", self.folder / "good", NOW, 60.0)
        bad = [
            f"{one.provider} {one.status} {one.message} {one.missing}"
            for one in report
            if one.status != "fresh" or one.missing
        ]
        assert not bad, bad
        for name in providers():
            self.good[name] = rows_of(Store(self.folder / "good"), name)
            assert self.good[name], name

    def refresh(
        self, names: Sequence[str], word: str, folder: Path, now: datetime, limit_s: float
    ) -> Sequence[Outcome]:
        """A refresh with the fault that a word names."""
        client = Client(
            mirror=f"{self.address}/{word}" if word else self.address,
            timeout_s=limit_s,
            max_bytes=MAX_BYTES,
            sleep=lambda _: None,
            _client=self.http,
        )
        return refresh.refresh(names, store=Store(folder), client=client, now=now, regions=REGIONS).outcomes

    def one(self, name: str, fault: str, *, everyone: bool = False) -> Cell:
        """A cell: the faulty provider with a witness, or with all others."""
        witness = OTHER_WITNESS if name == WITNESS else WITNESS
        names = list(providers()) if everyone else [name, witness]
        number = next(_numbers)
        folder = self.folder / f"cell{number}"
        self._copy(names, folder)
        limit_s = (EVERYONE_LIMITS_S if everyone else LIMITS_S).get(fault, LIMIT_S)
        try:
            outcomes = self.refresh(names, f"{fault}@{name}!{number}", folder, LATER, limit_s)
            problems = [
                problem
                for outcome in outcomes
                for problem in (
                    self._faulty(outcome, fault, folder) if outcome.provider == name else self._sound(outcome, folder)
                )
            ]
            mine = next(one for one in outcomes if one.provider == name)
            if mine.seconds > limit_s + LATE_S:
                problems.append(f"took {mine.seconds:.1f} s")
            status = mine.status + (" in part" if mine.missing else "")
            cell = Cell(name, fault, status, f"{mine.message} {mine.missing}", tuple(problems))
        except Exception as error:  # noqa: BLE001 - a refresh never raises: that is what is looked for
            cell = Cell(name, fault, "raised", repr(error), (f"raised {error!r}",))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.cells.append(cell)
        return cell

    def column(self, fault: str) -> list[Cell]:
        """All providers with one fault, then everyone at once with it on one of them in turn."""
        names = list(providers())
        if known := [cell for cell in self.cells if cell.fault == fault]:
            return known
        with ThreadPoolExecutor(len(names) if fault in TIMED else AT_ONCE) as pool:
            cells = list(pool.map(lambda name: self.one(name, fault), names))
        return [*cells, self.one(names[FAULTS.index(fault) % len(names)], fault, everyone=True)]

    def _copy(self, names: Sequence[str], folder: Path) -> None:
        for path in (self.folder / "good").rglob("*"):
            part = path.relative_to(self.folder / "good")
            if path.is_file() and (part.parts[0] not in {"prices", "status", "tokens"} or path.stem in names):
                (folder / part).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, folder / part)

    def _sound(self, outcome: Outcome, folder: Path) -> Iterator[str]:
        """What is wrong with a provider without a fault."""
        store = Store(folder)
        good = {"fresh", "unchanged", "skipped"} if provider(outcome.provider).about.serves else {"fresh", "unchanged"}
        if outcome.status not in good or outcome.missing:
            yield f"{outcome.provider} is {outcome.status}: {outcome.message} {outcome.missing}"
        elif undated(rows_of(store, outcome.provider)) != undated(self.good[outcome.provider]):
            yield f"{outcome.provider} has other rows"
        yield from store.messages

    def _faulty(self, outcome: Outcome, fault: str, folder: Path) -> Iterator[str]:
        """What is wrong with what came of the faulty one."""
        store, name = Store(folder), outcome.provider
        rows, good = rows_of(store, name), self.good[name]
        said = [outcome.message, outcome.hint, *outcome.missing, *outcome.skipped, *outcome.quality, *outcome.unmatched]
        if "unexpected answer" in outcome.message:
            yield f"a parser's bug: {outcome.message}"
        if any(not is_clean(text) for text in said):
            yield f"a message that is no clean line: {said!r:.300}"
        if store.messages:
            yield f"damaged files: {store.messages}"
        if any(key in text for key in KEYS.values() for text in said):
            yield "a key in a message"
        if outcome.status in {"failed", "held"}:
            if not outcome.message:
                yield "no message"
            if rows != good:
                yield "the last good rows are not there any more"
        elif outcome.status in {"fresh", "unchanged"}:
            # What came through must be true: rows may be gone, but none may say something else.
            if fault in NEVER_FRESH and provider(name).about.what in {"prices", "tokens"}:
                yield f"taken as {outcome.status}"
            yield from self._sane(name, fault, rows, store)
        elif not (outcome.status == "skipped" and provider(name).about.serves and rows == good):
            yield f"status {outcome.status}"

    def _sane(self, name: str, fault: str, rows: Rows, store: Store) -> Iterator[str]:
        for key, row in rows.items():
            yield from (f"{key}: {why}" for why in strange(row))
            if fault == "in rupees" and name in STATED and row in _fresh(rows) and row.currency != "INR":
                yield f"{key}: rupees taken as {row.currency}"
            known = self.good[name].get(key)
            if name in MERGED and fault == "some negative":
                continue
            if known is not None and price_of(row) != price_of(known):
                yield f"{key}: {price_of(row)} instead of {price_of(known)}"
        if fault in NOTHING_LOST:
            kept_as = {key for key, row in rows.items() if getattr(row, "availability", None) != UNLISTED}
            if lost := self.good[name].keys() - kept_as:
                yield f"lost {len(lost)} rows: {sorted(lost)[:3]}"
        if provider(name).about.what == "prices":
            fresh = _fresh(rows)
            kept, struck = quality.check(fresh, provider(name).about, store.rates())
            if len(kept) < len(fresh):
                yield f"the rules strike stored rows: {struck}"


def _fresh(rows: Rows) -> list[Any]:
    return [row for row in rows.values() if getattr(row, "fetched_at", None) == LATER.isoformat(timespec="seconds")]


def rows_of(store: Store, name: str) -> Rows:
    """What the folder holds of a provider, by key; rows of prices without the day they were seen again."""
    match provider(name).about.what:
        case "prices":
            found = store.load(name)
            return {row.offer_id: row for row in found.offers} if found else {}
        case "tokens":
            return {row.model: row for row in store.tokens() if row.source == name}
        case "rates":
            # Two feeds write one file: the currencies that only one of them has are enough to tell.
            return dict(store.rates().per_euro)
        case _:
            return _figures(store)


def _figures(store: Store) -> Rows:
    """Lines of the machines' files by all their cells but the day, which comes from a file of its own."""
    found: Rows = {}
    for path in sorted(store.machines.glob("*")) if store.machines.exists() else ():
        lines = path.read_text("utf-8").splitlines()
        day = lines[1].split(",").index("date")
        for line in lines[2:]:
            found[" ".join((path.name, *(cell for at, cell in enumerate(line.split(",")) if at != day)))] = line
    return found


def undated(rows: Rows) -> Rows:
    """The rows without the moment they were seen, which a refresh moves on."""
    days = ("fetched_at", "source_date")
    return {
        key: replace(row, **{name: None for name in days if hasattr(row, name)}) if is_dataclass(row) else row
        for key, row in rows.items()
    }


def price_of(row: Any) -> Any:
    """What a row says that must not change."""
    for names in (("price_per_hour", "price_per_month"), ("input_usd_per_m_tokens", "output_usd_per_m_tokens")):
        if hasattr(row, names[0]):
            return tuple(getattr(row, name) for name in names)
    return row if isinstance(row, float) else None


def strange(row: Any) -> Iterator[str]:
    """What no stored row may hold."""
    if isinstance(row, float):
        if not (math.isfinite(row) and row > 0):
            yield f"rate {row}"
        return
    if isinstance(row, str):
        if not is_clean(row):
            yield f"line {row!r:.80}"
        return
    for entry in fields(row):
        value = getattr(row, entry.name)
        if isinstance(value, str) and not (is_clean(value) and len(value) <= 1000):
            yield f"{entry.name} is {value!r:.80}"
        if isinstance(value, float) and not (math.isfinite(value) and 0 <= value <= LIMITS.get(entry.name, math.inf)):
            yield f"{entry.name} is {value}"
    currency = getattr(row, "currency", "USD")
    if not (len(currency) == 3 and currency.isascii() and currency.isupper()):
        yield f"currency is {currency!r}"
    prices = [value for value in price_of(row) if value is not None]
    if not prices or min(prices) <= 0:
        yield f"price {prices}"


def is_clean(text: str) -> bool:
    """Whether a text is one line without control characters and without marks that turn its direction."""
    return not any(
        unicodedata.category(char) in {"Cc", "Zl", "Zp"} or char in "\u202a\u202b\u202c\u202d\u202e" for char in text
    )


@contextlib.contextmanager
def server(*words: str) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("server.py")), "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().strip()
        finally:
            running.terminate()
            running.wait()


@contextlib.contextmanager
def table() -> Iterator[Table]:
    """A table ready to be filled, with keys in the environment."""
    import httpx

    before = dict(os.environ)
    defaults = Asker.pages.__kwdefaults__
    real_pages, defaults["limit"] = defaults["limit"], MAX_PAGES
    os.environ.update({str(provider(name).about.key_variable): key for name, key in KEYS.items()})
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
    try:
        with (
            server() as address,
            tempfile.TemporaryDirectory() as folder,
            httpx.Client(limits=limits, trust_env=False) as http,
        ):
            found = Table(address, Path(folder), http)
            found.begin()
            yield found
    finally:
        defaults["limit"] = real_pages
        os.environ.clear()
        os.environ.update(before)


def markdown(cells: Sequence[Cell]) -> str:
    """Providers down, faults across; a cell with a problem is marked with "!"."""
    by_fault: dict[str, dict[str, Cell]] = defaultdict(dict)
    for cell in cells:
        by_fault[cell.fault].setdefault(cell.provider, cell)
    faults = [fault for fault in FAULTS if fault in by_fault]
    lines = ["| fault | " + " | ".join(providers()) + " |", "|---" * (len(providers()) + 1) + "|"]
    for fault in faults:
        row = [_word(by_fault[fault].get(name)) for name in providers()]
        lines.append(f"| {fault} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def _word(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.status}{' !' if cell.problems else ''}"


def main() -> int:
    """Fill the table (the faults named on the command line, else all), write it, and what does not hold."""
    with table() as filled:
        for fault in sys.argv[1:] or FAULTS:
            filled.column(fault)
    sys.stdout.write(markdown(filled.cells))
    bad = [cell for cell in filled.cells if cell.problems]
    for cell in bad:
        sys.stdout.write(f"\n- {cell.provider}, {cell.fault}: {cell.status} {cell.message[:200]}\n")
        sys.stdout.write("".join(f"  - {problem[:300]}\n" for problem in cell.problems[:4]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
