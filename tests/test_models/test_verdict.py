"""The verdict's rules, on offers made up for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from models import catalog
from models.traffic import Workload
from models.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

NAN = float("nan")
OFFER: dict[str, Any] = {
    "provider": "acme",
    "kind": "gpu",
    "availability": None,
    "term": "on_demand",
    "price_age_days": 20.0,
    "reason": None,
    "cost_currency": "USD",
    "fits": True,
    "meets_targets": True,
    "monthly_cost": 500.0,
    "servers_needed": 1.0,
    "most_servers": 50.0,
    "ttft_ms": 120.0,
    "ttft_ms_low": 80.0,
    "ttft_ms_high": 190.0,
    "tpot_ms": 20.0,
    "tpot_ms_low": 16.0,
    "tpot_ms_high": 30.0,
    "output_tokens_per_s": 211.0,
    "output_tokens_per_s_low": 211.0,
    "output_tokens_per_s_high": 211.0,
    "utilization": 0.1,
    "requests_per_s_at_target": 10.0,
    "memory_used_share": 0.5,
    "weights_gib_per_device": 8.0,
}


class Made:
    """A comparison made of plain rows."""

    def __init__(self, *offers: dict[str, Any], **workload: Any) -> None:
        self.offers, self.changes = offers, workload
        self.workload = Workload(model=catalog.llm("Llama-3.1-8B")).changed(**workload)

    def at_end(self, end: str, times: float = 1.0) -> Made:
        """Every offer with what its `low` or `high` says is other there."""
        del times
        return Made(*({**offer, **offer.get(end, {})} for offer in self.offers), **self.changes)

    def months_at(self, offers: Sequence[int], end: str) -> tuple[float, ...]:
        return tuple(self.at_end(end).column("monthly_cost")[list(offers)].tolist())

    def column(self, name: str) -> np.ndarray:
        # One request alone is as fast as under load here, unless a row says otherwise.
        same = {"ttft_solo_ms": "ttft_ms"}
        return np.array([offer[name] if name in offer else offer[same[name]] for offer in self.offers])


def gpu(server: str = "g1", **changes: Any) -> dict[str, Any]:
    return {**OFFER, "server": server, **changes}


def cpu(server: str = "c1", **changes: Any) -> dict[str, Any]:
    slow = {
        "kind": "cpu",
        "monthly_cost": 200.0,
        "ttft_ms": 1200.0,
        "ttft_ms_low": 800.0,
        "ttft_ms_high": 1900.0,
        "tpot_ms": 90.0,
        "tpot_ms_low": 60.0,
        "tpot_ms_high": 140.0,
        "requests_per_s_at_target": 2.0,
        "utilization": 0.5,
    }
    return {**OFFER, "server": server, **slow, **changes}


def missing(offer: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**offer, "meets_targets": False, **changes}


def test_cpu_is_enough() -> None:
    found = verdict(Made(gpu(), cpu(), cpu("c2", monthly_cost=900.0)))
    assert (found.code, found.cpu_pick, found.gpu_pick) == ("cpu_enough", 1, 0)
    assert found.sentence == (
        "A CPU server is enough: acme c1 at $200 a month, TTFT 1.2 s, TPOT 90 ms; the cheapest GPU that meets the "
        "targets, acme g1, costs 2.5x ($500)."
    )


def test_cpu_is_enough_until_the_traffic_grows() -> None:
    found = verdict(Made(gpu(), cpu()))
    assert found.changes == ("Above 4 requests/s the GPU server acme g1 is the cheaper one.",)
    planned = verdict(Made(gpu(), cpu(), utilization=0.8))  # each of two CPU servers is to carry 1.6 of its 2
    assert planned.changes == ("Above 3.2 requests/s the GPU server acme g1 is the cheaper one.",)


def test_gpu_is_cheaper() -> None:
    found = verdict(Made(cpu(monthly_cost=1500.0, servers_needed=3.0, requests_per_s_at_target=0.4), gpu()))
    assert (found.code, found.cpu_pick, found.gpu_pick) == ("gpu_cheaper", 0, 1)
    assert found.sentence.startswith("A GPU is cheaper: acme g1 at $500 a month, TTFT 120 ms, TPOT 20 ms;")
    assert "costs 3.0x ($1,500)" in found.sentence


def test_gpu_is_needed_and_why() -> None:
    found = verdict(Made(gpu(), missing(cpu("near"), ttft_ms=2800.0), missing(cpu("far"), ttft_ms=9000.0)))
    assert (found.code, found.cpu_pick, found.gpu_pick, found.nearest) == ("gpu_needed", None, 0, 1)
    assert found.sentence == (
        "A GPU is needed: no CPU server meets TTFT 2 s (best 2.8 s alone); cheapest is acme g1 at $500 a month, "
        "TTFT 120 ms, TPOT 20 ms."
    )
    assert found.changes[0] == (
        "The nearest CPU server, acme near at $200 a month, would have TTFT 2.8 s, TPOT 90 ms (40 % over)."
    )


def test_no_cpu_meets_both_targets_at_once() -> None:
    found = verdict(Made(gpu(), missing(cpu(), ttft_ms=2500.0), missing(cpu("c2"), tpot_ms=250.0)))
    assert "no CPU server meets both targets at once" in found.sentence


def test_gpu_is_needed_because_no_cpu_holds_the_model() -> None:
    found = verdict(Made(gpu(), missing(cpu(), fits=False, monthly_cost=NAN)))
    assert found.code == "gpu_needed"
    assert "no CPU server here holds the model" in found.sentence


def test_gpu_is_needed_because_cpus_lack_the_format() -> None:
    nothing = {"fits": False, "monthly_cost": NAN, "weights_gib_per_device": NAN}
    found = verdict(Made(gpu(), missing(cpu(), **nothing), quant="fp8"))
    assert found.code == "gpu_needed"
    assert "fp8 does not run on CPUs" in found.sentence


def test_the_best_that_cpus_reach_is_one_request_alone() -> None:
    found = verdict(Made(gpu(), missing(cpu(), ttft_ms=9000.0, ttft_solo_ms=2800.0)))
    assert "TTFT 2 s (best 2.8 s alone)" in found.sentence


def test_one_kind_alone_says_so() -> None:
    assert verdict(Made(gpu())).code == "only_gpu"
    assert "no CPU server is among these offers" in verdict(Made(gpu())).sentence
    assert verdict(Made(cpu())).code == "only_cpu"
    assert "no GPU server is among these offers" in verdict(Made(cpu())).sentence
    assert "no GPU server here meets the targets" in verdict(Made(cpu(), missing(gpu(), ttft_ms=3000.0))).sentence
    assert "no GPU server here holds the model" in verdict(Made(cpu(), missing(gpu(), fits=False))).sentence


def test_bills_that_may_change_places_are_too_close_to_call() -> None:
    # Two CPU servers become one to four within the band: 300 to 1,200 a month, around the GPU's 700.
    wide = {
        "servers_needed": 2.0,
        "monthly_cost": 600.0,
        "low": {"monthly_cost": 1200.0},
        "high": {"monthly_cost": 300.0},
    }
    found = verdict(Made(cpu(**wide), gpu(monthly_cost=700.0)))
    assert (found.code, found.cpu_pick, found.gpu_pick) == ("close", 0, 1)
    assert found.sentence == (
        "Too close to call: on a CPU 2 x acme c1 at $600 a month, on a GPU acme g1 at $700 a month; either may be the cheaper one "
        "inside the error bands of their speeds."
    )
    dearer = {**wide, "low": {"monthly_cost": 690.0}}
    assert verdict(Made(cpu(**dearer), gpu(monthly_cost=700.0))).code == "cpu_enough"


def test_one_that_misses_its_targets_at_the_slow_end_has_no_bill_there() -> None:
    """That is a risk to name, not a reason to call two bills close."""
    assert verdict(Made(cpu(low={"monthly_cost": NAN}), gpu())).code == "cpu_enough"


def test_pick_that_may_miss_its_target_is_named() -> None:
    found = verdict(Made(cpu(ttft_ms=1800.0, ttft_ms_low=900.0, ttft_ms_high=3600.0), gpu()))
    assert "acme c1 may miss the TTFT target of 2 s: its band is 900 ms to 3.6 s." in found.changes


def test_nothing_meets_names_the_nearest_way_out() -> None:
    found = verdict(Made(missing(gpu(), ttft_ms=6000.0), missing(cpu(), ttft_ms=2790.0)))
    assert (found.code, found.nearest, found.cpu_pick, found.gpu_pick) == ("none_meets", 1, None, None)
    assert (
        found.sentence
        == "Nothing meets the targets; nearest is acme c1 at $200 a month: TTFT 2.79 s instead of 2 s (40 % over)."
    )
    assert found.changes == ("With a TTFT target of 2.8 s it would do.",)


def test_nothing_meets_also_says_what_a_cpu_would_meet() -> None:
    found = verdict(Made(missing(gpu(), tpot_ms=230.0), missing(cpu(), ttft_ms=8000.0)))
    assert found.nearest == 0
    assert "TPOT 230 ms instead of 200 ms (15 % over)" in found.sentence
    assert found.changes[1] == "The nearest CPU server, acme c1 at $200 a month, would have TTFT 8 s, TPOT 90 ms."


def test_nothing_fits() -> None:
    found = verdict(
        Made(
            missing(gpu(), fits=False, memory_used_share=1.8, monthly_cost=NAN),
            missing(gpu("g2"), fits=False, memory_used_share=1.25, monthly_cost=NAN),
        )
    )
    assert (found.code, found.nearest) == ("nothing_fits", 1)
    assert "acme g2, would need 1.25 times its memory" in found.sentence


@pytest.mark.parametrize(
    ("made", "code", "says"),
    [
        (Made(gpu(monthly_cost=NAN)), "no_prices", "1 server meets the targets, but none of them has a price."),
        (Made(gpu(monthly_cost=NAN), cpu(monthly_cost=NAN)), "no_prices", "2 servers meet the targets"),
        (
            Made(missing(gpu(), ttft_ms=NAN, tpot_ms=NAN, monthly_cost=NAN)),
            "no_estimate",
            "1 server holds the model, but none has an estimate",
        ),
        (Made(missing(gpu(), ttft_ms=3000.0, monthly_cost=NAN)), "none_meets", "no server that comes near has a price"),
    ],
    ids=["one", "two", "no estimate", "no price near"],
)
def test_no_price_or_estimate(made: Made, code: str, says: str) -> None:
    found = verdict(made)
    assert found.code == code
    assert says in found.sentence


def test_no_offers() -> None:
    assert verdict(Made()).code == "no_offers"
    assert verdict(Made(gpu()), np.array([], dtype=int)).code == "no_offers"


def test_only_the_rows_asked_about_count() -> None:
    found = verdict(Made(cpu("cheap", monthly_cost=10.0), gpu(), cpu("other")), np.array([1, 2]))
    assert (found.cpu_pick, found.gpu_pick) == (2, 1)


def test_out_of_stock_and_huge_fleets_come_last() -> None:
    sold = gpu("sold", monthly_cost=100.0, availability="out of stock")
    fleet = gpu("fleet", monthly_cost=90.0, servers_needed=80.0)
    assert verdict(Made(sold, fleet, gpu("plain"))).gpu_pick == 2
    assert verdict(Made(sold)).gpu_pick == 0


def test_ties_go_to_the_faster_server() -> None:
    assert verdict(Made(gpu("slow", ttft_ms=500.0), gpu("fast", ttft_ms=50.0))).gpu_pick == 1


def test_spot_and_old_prices_are_named() -> None:
    found = verdict(Made(gpu(term="spot", price_age_days=190.0)))
    assert "acme g1 at $500 a month (spot, price 190 days old)" in found.sentence


def test_what_is_cheaper_and_passed_over_is_named() -> None:
    """Else the first row of the table and the verdict would contradict each other without a word."""
    found = verdict(Made(gpu(), gpu("g2", servers_needed=1054.0, monthly_cost=90.0)))
    assert found.gpu_pick == 0
    assert found.changes[0] == "Cheaper, but more than 50 servers: 1,054 x acme g2 at $90.00 a month."
    gone = verdict(Made(gpu(), gpu("g2", availability="sold out", monthly_cost=90.0)))
    assert gone.changes[0] == "Cheaper, but sold out: acme g2 at $90.00 a month."
    left = verdict(Made(gpu(), gpu("g2", availability="not in the last feed", monthly_cost=90.0)))
    assert left.gpu_pick == 0


def test_far_misses_are_times_the_target() -> None:
    found = verdict(Made(missing(gpu(), ttft_ms=4_000_000.0)))
    assert "TTFT 1.11 h instead of 2 s (2,000 times the target)" in found.sentence


def test_what_no_server_runs_is_said_of_gpus() -> None:
    """CPUs lack most engines: what keeps the GPUs is the answer."""
    none = {"fits": False, "memory_used_share": NAN, "monthly_cost": NAN}
    lacks = missing(cpu(reason="does not run on CPUs"), **none)
    found = verdict(Made(lacks, lacks, missing(gpu(reason="no figures for this chip"), **none)))
    assert (found.code, found.sentence) == ("no_estimate", "No server here runs this: no figures for this chip.")


def test_without_targets_the_cheapest_wins() -> None:
    found = verdict(Made(cpu(ttft_ms=90_000.0, ttft_ms_high=200_000.0), gpu(), ttft_ms=None, tpot_ms=None))
    assert (found.code, found.cpu_pick) == ("cpu_enough", 0)
    assert all("may miss" not in change for change in found.changes)


def test_without_targets_traffic_decides() -> None:
    """One server is the question: the nearest is the one that carries most, and a target would count a fleet."""
    slow = missing(cpu(requests_per_s_at_target=0.2))
    found = verdict(Made(slow, gpu(), ttft_ms=None, tpot_ms=None))
    assert found.code == "gpu_needed"
    assert found.sentence.startswith("A GPU is needed: no CPU server carries this traffic alone; cheapest is acme g1")
    assert found.changes == ("The nearest CPU server, acme c1 at $200 a month, carries 20 % of it.",)
    none = verdict(Made(slow, missing(gpu(requests_per_s_at_target=0.9)), ttft_ms=None, tpot_ms=None))
    assert (none.code, none.nearest) == ("none_meets", 1)
    assert (
        none.sentence
        == "No server carries this traffic alone; nearest is acme g1 at $500 a month: it carries 90 % of it."
    )
    assert "counts how many servers" in none.changes[0]


@pytest.mark.parametrize(("cpu_cost", "gpu_cost"), [(200.0, 500.0), (500.0, 200.0), (300.0, 290.0)])
def test_what_must_be_known_of_a_price_is_said_of_every_offer_named(cpu_cost: float, gpu_cost: float) -> None:
    old = {"price_age_days": 540.0, "utilization": 1.0}
    found = verdict(Made(cpu(monthly_cost=cpu_cost, **old), gpu(monthly_cost=gpu_cost, servers_needed=3.0, **old)))
    assert found.sentence.count("price 540 days old") == 2
    assert "3 x acme g1" in found.sentence
    fresh = verdict(Made(cpu(monthly_cost=cpu_cost), gpu(monthly_cost=gpu_cost, term="spot")))
    assert "days old" not in fresh.sentence
    assert "spot" in fresh.sentence


def test_other_currencies_are_written_as_they_are() -> None:
    assert "€500" in verdict(Made(gpu(cost_currency="EUR"))).sentence
    assert "500 CHF" in verdict(Made(gpu(cost_currency="CHF"))).sentence


def test_a_provider_is_not_named_twice() -> None:
    assert "; cheapest is acme-g1 at" in verdict(Made(gpu("acme-g1"), missing(cpu(), fits=False))).sentence
    assert "; cheapest is acme g1 at" in verdict(Made(gpu("g1"), missing(cpu(), fits=False))).sentence


def test_an_offer_that_cannot_be_had_now_says_so() -> None:
    found = verdict(Made(gpu(term="spot", availability="not in the last refresh")))
    assert "acme g1 at $500 a month (spot, not in the last refresh)" in found.sentence


def test_what_is_not_practical_is_said_in_words() -> None:
    many = {"servers_needed": 1782.0, "monthly_cost": 90_000.0}
    found = verdict(Made(gpu(**many), missing(cpu(), ttft_ms=9e9)))
    assert "1,782 x acme g1 at $90,000 a month (not practical: more than 50 servers)" in found.sentence


@pytest.mark.parametrize(
    ("few", "many", "code", "words"),
    [
        (gpu, cpu, "gpu_needed", "no CPU server meets the targets with 50 servers or fewer; cheapest is acme g1"),
        (cpu, gpu, "only_cpu", "no GPU server here meets the targets with 50 servers or fewer."),
    ],
    ids=["gpu", "cpu"],
)
def test_a_kind_that_nobody_runs_is_no_choice_though_it_is_cheaper(few: Any, many: Any, code: str, words: str) -> None:
    found = verdict(Made(few(monthly_cost=900.0), many(servers_needed=60.0, monthly_cost=300.0)))
    assert found.code == code
    assert words in found.sentence
    assert found.changes[0].startswith("Cheaper, but more than 50 servers: 60 x ")
    assert "not practical" not in found.sentence + found.changes[0]
