"""Oracle's list of parts: which rows price a part of a compute shape, and which of a row's prices counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pricing.feed import Harvest, items, number, rows, text

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMPUTE = re.compile(r"(?:(?:oracle cloud infrastructure|oci)\s*-\s*)?compute\s*-\s*(.+)", re.IGNORECASE)
_DASH = re.compile(r"\s+-\s+")
_NOT_HOST = re.compile(r"windows os|os images|vmware|sql server|free", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Product:
    """A part and its price: dollars for an hour of one GPU, OCPU, GB or TB."""

    name: str
    metric: str
    usd_per_hour: float


def read_products(answer: Any, harvest: Harvest, *, named: bool = True) -> dict[str, Product]:
    """Parts of compute shapes by their number; `named` = the list has names to choose by. Raises FeedError."""
    found: dict[str, Product] = {}

    def take(row: Any) -> None:
        part, name = text(row, "partNumber"), part_name(text(row, "displayName") or "")
        category = text(row, "serviceCategory") or ""
        if part is None or (named and (name is None or _NOT_HOST.search(f"{name} {category}"))):
            harvest.skip("not a part of a compute shape")
            return
        metric = text(row, "metricName") or ""
        if text(row, "pricetype") not in {None, "HOUR"} or (metric and not metric.endswith("Per Hour")):
            harvest.skip("not priced by the hour")
            return
        price = _open_price(row)
        if price is None:
            harvest.skip("no dollar price")
            return
        found[part] = Product(name or "", metric, price)

    harvest.each(rows("oci", answer, "items"), take)
    return found


def part_name(display: str) -> str | None:
    """What a part of a compute shape is ("GPU-H100", "Standard-E4-OCPU"); None for licences and other services."""
    found = _COMPUTE.fullmatch(" ".join(display.split()))
    return _DASH.sub("-", found[1]) if found else None


def _open_price(row: Any) -> float | None:
    """The pay-as-you-go price in dollars; of a ladder, that without an upper end: the first steps are a free allowance."""
    for local in items(row, "currencyCodeLocalizations"):
        if text(local, "currencyCode") == "USD":
            steps = [step for step in items(local, "prices") if text(step, "model") == "PAY_AS_YOU_GO"]
            last = max(steps, key=lambda step: number(step, "rangeMin") or 0.0, default=None)
            return number(last, "value")
    return None


def gpu_prices(products: Mapping[str, Product]) -> dict[str, float]:
    """Dollars per GPU and hour by the list's name of the GPU: "H100", "A100-v2", "GPU Standard-V2"."""
    return {
        product.name.removeprefix("GPU-"): product.usd_per_hour
        for product in products.values()
        if product.metric == "GPU Per Hour"
    }
