"""The price folder: last good prices, torn files, what a refresh replaces and what it leaves."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pricing.errors import StoreError
from pricing.store import UNLISTED, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.offer import Offer

COVERS = (("gpu", "on_demand"),)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_saved_prices_are_read_back(store: Store, make_offer: Callable[..., Offer]) -> None:
    offer = make_offer()
    store.save("aws", [offer], COVERS)
    stored = store.load("aws")
    assert stored is not None
    assert (stored.offers, stored.covers, stored.fetched_at) == ((offer,), frozenset(COVERS), "2026-11-30")
    assert store.providers() == ("aws",)
    assert store.messages == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"rows":2', '"rows":3'),
        lambda text: text.replace('"kind":{"all":"gpu"}', '"kind":{"all":"toaster"}'),
        lambda text: text.replace('"provider":{"all":"aws"}', '"provider":{"all":"gcp"}'),
        lambda text: text.replace('"server":{"row":["g6.xlarge","g6.2xlarge"]}', '"server":{"row":["g6.xlarge"]}'),
        lambda text: text.replace('"server":{"row":["g6.xlarge","g6.2xlarge"]}', '"server":{"of":["a"],"at":[0,-1]}'),
        lambda text: text.replace('"server":{"row":["g6.xlarge","g6.2xlarge"]}', '"server":{"of":["a"],"at":[0,7]}'),
        lambda text: text.replace('"price_per_hour":{"all":1.0}', '"price_per_hour":{"all":-1.0}'),
        lambda text: text.replace('"price_per_hour":{"all":1.0}', '"price_per_hour":{"all":"1"}'),
        lambda text: text.replace('"price_per_hour":{"all":1.0}', '"price_per_hour":{"all":NaN}'),
        lambda text: text.replace('"vat_included":{"all":false}', '"vat_included":{"all":0}'),
        lambda text: text.replace('"server":{"row":["g6.xlarge","g6.2xlarge"]}', '"server":{"all":null}'),
        lambda text: text.partition("\n")[0] + "\n" + "[" * 100_000,
        lambda text: text.partition("\n")[0] + "\n[]",
        lambda _: "",
        lambda _: "hello",
    ],
    ids=[
        "half",
        "row lost",
        "bad word",
        "other provider",
        "short column",
        "place before",
        "place behind",
        "negative",
        "text for number",
        "nan",
        "number for flag",
        "no server",
        "deep",
        "list",
        "empty",
        "alien",
    ],
)
def test_a_torn_or_alien_file_is_set_aside_with_a_message(
    store: Store,
    make_offer: Callable[..., Offer],
    damage: Callable[[str], str],
) -> None:
    store.save("aws", [make_offer(), make_offer(server="g6.2xlarge")], COVERS)
    path = store.prices / "aws.json"
    whole = path.read_text(encoding="utf-8")
    broken = damage(whole)
    path.write_text(broken, encoding="utf-8")
    assert broken != whole
    bundled = (make_offer(server="bundled"),)
    assert store.merged(bundled) == bundled
    assert len(store.messages) == 1
    assert "aws.json.damaged" in store.messages[0]
    assert (store.prices / "aws.json.damaged").read_text(encoding="utf-8") == broken
    assert not path.exists()


def test_a_second_damaged_file_does_not_overwrite_the_first(store: Store) -> None:
    store.prices.mkdir(parents=True)
    for text in ("one", "two"):
        (store.prices / "aws.json").write_text(text, encoding="utf-8")
        store.load("aws")
    assert {path.name for path in store.prices.iterdir()} == {"aws.json.damaged", "aws.json.damaged-2"}


def test_fresh_rows_replace_what_the_feed_covers_and_leave_the_rest(
    store: Store, make_offer: Callable[..., Offer]
) -> None:
    same = make_offer(price_per_hour=9.0)
    renamed = make_offer(server="old name")
    spot = make_offer(term="spot")
    processor = make_offer(server="m7i.large", kind="cpu")
    elsewhere = make_offer(provider="gcp")
    fresh = make_offer(price_per_hour=1.1)
    store.save("aws", [fresh], COVERS)
    assert set(store.merged([same, renamed, spot, processor, elsewhere])) == {fresh, spot, processor, elsewhere}


def test_a_feed_of_some_regions_leaves_the_other_regions(store: Store, make_offer: Callable[..., Offer]) -> None:
    there = make_offer(region="eu-west-1")
    here = make_offer(server="gone")
    fresh = make_offer()
    store.save("aws", [fresh], COVERS, regional=True)
    assert set(store.merged([there, here])) == {there, fresh}


def test_a_row_missing_from_one_refresh_stays_marked_for_a_week(store: Store, make_offer: Callable[..., Offer]) -> None:
    first = make_offer(fetched_at="2026-11-20T10:00:00+00:00")
    other = make_offer(server="other", fetched_at="2026-11-20T10:00:00+00:00")
    store.save("aws", [first, other], COVERS)
    later = replace(other, fetched_at="2026-11-22T10:00:00+00:00")
    assert set(store.save("aws", [later], COVERS).offers) == {later, replace(first, availability=UNLISTED)}
    much_later = replace(other, fetched_at="2026-11-29T10:00:00+00:00")
    assert store.save("aws", [much_later], COVERS).offers == (much_later,)


def test_nothing_is_saved_over_good_prices(store: Store, make_offer: Callable[..., Offer]) -> None:
    store.save("aws", [make_offer()], COVERS)
    with pytest.raises(StoreError):
        store.save("aws", [], COVERS)
    assert store.load("aws") is not None


@pytest.mark.parametrize("name", ["../evil", "", "AWS", "a/b", ".hidden"])
def test_a_provider_name_is_no_path(store: Store, make_offer: Callable[..., Offer], name: str) -> None:
    with pytest.raises(StoreError, match="not a provider"):
        store.save(name, [make_offer()], COVERS)


def test_status_survives_damage(store: Store) -> None:
    store.save_status({"aws": {"fetched_at": "2026-11-30"}})
    store.save_status({"gcp": {"failed_at": "2026-11-30", "error": "x"}})
    assert set(store.status()) == {"aws", "gcp"}
    (store.folder / "status" / "aws.json").write_text("[", encoding="utf-8")
    assert set(store.status()) == {"gcp"}


def test_a_full_disk_keeps_the_old_prices(
    store: Store, make_offer: Callable[..., Offer], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save("aws", [make_offer()], COVERS)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreError, match="No space left on device") as caught:
        store.save("aws", [make_offer(price_per_hour=2.0)], COVERS)
    assert "disk is not full" in caught.value.hint
    stored = store.load("aws")
    assert stored is not None
    assert stored.offers == (make_offer(),)
    assert [path.name for path in store.prices.iterdir()] == ["aws.json"]


def test_fetched_token_prices_stand_in_for_the_bundled_edition(store: Store) -> None:
    bundled = store.tokens()
    assert len(bundled) > 300
    fetched = [replace(bundled[0], source="litellm", input_usd_per_m_tokens=9.0)]
    store.save_tokens("litellm", fetched)
    assert list(store.tokens()) == fetched
    (store.folder / "tokens" / "litellm.csv").write_text("torn", encoding="utf-8")
    assert store.tokens() == bundled
    assert "token prices are used" in store.messages[0]
