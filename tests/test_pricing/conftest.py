"""Offers, workloads and a stand-in for the estimator: prices are tested with figures that a reader can follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from models import catalog
from models.result_columns import FIGURES
from models.traffic import Workload
from pricing import offer as schema
from pricing.compare import CompareOptions, Comparison
from pricing.market import Market
from pricing.offer import Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_httpserver import HTTPServer

    from pricing.asking import Asker
    from pricing.provider import Fetched

TODAY = "2026-11-30"
_FLOATS = (*FIGURES, "requests_per_s_at_target", "servers_needed", "utilization", "memory_used_share")


@dataclass
class FakeEstimates:
    """What compare reads of models.estimate.Estimates, with round figures: every server does 4 requests/s in 500 ms."""

    count: int
    reasons: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        figures = {
            "requests_per_s_at_target": 4.0,
            "servers_needed": 1.0,
            "ttft_ms": 500.0,
            "tpot_ms": 20.0,
            "utilization": 0.25,
            "weights_gib_per_device": 8.0,
            "requests_per_s": 1.0,
        }
        for name in _FLOATS:
            setattr(self, name, np.full(self.count, figures.get(name, np.nan)))
        self.fits = np.ones(self.count, dtype=bool)
        self.answered = np.ones(self.count, dtype=bool)
        self.meets_targets = np.ones(self.count, dtype=bool)
        self.tp_used = np.ones(self.count, dtype=int)
        self.replicas = np.ones(self.count, dtype=int)

    def reason(self, at: int) -> str:
        return self.reasons.get(at, "")

    def warnings(self, _: int) -> tuple[str, ...]:
        return ()

    def engine_used(self, _: int) -> str:
        return "vllm"

    def quant_used(self, _: int) -> str:
        return "fp8"

    def bound_by(self, _: int) -> str:
        return "memory bandwidth"

    def basis(self, _: int) -> str:
        return "calibrated"

    def fit_reason(self, _: int) -> str:
        return "fits"


@pytest.fixture
def make_offer() -> Callable[..., Offer]:
    """An offer with the facts given, a cheap L4 server otherwise."""

    def make(**facts: Any) -> Offer:
        values: dict[str, Any] = dict.fromkeys(schema.OFFER_COLUMNS)
        values |= {
            "provider": "aws",
            "server": "g6.xlarge",
            "region": "us-east-1",
            "region_group": "us",
            "kind": "gpu",
            "gpu_model": "L4",
            "gpu_count": 1.0,
            "vram_gib_per_gpu": 24.0,
            "term": "on_demand",
            "currency": "USD",
            "price_per_hour": 1.0,
            "vat_included": False,
            "source": "a list",
            "source_date": "2026-11-01",
            "fetched_at": TODAY,
            "price_basis": "listed",
        }
        if facts.get("kind") == "cpu":
            values |= {"gpu_model": None, "gpu_count": None, "vram_gib_per_gpu": None}
        values |= facts
        values["offer_id"] = facts.get("offer_id") or schema.offer_id(
            values["provider"],
            values["server"],
            values["region"],
            values["term"],
            values["commitment_months"],
            values["tier"],
            values["currency"],
        )
        return Offer(**values)

    return make


@pytest.fixture
def workload() -> Workload:
    """One request a second, 1000 tokens in, 200 out."""
    return Workload(catalog.llm("Llama-3.1-8B"), input_tokens=1000, output_tokens=200, requests_per_s=1.0)


@pytest.fixture
def make_comparison(workload: Workload) -> Callable[..., Comparison]:
    """Offers priced on the fake estimates; `change` may edit these before."""

    def make(
        offers: list[Offer],
        terms: CompareOptions | None = None,
        change: Callable[[FakeEstimates, Market], None] | None = None,
        work: Workload | None = None,
    ) -> Comparison:
        from datetime import date

        market = Market(offers)
        estimates = FakeEstimates(len(market.servers))
        if change:
            change(estimates, market)
        terms = terms or CompareOptions(today=date.fromisoformat(TODAY))
        return Comparison(market, work or workload, estimates, terms)  # type: ignore[arg-type]

    return make


# Feeds. Every request for https://HOST/PATH goes to the loopback server as /HOST/PATH.


@pytest.fixture
def asker(httpserver: HTTPServer) -> Iterator[Callable[..., Asker]]:
    """Makes an Asker for a provider's name that asks the loopback server; nothing is waited for between attempts."""
    from pricing.asking import Asker
    from pricing.http import Client
    from pricing.provider import provider

    with Client(mirror=httpserver.url_for("").rstrip("/"), sleep=lambda _: None) as client:

        def make(name: str, regions: tuple[str, ...] = ()) -> Asker:
            return Asker(provider(name).about, client, regions)

        yield make


@pytest.fixture
def fetch_and_parse(asker: Callable[..., Asker]) -> Callable[..., Fetched]:
    """What a provider makes of the loopback server's answers."""
    from datetime import UTC, datetime

    from pricing.provider import provider

    def run(name: str, regions: tuple[str, ...] = ()) -> Fetched:
        ask = asker(name, regions)
        source = provider(name)
        source.fetch(ask)
        return source.parse(ask.answers, datetime(2026, 11, 30, 12, tzinfo=UTC))

    return run


CAPTURES = Path(__file__).parents[3] / "shared" / "data" / "payloads"


@pytest.fixture
def capture() -> Callable[[str], bytes]:
    """A captured answer of a real feed; the test is skipped where the captures are not at hand."""

    def read(name: str) -> bytes:
        path = CAPTURES / name
        if not path.exists():
            pytest.skip(f"{name} is not at hand")
        return path.read_bytes()

    return read
