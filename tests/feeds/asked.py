"""What is asked of an invented feed, what it answers, and the few figures that all invented feeds share."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[2]
PAYLOADS = ROOT / "tests" / "test_pricing" / "payloads"
DAY = "2026-11-27"
"""The invented feeds are of this day: tests count ages from the Monday after it."""
USD_PER_VCPU_HOUR = 0.05


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, as a feed's own server would see it. `big` = bodies of the real size are wanted."""

    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: bytes = b""
    big: bool = False

    def json(self) -> Any:
        """The body of a POST."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a feed answers; a `body` that is a function makes the pieces of a body too large to hold."""

    body: bytes | Callable[[], Iterator[bytes]]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NOT_FOUND = Reply(b'{"message": "not found"}', 404)


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    """A value as a JSON answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json", **named})


def as_text(value: str, content_type: str = "text/plain; charset=utf-8") -> Reply:
    """A text as an answer."""
    return Reply(value.encode(), 200, {"Content-Type": content_type})


def cut(rows: Sequence[Any], start: int, size: int) -> tuple[list[Any], bool]:
    """The rows of a page, and whether more follow."""
    return list(rows[start : start + size]), start + size < len(rows)


@cache
def gpu_usd(model: str) -> float:
    """Dollars per GPU and hour in the middle of what the quality rules allow for a chip; 1 where they know none."""
    with (ROOT / "pricing" / "data" / "price_bands.csv").open(encoding="utf-8", newline="") as file:
        bands = {row["gpu_model"]: (float(row["low_usd_h"]), float(row["high_usd_h"])) for row in csv.DictReader(file)}
    low, high = bands.get(model, (1.0, 1.0))
    return round(math.sqrt(low * high), 3)


@cache
def card_usd(spelling: str, memory_gib: float | None = None) -> float:
    """The same for a provider's spelling of a card."""
    from pricing.identity import find_gpu

    chip = find_gpu(spelling, memory_gib) or find_gpu(spelling)
    return gpu_usd(chip.name) if chip else 1.0


@cache
def gpu_types(provider: str) -> tuple[tuple[str, float, float], ...]:
    """Instance types of a provider that have accelerators: name, GPUs, dollars an hour."""
    with (ROOT / "pricing" / "data" / "gpu_instances.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["provider"] == provider]
    return tuple(
        (row["server"], float(row["gpu_count"]), round(gpu_usd(row["gpu_model"]) * float(row["gpu_count"]), 4))
        for row in rows
    )


@cache
def card_gib(spelling: str) -> float:
    """The memory of a provider's spelling of a card; 24 where the catalog does not know it by the name alone."""
    from pricing.identity import find_gpu

    chip = find_gpu(spelling)
    return chip.memory_gib if chip else 24.0
