"""Prices per token of models that others serve: their own table, beside the servers, never mixed into it."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from dataclasses import dataclass, fields
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from models import catalog
from pricing import paths
from pricing.errors import OffersError, StoreError
from pricing.offer_csv import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pricing.store import Store

MAX_USD_PER_M_TOKENS = 2000.0
"""Three times the dearest model ever listed (600 dollars); beyond, a price per token was taken for one per million."""
MAX_TOKENS = 100_000_000
_WORDS = re.compile(r"[a-z]+|\d+")
_REVISION_OR_FORMAT = re.compile(r"-v?\d+:\d+$|(?:nvfp|mxfp|fp|bf|int|w)\d+(?:a\d+)?(?![a-z0-9])")
_CHECKPOINT = re.compile(r"\d{4}")
# Who made it or sells it, how it was tuned to talk, how it is served.
_HARMLESS_WORDS = (
    "meta llama openai google mistral mistralai qwen deepseek moonshotai zai nvidia microsoft us eu gov apac global fw databricks"
    " ai org snowflake p v instruct it chat thinking hf awq gptq dynamic turbo fast highspeed maas"
)
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
"""Words of an id that do not make it another model; every other word or number does."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What one provider asks for a million tokens of one model, in dollars; None = not stated, never 0."""

    source: str
    """Name of the list: a feed's ("litellm") or that of the bundled table."""
    provider: str
    model: str
    """The list's own id of the model."""
    llm: str | None
    """The catalog's name of the same model; None if it is another or not known."""
    input_usd_per_m_tokens: float | None
    output_usd_per_m_tokens: float | None
    cached_input_usd_per_m_tokens: float | None
    context_tokens: int | None
    max_output_tokens: int | None
    source_url: str
    source_date: str
    """ISO date the price was seen in the list."""
    deprecation_date: str | None
    """ISO date after which the provider no longer serves it."""


TOKEN_COLUMNS: tuple[str, ...] = tuple(entry.name for entry in fields(TokenPrice))


@lru_cache(maxsize=8192)
def same_llm(model: str) -> str | None:
    """The catalog's name of exactly the model that an id names; None if it is another version, size, tuning or not known.

    Aliases also lead from a model to a relative of the same shape (Kimi-K2.7 to K2.5): its speed is the same, its price is not.
    Later checkpoints of one model ("-0528", "-2507") count as that model.
    """
    found = catalog.find_llm(model)
    if found is None:
        return None
    said = Counter(_WORDS.findall(_REVISION_OR_FORMAT.sub("", model.rsplit("/", 1)[-1].lower())))
    more = said - _own_words(found.name)
    return found.name if all(word in _HARMLESS or _CHECKPOINT.fullmatch(word) for word in more) else None


@cache
def _own_words(name: str) -> Counter[str]:
    hf_id = catalog.llm(name).hf_id or ""
    return Counter(_WORDS.findall(name.lower())) | Counter(_WORDS.findall(hf_id.rsplit("/", 1)[-1].lower()))


def format_tokens(prices: Iterable[TokenPrice]) -> str:
    """The CSV text of token prices; reading it back gives the same."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(TOKEN_COLUMNS)
    for entry in prices:
        values = (getattr(entry, column) for column in TOKEN_COLUMNS)
        writer.writerow(
            ["" if value is None else repr(value) if isinstance(value, float) else value for value in values]
        )
    return out.getvalue()


def parse_tokens(text: str, name: str) -> tuple[TokenPrice, ...]:
    """Token prices of a CSV text. Raises OffersError naming line and column."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: dict[tuple[str, str, str], TokenPrice] = {}
    try:
        header = next(reader, [])
        if tuple(header) != TOKEN_COLUMNS:
            raise OffersError(f"{name}, line 1: these are not the columns of token prices.")
        for cells in reader:
            if not cells:
                continue
            price = _row(cells, f"{name}, line {reader.line_num}")
            if found.setdefault((price.source, price.provider, price.model), price) is not price:
                raise OffersError(
                    f"{name}, line {reader.line_num}: {price.model!r} of {price.provider} is listed twice."
                )
    except csv.Error as error:
        raise OffersError(f"{name}, line {reader.line_num}: {error}.") from error
    return tuple(found.values())


@cache
def bundled() -> tuple[TokenPrice, ...]:
    """The token prices that ship with rackrate. Raises StoreError if the installation is damaged."""
    path = paths.bundled("token_prices.csv")
    try:
        return parse_tokens(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError, OffersError) as error:
        raise StoreError(f"The bundled token prices cannot be read: {error}.", hint="Reinstall rackrate.") from error


def _row(cells: list[str], where: str) -> TokenPrice:
    if len(cells) != len(TOKEN_COLUMNS):
        raise OffersError(f"{where}: {len(cells)} fields, but the header has {len(TOKEN_COLUMNS)}.")
    values: dict[str, Any] = {}
    for column, cell in zip(TOKEN_COLUMNS, cells, strict=True):
        try:
            values[column] = _READERS.get(column, _needed)(clean_text(cell))
        except ValueError as error:
            raise OffersError(f"{where}, column {column}: {cell[:60]!r} {error}.") from None
    if values["input_usd_per_m_tokens"] is None and values["output_usd_per_m_tokens"] is None:
        raise OffersError(f"{where}: there is no price.")
    return TokenPrice(**values)


def _needed(cell: str) -> str:
    if not cell:
        raise ValueError("must not be empty")
    return cell


def _llm(cell: str) -> str | None:
    if cell and catalog.find_llm(cell) is None:
        raise ValueError("is not a model of the catalog")
    return cell or None


def _price(cell: str) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        raise ValueError("is not a number") from None
    if not (math.isfinite(value) and 0 < value <= MAX_USD_PER_M_TOKENS):
        raise ValueError("is no price of a million tokens")
    return value


def _tokens(cell: str) -> int | None:
    if not cell:
        return None
    if not (cell.isascii() and cell.isdigit() and len(cell) < 12 and 0 < int(cell) <= MAX_TOKENS):
        raise ValueError("is not a number of tokens")
    return int(cell)


def _address(cell: str) -> str:
    if not cell.startswith("https://"):
        raise ValueError("is not an address")
    return cell


def _day(cell: str) -> str:
    try:
        return date.fromisoformat(cell).isoformat()
    except ValueError:
        raise ValueError("is not a date such as 2026-10-02") from None


_READERS: dict[str, Callable[[str], Any]] = {
    "llm": _llm,
    "input_usd_per_m_tokens": _price,
    "output_usd_per_m_tokens": _price,
    "cached_input_usd_per_m_tokens": _price,
    "context_tokens": _tokens,
    "max_output_tokens": _tokens,
    "source_url": _address,
    "source_date": _day,
    "deprecation_date": lambda cell: _day(cell) if cell else None,
}


def at_hand(store: Store | None) -> tuple[TokenPrice, ...]:
    """All token prices that are stored, the bundled ones where no others can be read."""
    try:
        return store.tokens() if store is not None else bundled()
    except OSError:  # a folder that cannot be listed
        return bundled()
