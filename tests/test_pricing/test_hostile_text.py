"""Whatever a person types or a file holds: an answer, or one of our errors; never another exception."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import RackrateError
from pricing.answer import parse_json
from pricing.errors import FeedError, OffersError, WhereError
from pricing.feed import Harvest
from pricing.offer_csv import parse_offers
from pricing.providers.runpod import PAGE, parse_gpus
from pricing.store import Store
from pricing.where import compile_where

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.compare import Comparison
    from pricing.offer import Offer

HEAD = "provider,server,kind,currency,price_per_hour,gpu_model,source_date\n"
WORDS = st.sampled_from(
    ["gpu>=24", "!", '"', "provider:", "region:eu", "ttft<1s", "$mo<9", "a:b", "price=", "spot", "=", "::", "<>"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "gpuTypes", "id", "memoryInGb", "securePrice", "secureCloud", "errors", "secureStock"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=40) | st.lists(WORDS, max_size=4).map(" ".join))
def test_any_filter_text(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison], text: str
) -> None:
    try:
        where = compile_where(text)
        mask = where.mask(make_comparison([make_offer()]))
    except WhereError as error:
        assert error.message  # noqa: PT017 - either outcome is right
    else:
        assert mask.dtype == bool


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(st.text(max_size=12), min_size=7, max_size=7).map(lambda cells: HEAD + ",".join(cells))
)
def test_any_price_file(text: str) -> None:
    try:
        offers = parse_offers(text, "any.csv")
    except OffersError as error:
        assert "any.csv" in error.message  # noqa: PT017 - either outcome is right
    else:
        assert all(offer.price_per_hour or offer.price_per_month for offer in offers)


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_any_json_from_a_feed(value: object) -> None:
    harvest = Harvest("runpod", "RunPod", PAGE, "2026-11-30T12:00:00+00:00")
    try:
        parse_gpus(value, harvest)
    except FeedError as error:
        assert error.provider == "runpod"  # noqa: PT017 - either outcome is right
    assert all(offer.price_per_hour and offer.price_per_hour > 0 for offer in harvest.offers)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_from_a_feed(data: bytes) -> None:
    try:
        json.dumps(parse_json("x", data), allow_nan=False)
    except RackrateError as error:
        assert error.message.startswith("x: ")  # noqa: PT017 - either outcome is right


def test_two_refreshes_at_once_leave_one_whole_file(tmp_path: Path, make_offer: Callable[..., Offer]) -> None:
    stores = [Store(tmp_path) for _ in range(4)]
    batches = [[make_offer(server=f"{name}{at}") for at in range(50)] for name in "abcd"]

    def write(store: Store, batch: list[Offer]) -> None:
        for _ in range(10):
            store.save("aws", batch, [("gpu", "on_demand")])

    threads = [threading.Thread(target=write, args=pair) for pair in zip(stores, batches, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reader = Store(tmp_path)
    stored = reader.load("aws")
    assert stored is not None
    assert reader.messages == []
    assert [path.name for path in reader.prices.iterdir()] == ["aws.json"]


def test_a_bad_file_name_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.prices.mkdir(parents=True)
    (store.prices / "My Notes.csv").write_text("hands off", encoding="utf-8")
    assert store.merged(()) == ()
    assert (store.prices / "My Notes.csv").read_text(encoding="utf-8") == "hands off"
    with pytest.raises(RackrateError):
        store.load("My Notes")
