"""The filter expression of `--where` and of the dashboard's filter line.

Terms are separated by spaces and must all hold; `!` in front turns one round.

    word            occurs in provider, region, server, chip, CPU, tier or term ("two words" in quotes)
    cpu gpu spot reserved monthly fresh undated unknown fits targets stock     what the offer is
    provider:a,b    region: term: tier: server: chip: processor: engine: bound: basis: currency: source: kind:
    gpu>=24         a number: > >= < <= = != ; gpu = GiB of one GPU, gpus = how many, vram = GiB of all
    ttft<1s         ttft tpot load (ms or s), price = list price an hour, $h $mo $mtok = cost at the traffic,
                    ram cores vcpus users servers rps tok age fit (percent of the memory used), the dashboard's
                    headings (n $/mo $/mtok tok/s tok/s·u), or any number column by its full name

Spaces around a comparison's sign are allowed.
"""

from __future__ import annotations

import difflib
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.errors import brief
from models.practical import STALE_DAYS
from pricing import offer as schema
from pricing.compare import COMPARE_COLUMNS
from pricing.errors import WhereError
from pricing.filters import region_mask, text_mask

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison

    Array = np.ndarray[Any, Any]
    Mask = Callable[[Comparison], Array]

MAX_LENGTH = 2000

_TOKEN = re.compile(r'"[^"]*"|(?:[^\s"]|"[^"]*")+')
_NUMBER_TERM = re.compile(r"(?P<field>[$€£¥₹a-z_][a-z0-9_$¥/·.]*)(?P<op>>=|<=|!=|==|=|>|<)(?P<value>.*)", re.IGNORECASE)
_VALUE = re.compile(r"\$?(?P<number>\d+(?:\.\d*)?|\.\d+)(?P<unit>[a-z%]*)", re.IGNORECASE)
_SPACED = re.compile(r'("[^"]*"?)|\s*(>=|<=|!=|==|=|>|<)\s*')
_SIGNS = re.compile(r"^(?:[€£¥₹]|cn¥)(?=/?(?:h|mo|mtok|full)$)")
"""The dashboard's headings carry the sign of its currency; the figures are in that currency whatever the sign."""
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}

# Short name -> (column, kind of unit).
_FIELDS: dict[str, tuple[str, str]] = {
    "gpu": ("vram_gib_per_gpu", "gib"),
    "gpus": ("gpu_count", ""),
    "vram": ("vram", "gib"),
    "ram": ("ram_gib", "gib"),
    "cores": ("cores", ""),
    "vcpus": ("vcpus", ""),
    "vcpu": ("vcpus", ""),
    "sockets": ("sockets", ""),
    "price": ("price", ""),
    "$h": ("hourly_cost", ""),
    "$/h": ("hourly_cost", ""),
    "$mo": ("monthly_cost", ""),
    "$/mo": ("monthly_cost", ""),
    "$mtok": ("cost_per_m_output_tokens", ""),
    "$/mtok": ("cost_per_m_output_tokens", ""),
    "$full": ("cost_per_m_output_tokens_full_load", ""),
    "ttft": ("ttft_ms", "ms"),
    "tpot": ("tpot_ms", "ms"),
    "load": ("load_s", "s"),
    "users": ("max_concurrency", ""),
    "tok": ("output_tokens_per_s", ""),
    "tok/s": ("output_tokens_per_s", ""),
    "tok/s·u": ("tokens_per_s_user", ""),
    "tok/s.u": ("tokens_per_s_user", ""),
    "fit": ("memory_used_share", "%"),
    "n": ("servers_needed", ""),
    "rps": ("requests_per_s_at_target", ""),
    "servers": ("servers_needed", ""),
    "age": ("price_age_days", "d"),
    "use": ("utilization", ""),
    "context": ("max_context", ""),
}
_UNITS: dict[str, dict[str, float]] = {
    "gib": {"": 1, "g": 1, "gb": 1, "gib": 1, "t": 1024, "tb": 1024, "tib": 1024},
    "ms": {"": 1, "ms": 1, "s": 1000},
    "s": {"": 1, "s": 1, "ms": 0.001, "min": 60},
    "d": {"": 1, "d": 1, "w": 7, "mo": 30.44, "y": 365.25},
    "%": {"": 0.01, "%": 0.01},
    "": {"": 1, "k": 1e3, "m": 1e6, "%": 0.01},
}
_NAMES: dict[str, tuple[str, ...]] = {
    "provider": ("provider",),
    "server": ("server",),
    "term": ("term",),
    "tier": ("tier",),
    "chip": ("gpu_model",),
    "processor": ("cpu_model",),
    "hardware": ("gpu_model", "cpu_model"),
    "engine": ("engine_used",),
    "bound": ("bound_by",),
    "basis": ("basis",),
    "currency": ("currency",),
    "source": ("source",),
    "kind": ("kind",),
    "quant": ("quant_used",),
    "id": ("offer_id",),
}
NUMBER_HELP: tuple[tuple[str, str], ...] = (
    ("gpu", "memory of one GPU, GiB"),
    ("gpus", "how many GPUs"),
    ("vram", "memory of all GPUs, GiB"),
    ("ram", "host memory, GiB"),
    ("cores", "CPU cores"),
    ("vcpus", "virtual CPUs"),
    ("sockets", "CPUs"),
    ("price", "list price of one server an hour"),
    ("$h", "cost of all servers an hour"),
    ("$/mo", "cost of all servers a month (also $mo)"),
    ("$/mtok", "cost of a million output tokens (also $mtok)"),
    ("$full", "the same at full load"),
    ("ttft", "time to the first token, ms or s: ttft<1s"),
    ("tpot", "time between tokens, ms"),
    ("load", "loading the weights, s or min"),
    ("users", "most users on one server in the targets"),
    ("n", "servers needed (also servers)"),
    ("fit", "share of the memory used, %"),
    ("tok/s", "output tokens a second of one server"),
    ("tok/s·u", "output tokens a second of each user (also tok/s.u)"),
    ("rps", "most requests a second of one server in the targets"),
    ("use", "share of the servers that the traffic uses, as 80%"),
    ("age", "of the price: d, w, mo, y"),
    ("context", "longest context that fits, tokens"),
)
"""The fields that are compared with a number, and their units."""
TEXT_HELP: tuple[tuple[str, str], ...] = (
    ("provider:", "who sells it; several with commas"),
    ("region:", "region or its beginning: eu, us, eu-west"),
    ("server:", "the provider's name of the machine"),
    ("hardware:", "GPU or CPU; chip: is the GPU, processor: the CPU"),
    ("term:", "on-demand, spot, reserved, monthly, ..."),
    ("tier:", "the provider's class, as secure or community"),
    ("engine:", "vllm, llama.cpp, ...; quant: is the format used"),
    ("bound:", "what limits the speed; basis: measured or estimated"),
    ("source:", "where the price is from; currency: kind: id:"),
)
"""The fields that hold a text."""
_KNOWN = (
    "Texts: provider: region: term: chip: server: engine:; "
    "numbers: gpu gpus vram ram cores price $h $/mo $/mtok ttft tpot load users n fit tok/s rps age."
)
"""What is asked for most: all of it would not fit under the filter of a terminal of 80 columns."""
_ALIASES = {"where": "region"}
"""Headings of the dashboard that go by another name here."""
_EXACT = frozenset({"provider", "term", "currency", "kind", "basis"})


@dataclass(frozen=True)
class Where:
    """A compiled expression; `mask` says which offers pass."""

    text: str
    terms: tuple[tuple[str, Mask], ...]

    def mask(self, comparison: Comparison) -> Array:
        """True for the offers that all terms let through."""
        result = np.ones(len(comparison), dtype=bool)
        for _, term in self.terms:
            result &= term(comparison)
        return result

    def culprit(self, comparison: Comparison, base: Array) -> str | None:
        """The term whose removal brings most of the `base` offers back; None if none does alone."""
        best, most = None, 0
        masks = [term(comparison) for _, term in self.terms]
        for at, (text, _) in enumerate(self.terms):
            left = base.copy()
            for other, mask in enumerate(masks):
                if other != at:
                    left &= mask
            if (count := int(left.sum())) > most:
                best, most = text, count
        return best


def compile_where(text: str) -> Where:
    """Compile an expression; an empty one lets everything through. Raises WhereError naming the term at fault."""
    if len(text) > MAX_LENGTH:
        raise WhereError(text[:20] + "…", f"the expression is longer than {MAX_LENGTH} characters.")
    if text.count('"') % 2:
        raise WhereError(text[text.rindex('"') :], "the quote is not closed.")
    terms = []
    # "gpu > 24" is what people write; as three words it would find nothing and not say why.
    for match in _TOKEN.finditer(_SPACED.sub(lambda found: found[1] or found[2], text)):
        token = match.group()
        terms.append((token, _term(token)))
    return Where(text, tuple(terms))


def _term(token: str) -> Mask:
    if token.startswith("!"):
        if len(token) == 1:
            raise WhereError(token, "there is nothing after the exclamation mark.", hint="Write !spot, for example.")
        inner = _term(token[1:])
        return lambda comparison: ~inner(comparison)
    if token.startswith('"'):
        return _words(token.strip('"').lower())
    if match := _NUMBER_TERM.fullmatch(token):
        return _number(token, match["field"].lower(), match["op"], match["value"])
    name, colon, value = token.partition(":")
    if colon:
        return _names(token, name.lower(), value)
    return _FLAGS.get(token.lower()) or _words(token.lower())


_MORE_COLUMNS = frozenset({"vram", "price", "memory_used_share"})
_TEXT_FIELDS = frozenset({*_NAMES, *_ALIASES, "region"})


def _words(word: str) -> Mask:
    return lambda comparison: text_mask(comparison, word)


def _number(token: str, field: str, op: str, text: str) -> Mask:
    field = _SIGNS.sub("$", field)
    column, kind = _FIELDS.get(field, (field, ""))
    if column in _TEXT_FIELDS:
        raise WhereError(token, f"{field} is text, not a number.", hint=f"Write {field}:something instead.")
    if column not in COMPARE_COLUMNS and column not in _MORE_COLUMNS:
        raise _unknown(token, field)
    value = _VALUE.fullmatch(text.strip().replace(",", ""))
    if value is None:
        raise WhereError(
            token,
            f"{brief(text)} is not a number." if text else "the number is missing.",
            hint=f"Write {field}{op}10, for example.",
        )
    unit = _UNITS[kind].get(value["unit"].lower())
    if unit is None:
        known = ", ".join(filter(None, _UNITS[kind]))
        raise WhereError(token, f"the unit {value['unit']!r} is not known here.", hint=f"Known: {known}.")
    limit = float(value["number"]) * unit
    compare = _OPS[op]

    def mask(comparison: Comparison) -> Array:
        numbers = _numbers(comparison, token, column)
        # An unknown value passes no comparison, "not equal" included.
        return np.asarray(compare(numbers, limit) & ~np.isnan(numbers), dtype=bool)

    return mask


def _numbers(comparison: Comparison, token: str, column: str) -> Array:
    if column == "price":
        return comparison.price_per_hour
    if column == "vram":
        market = comparison.market
        count = market.column("gpu_count")
        return market.column("vram_gib_per_gpu") * np.maximum(count, 1.0)
    if column == "memory_used_share":  # an estimate that is no column of the CSV
        return np.asarray(comparison.estimates.memory_used_share, dtype=float)[comparison.market.server_index]
    values = comparison.column(column)
    if values.dtype == object:
        if column in {"shared_cpu", "vat_included"}:
            return np.array([np.nan if value is None else float(value) for value in values])
        raise WhereError(token, f"{column} is text, not a number.", hint=f"Write {column}:something instead.")
    return values.astype(float)


def _names(token: str, name: str, value: str) -> Mask:
    wanted = tuple(part.strip('"').lower() for part in value.split(",") if part.strip('"'))
    if not wanted:
        raise WhereError(token, "the value after the colon is missing.", hint=f"Write {name}:something.")
    if _ALIASES.get(name, name) == "region":
        return lambda comparison: region_mask(comparison, wanted)
    if name in _FIELDS and name not in _NAMES:
        raise WhereError(token, f"{name} is a number, not a text.", hint=f"Write {name}>=10, for example.")
    columns = _NAMES.get(name) or ((name,) if name in COMPARE_COLUMNS else None)
    if columns is None:
        raise _unknown(token, name)
    if name == "term":
        wanted = tuple(part.replace("-", "_") for part in wanted)
        for part in wanted:
            if part not in schema.TERMS:
                raise WhereError(token, f"there is no term {brief(part)}.", hint=f"Known: {', '.join(schema.TERMS)}.")

    def mask(comparison: Comparison) -> Array:
        result = np.zeros(len(comparison), dtype=bool)
        for column in columns:
            result |= _holds(comparison.column(column), wanted, exact=name in _EXACT)
        return result

    return mask


def _holds(values: Array, wanted: tuple[str, ...], *, exact: bool) -> Array:
    known: dict[Any, bool] = {}
    result = np.empty(len(values), dtype=bool)
    for at, value in enumerate(values):
        found = known.get(value)
        if found is None:
            text = "" if value is None else str(value).lower()
            found = known[value] = text in wanted if exact else any(part in text for part in wanted)
        result[at] = found
    return result


def _unknown(token: str, field: str) -> WhereError:
    near = difflib.get_close_matches(field, [*_FIELDS, *_NAMES, "region", *COMPARE_COLUMNS], 3, 0.6)
    return WhereError(
        token,
        f"there is no field {brief(field)}.",
        hint=(f"Did you mean {', '.join(near)}? " if near else "") + _KNOWN,
    )


def _is_term(term: str) -> Mask:
    return lambda comparison: comparison.market.column("term") == term


_FLAGS: dict[str, Mask] = {
    "gpu": lambda comparison: comparison.market.is_gpu,
    "cpu": lambda comparison: ~comparison.market.is_gpu,
    **{term: _is_term(term) for term in schema.TERMS},
    "fresh": lambda comparison: comparison.price_age_days <= STALE_DAYS,
    "undated": lambda comparison: np.isnan(comparison.price_age_days),
    "unknown": lambda comparison: ~comparison.market.known_hardware,
    "fits": lambda comparison: comparison.column("fits").astype(bool),
    "targets": lambda comparison: comparison.column("meets_targets").astype(bool),
    "stock": lambda comparison: ~comparison.market.out_of_stock,
}
FLAGS: tuple[str, ...] = tuple(_FLAGS)
"""The words that stand for a property rather than for themselves."""
