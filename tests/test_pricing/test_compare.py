"""What offers cost at a workload, on figures that can be checked by hand.

The stand-in servers do 4 requests/s; the workload is 1 request/s of 1000 tokens in and 200 out, so one server is
needed and serves 200 x 3600 x 730 = 525.6 million output tokens a month.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from models.errors import InputError
from pricing.compare import COMPARE_COLUMNS, CompareOptions, Comparison
from pricing.filters import Filters, LeftOut
from pricing.money import make_rates
from pricing.store import UNLISTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from models.traffic import Workload
    from pricing.offer import Offer

TODAY = date(2026, 11, 30)
M_OUTPUT = 525.6


def cost(comparison: Comparison, name: str = "monthly_cost", at: int = 0) -> float:
    return float(comparison.column(name)[at])


def test_an_hourly_server_by_hand(make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]) -> None:
    row = make_comparison([make_offer(price_per_hour=2.0)]).row(0)
    assert row["hourly_cost"] == pytest.approx(2.0)
    assert row["monthly_cost"] == pytest.approx(1460.0)
    assert row["cost_per_m_output_tokens"] == pytest.approx(1460.0 / M_OUTPUT)
    # Six tokens are served for each output token.
    assert row["cost_per_m_total_tokens"] == pytest.approx(1460.0 / M_OUTPUT / 6)
    # At 4 requests/s instead of 1.
    assert row["cost_per_m_output_tokens_full_load"] == pytest.approx(1460.0 / M_OUTPUT / 4)
    assert (row["servers_needed"], row["cost_currency"], row["price_age_days"]) == (1.0, "USD", 29.0)
    assert row["price_per_month"] is None


def test_whole_servers_are_paid(make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]) -> None:
    def three(estimates: Any, _: Any) -> None:
        estimates.servers_needed[:] = 3
        estimates.requests_per_s_at_target[:] = 0.4

    comparison = make_comparison([make_offer(price_per_hour=2.0)], change=three)
    assert cost(comparison) == pytest.approx(3 * 1460.0)
    assert cost(comparison, "cost_per_m_output_tokens") == pytest.approx(3 * 1460.0 / M_OUTPUT)
    assert cost(comparison, "cost_per_m_output_tokens_full_load") == pytest.approx(1460.0 / (M_OUTPUT * 0.4))


def test_servers_that_cannot_keep_up_are_priced_on_what_they_serve(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
) -> None:
    def weak(estimates: Any, _: Any) -> None:
        estimates.requests_per_s_at_target[:] = 0.5
        estimates.meets_targets[:] = False

    comparison = make_comparison([make_offer(price_per_hour=2.0)], change=weak)
    assert cost(comparison, "cost_per_m_output_tokens") == pytest.approx(1460.0 / (M_OUTPUT / 2))


def test_users_instead_of_a_rate_are_priced_on_their_requests(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
    workload: Workload,
) -> None:
    def rate(estimates: Any, _: Any) -> None:
        estimates.servers_needed[:] = 2
        estimates.requests_per_s[:] = 1.5

    comparison = make_comparison([make_offer(price_per_hour=2.0)], change=rate, work=workload.changed(concurrency=16))
    assert cost(comparison, "cost_per_m_output_tokens") == pytest.approx(2 * 1460.0 / (M_OUTPUT * 3))


@pytest.mark.parametrize(
    ("facts", "hours", "month"),
    [
        ({"price_per_hour": 1.0}, 100, 100.0),
        ({"price_per_hour": 1.0, "price_per_month": 500.0}, 730, 500.0),
        ({"price_per_hour": 1.0, "price_per_month": 500.0}, 100, 100.0),
        ({"price_per_hour": None, "price_per_month": 500.0, "term": "monthly"}, 730, 500.0),
        ({"price_per_hour": 1.0, "price_per_month": 500.0, "term": "monthly"}, 100, 500.0),
        ({"price_per_hour": None, "price_per_month": 500.0, "term": "monthly", "setup_fee": 120.0}, 730, 510.0),
        ({"price_per_hour": 1.0, "term": "reserved", "commitment_months": 12}, 100, 730.0),
    ],
    ids=[
        "hours",
        "cap reached",
        "below the cap",
        "month only",
        "a contract costs the month",
        "setup over a year",
        "a commitment is paid unused",
    ],
)
def test_months_hours_caps_and_setup(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
    facts: dict[str, Any],
    hours: float,
    month: float,
) -> None:
    comparison = make_comparison([make_offer(**facts)], CompareOptions(hours_per_month=hours, today=TODAY))
    assert cost(comparison) == pytest.approx(month)
    assert cost(comparison, "hourly_cost") == pytest.approx(month / hours)


def test_setup_months_are_the_users(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    offer = make_offer(price_per_hour=None, price_per_month=100.0, term="monthly", setup_fee=100.0)
    assert cost(make_comparison([offer], CompareOptions(setup_months=1, today=TODAY))) == pytest.approx(200.0)


def test_currency_discount_and_tax(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    offers = [
        make_offer(currency="EUR"),
        make_offer(server="b", vat_included=True),
        make_offer(server="c", currency="RUB"),
    ]
    terms = CompareOptions(
        currency="GBP",
        vat=0.2,
        discounts={"aws": 0.1},
        today=TODAY,
        rates=make_rates({"USD": 1.25, "GBP": 0.8}, "2026-11-01"),
    )
    comparison = make_comparison(offers, terms)
    assert cost(comparison, "hourly_cost", 0) == pytest.approx(0.8 * 1.2 * 0.9)
    assert cost(comparison, "hourly_cost", 1) == pytest.approx(0.8 / 1.25 * 0.9)
    assert np.isnan(cost(comparison, "hourly_cost", 2))
    assert comparison.reason(2) == "no exchange rate for RUB"
    assert comparison.row(0)["price_per_hour"] == 1.0
    assert comparison.row(0)["cost_currency"] == "GBP"
    assert "price includes tax" in comparison.warnings(1)


def test_what_region_and_age_alone_keep_out_is_counted(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    comparison = make_comparison([
        make_offer(server="here"),
        make_offer(server="nowhere", region=None, region_group=None),
        make_offer(server="nowhere-spot", region=None, region_group=None, term="spot"),
        make_offer(server="abroad", region="eu-west-1", region_group="eu"),
        make_offer(server="undated", source_date=None),
        make_offer(server="old", source_date="2023-01-01"),
        make_offer(server="old-abroad", region="eu-west-1", region_group="eu", source_date="2023-01-01"),
    ])  # fmt: skip
    assert Filters(regions=("us",)).left_out(comparison) == LeftOut(without_region=1, undated_or_old=2)
    assert Filters().left_out(comparison) == LeftOut(without_region=0, undated_or_old=3)
    assert Filters(undated=True, max_age_months=None).left_out(comparison) == LeftOut()


@pytest.mark.filterwarnings("error")
def test_absurdly_few_hours_leak_no_warning(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    offer = make_offer(price_per_hour=None, price_per_month=100.0, term="monthly")
    row = make_comparison([offer], CompareOptions(hours_per_month=1e-308, today=TODAY)).row(0)
    assert row["hourly_cost"] is None
    assert row["monthly_cost"] == 100.0


def test_a_discount_is_on_what_recurs_and_not_on_the_setup_fee(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    offer = make_offer(price_per_hour=None, price_per_month=100.0, term="monthly", setup_fee=120.0)
    terms = CompareOptions(setup_months=12, discounts={"aws": 0.5}, vat=0.1, today=TODAY)
    assert cost(make_comparison([offer], terms)) == pytest.approx((100 * 0.5 + 120 / 12) * 1.1)


def test_what_does_not_fit_has_no_cost(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    def small(estimates: Any, _: Any) -> None:
        estimates.fits[:] = False
        estimates.meets_targets[:] = False
        estimates.reasons[0] = "needs 30 GiB, has 24"

    row = make_comparison([make_offer()], change=small).row(0)
    assert (row["monthly_cost"], row["cost_per_m_output_tokens"], row["fits"]) == (None, None, False)
    assert row["reason"] == "needs 30 GiB, has 24"


def test_an_unknown_chip_says_which(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    comparison = make_comparison([make_offer(gpu_model="Card of 2029")])
    assert comparison.reason(0) == "unknown chip Card of 2029"


def test_warnings_name_old_undated_derived_and_gone(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
) -> None:
    def many(estimates: Any, _: Any) -> None:
        estimates.servers_needed[:] = 51

    comparison = make_comparison(
        [
            make_offer(source_date="2026-01-21", price_basis="derived", availability=UNLISTED, ram_gib=4.0, cores=1.0),
            make_offer(server="b", source_date=None),
        ],
        change=many,
    )
    said = "; ".join(comparison.warnings(0))
    for part in ("not practical", "313 days old", "worked out", UNLISTED, "RAM", "host core"):
        assert part in said
    assert "undated price" in comparison.warnings(1)


def test_every_column_is_there_in_the_order_of_the_design(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
) -> None:
    comparison = make_comparison([make_offer(), make_offer(kind="cpu", server="m7i.large", vcpus=2.0)])
    assert list(comparison.row(1)) == list(COMPARE_COLUMNS)
    for name in COMPARE_COLUMNS:
        assert len(comparison.column(name)) == 2, name
    with pytest.raises(KeyError):
        comparison.column("no such column")


def test_an_empty_market_compares(make_comparison: Callable[..., Comparison]) -> None:
    comparison = make_comparison([])
    assert comparison.select().tolist() == []
    assert len(comparison.column("monthly_cost")) == 0
    assert len(comparison.column("engine_used")) == 0


class TestOrder:
    def names(self, comparison: Comparison, **options: Any) -> list[str]:
        return [
            comparison.market.offers[at].server
            for at in comparison.select(Filters(terms=("all",), undated=True), **options)
        ]

    def test_who_meets_comes_before_who_misses_before_who_has_no_figure(
        self,
        make_offer: Callable[..., Offer],
        make_comparison: Callable[..., Comparison],
    ) -> None:
        def verdicts(estimates: Any, market: Any) -> None:
            for at, server in enumerate(market.servers):
                estimates.meets_targets[at] = server.gpu_count != 2
                estimates.fits[at] = server.gpu_count != 3

        offers = [
            make_offer(server="none", gpu_count=3.0, price_per_hour=0.1),
            make_offer(server="misses", gpu_count=2.0, price_per_hour=0.2),
            make_offer(server="gone", price_per_hour=0.3, availability="sold out"),
            make_offer(server="dear", price_per_hour=9.0),
            make_offer(server="cheap", price_per_hour=1.0),
        ]
        assert self.names(make_comparison(offers, change=verdicts)) == ["cheap", "dear", "gone", "misses", "none"]

    def test_ties_go_by_price_then_id_and_undated_never_first(
        self,
        make_offer: Callable[..., Offer],
        make_comparison: Callable[..., Comparison],
    ) -> None:
        offers = [make_offer(server="b"), make_offer(server="a"), make_offer(server="0", source_date=None)]
        comparison = make_comparison(offers)
        assert self.names(comparison) == ["a", "b", "0"]
        assert self.names(comparison, sort="ttft_ms") == ["a", "b", "0"]
        assert self.names(comparison, sort="server", descending=True) == ["b", "a", "0"]
        assert self.names(comparison, limit=1) == ["a"]

    def test_unknown_values_are_last_both_ways(
        self, make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
    ) -> None:
        offers = [
            make_offer(server="none"),
            make_offer(server="small", ram_gib=8.0),
            make_offer(server="large", ram_gib=64.0),
        ]
        comparison = make_comparison(offers)
        assert self.names(comparison, sort="ram_gib") == ["small", "large", "none"]
        assert self.names(comparison, sort="ram_gib", descending=True) == ["large", "small", "none"]

    def test_a_column_that_is_none_is_told_with_near_ones(
        self,
        make_offer: Callable[..., Offer],
        make_comparison: Callable[..., Comparison],
    ) -> None:
        with pytest.raises(InputError, match="monthly_cost"):
            make_comparison([make_offer()]).select(sort="month_cost")


class TestFilters:
    @pytest.fixture
    def comparison(self, make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]) -> Comparison:
        return make_comparison(
            [
                make_offer(server="plain"),
                make_offer(server="spot", term="spot"),
                make_offer(server="undated", source_date=None),
                make_offer(server="ancient", source_date="2023-01-01"),
                make_offer(server="mine", provider="custom", source_date=None),
                make_offer(
                    server="cpu",
                    kind="cpu",
                    provider="hetzner",
                    region="fsn1",
                    region_group="eu",
                    term="monthly",
                    price_per_hour=None,
                    price_per_month=50.0,
                ),
                make_offer(server="dear", price_per_hour=20.0, region="us-east-2"),
            ]
        )

    def names(self, comparison: Comparison, **wanted: Any) -> set[str]:
        return {comparison.market.offers[at].server for at in np.flatnonzero(Filters(**wanted).mask(comparison))}

    def test_the_default_hides_spot_undated_and_ancient_but_not_the_users_own(self, comparison: Comparison) -> None:
        assert self.names(comparison) == {"plain", "mine", "cpu", "dear"}
        assert self.names(comparison, undated=True) == {"plain", "mine", "cpu", "dear", "undated"}
        assert self.names(comparison, terms=("all",)) == {"plain", "mine", "cpu", "dear", "spot"}
        assert self.names(comparison, max_age_months=None) == {"plain", "mine", "cpu", "dear", "ancient"}

    @pytest.mark.parametrize(
        ("wanted", "left"),
        [
            ({"kind": "cpu"}, {"cpu"}),
            ({"providers": ("Hetzner", "custom")}, {"cpu", "mine"}),
            ({"max_usd_month": 100.0}, {"cpu"}),
            ({"max_usd_hour": 1.5}, {"plain", "mine", "cpu"}),
            ({"regions": ("us-east-2",)}, {"dear"}),
            ({"regions": ("us-east",)}, {"dear", "plain", "mine"}),
            ({"regions": ("eu",)}, {"cpu"}),
            ({"regions": ("fsn", "us-east-2")}, {"cpu", "dear"}),
            ({"regions": ("mars",)}, set()),
            ({"text": "l4 EAST-2"}, {"dear"}),
            ({"fit": "targets"}, {"plain", "mine", "cpu", "dear"}),
        ],
    )
    def test_conditions(self, comparison: Comparison, wanted: dict[str, Any], left: set[str]) -> None:
        assert self.names(comparison, **wanted) == left

    def test_a_row_of_many_regions_is_in_each(
        self, make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
    ) -> None:
        comparison = make_comparison(
            [
                make_offer(server="many", region="bhs fra gra", region_group="us"),
                make_offer(server="named", region="eu", region_group="eu"),
            ]
        )
        assert self.names(comparison, regions=("fra",)) == {"many"}
        assert self.names(comparison, regions=("eu",)) == {"many", "named"}
        assert self.names(comparison, regions=("us",)) == {"many"}

    def test_budgets_are_dollars_whatever_is_shown(
        self, make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
    ) -> None:
        comparison = make_comparison([make_offer(price_per_hour=1.0)], CompareOptions(currency="EUR", today=TODAY))
        assert self.names(comparison, max_usd_hour=0.95) == set()
        assert self.names(comparison, max_usd_hour=1.01) == {"g6.xlarge"}

    @pytest.mark.parametrize("wanted", [{"kind": "tpu"}, {"fit": "maybe"}, {"terms": ("weekly",)}])
    def test_a_condition_that_is_none_is_refused(self, wanted: dict[str, Any]) -> None:
        with pytest.raises(InputError):
            Filters(**wanted)


def test_a_machine_that_was_measured_says_so(
    make_comparison: Callable[..., Comparison], make_offer: Callable[..., Offer], tmp_path: Path
) -> None:
    from pricing.measured_machines import COLUMNS, LICENCE, MEASURED_BY

    row = "llm,pp512,llama-8b.Q4_K_M,123.4,tokens/s,16,2026-08-22,https://example.org"
    (tmp_path / "aws_m8i.large.csv").write_text(f"{LICENCE}\n{','.join(COLUMNS)}\n{row}\n", encoding="utf-8")
    comparison = make_comparison(
        [make_offer(kind="cpu", server="m8i.large"), make_offer(kind="cpu", server="m9.large")]
    )
    assert comparison.machine_figures(0) == ()
    comparison.market.machines_folder = tmp_path
    said = comparison.machine_figures(0)
    assert said == ("pp512 of llama-8b.Q4_K_M = 123.4 tokens/s, 16 threads", f"{MEASURED_BY} 2026-08-22")
    assert comparison.machine_figures(1) == ()
