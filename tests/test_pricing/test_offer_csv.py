"""The offers' CSV: what it accepts, what it refuses and how it says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pricing import offer as schema
from pricing.errors import OffersError
from pricing.offer_csv import format_offers, parse_offers, read_offers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pricing.offer import Offer

HEAD = "provider,server,kind,currency,price_per_hour,gpu_model,gpu_count,source_date\n"


def one(line: str, head: str = HEAD) -> Offer:
    (offer,) = parse_offers(head + line + "\n", "mine.csv")
    return offer


def test_a_minimal_row_gets_its_key_term_and_basis() -> None:
    offer = one("Acme,box 1,gpu,eur,1.5,L4,2,2026-10-01")
    assert offer.offer_id == "acme_box-1__on-demand__eur"
    assert (offer.provider, offer.term, offer.currency, offer.price_basis) == ("acme", "on_demand", "EUR", "listed")
    assert (offer.gpu_count, offer.price_per_month, offer.region) == (2.0, None, None)


def test_monthly_price_alone_means_a_monthly_term_and_no_hourly_price() -> None:
    offer = one("acme,box,cpu,EUR,100", "provider,server,kind,currency,price_per_month\n")
    assert (offer.term, offer.price_per_month, offer.price_per_hour) == ("monthly", 100.0, None)


def test_written_offers_read_back_the_same(make_offer: Callable[..., Offer]) -> None:
    offers = (
        make_offer(gpu_count=0.125, vram_gib_per_gpu=3.0, price_per_hour=0.1234567891, shared_cpu=True, setup_fee=0.0),
        make_offer(server='b,"c"', term="reserved", commitment_months=12, tier="secure", upfront_share=0.5),
    )
    assert parse_offers(format_offers(offers), "again") == offers


def test_zero_is_no_price_and_no_memory_but_a_fee_of_zero_is_one() -> None:
    head = "provider,server,kind,currency,price_per_hour,price_per_month,ram_gib,setup_fee\n"
    offer = one("a,b,cpu,EUR,0,50,0,0", head)
    assert (offer.price_per_hour, offer.ram_gib, offer.setup_fee) == (None, None, 0.0)


def test_rows_with_one_key_both_stay_visible() -> None:
    offers = parse_offers(HEAD + "a,b,gpu,USD,1,L4,1,\na,b,gpu,USD,2,L4,1,\n", "x")
    assert [offer.offer_id for offer in offers] == ["a_b__on-demand__usd", "a_b__on-demand__usd~2"]


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ("a,b,gpu,USD,nan,L4,1,", "price_per_hour", "finite"),
        ("a,b,gpu,USD,inf,L4,1,", "price_per_hour", "finite"),
        ("a,b,gpu,USD,-1,L4,1,", "price_per_hour", "negative"),
        ("a,b,gpu,USD,1e9,L4,1,", "price_per_hour", "unit"),
        ("a,b,gpu,USD,cheap,L4,1,", "price_per_hour", "not a number"),
        ("a,b,gpu,USD,1_000,L4,1,", "price_per_hour", "finite"),
        ("a,b,tpu,USD,1,L4,1,", "kind", "gpu, cpu"),
        ("a,b,gpu,dollars,1,L4,1,", "currency", "three-letter"),
        ("a,b,gpu,,1,L4,1,", "currency", "empty"),
        (",b,gpu,USD,1,L4,1,", "provider", "empty"),
        ("a,b,gpu,USD,1,L4,many,", "gpu_count", "not a number"),
        ("a,b,gpu,USD,1,L4,1,yesterday", "source_date", "date"),
        ("a,b,gpu,USD,1,,1,", "gpu_model", "name its GPU"),
    ],
)
def test_a_bad_cell_names_file_line_and_column(line: str, column: str, said: str) -> None:
    good = "a,b,gpu,USD,1,L4,1,\n"
    with pytest.raises(OffersError) as caught:
        parse_offers(HEAD + good + line + "\n", "mine.csv")
    assert "mine.csv, line 3" in str(caught.value)
    assert column in str(caught.value)
    assert said in str(caught.value)


def test_a_row_without_any_price_is_refused() -> None:
    with pytest.raises(OffersError, match="line 2: there is neither"):
        one("a,b,gpu,USD,0,L4,1,")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("provider,server,kind\na,b,cpu\n", "'currency' is missing"),
        ("provider,server,kind,currency\na,b,cpu,USD\n", "there is no price"),
        ("provider,server,kind,currency,price_per_hr\n", "Did you mean price_per_hour"),
        ("provider,provider,server,kind,currency,price_per_hour\n", "'provider' appears twice"),
        (HEAD + "a,b,gpu\n", "3 fields, but the header has 8"),
        (HEAD + 'a,"b,gpu,USD,1,L4,1,\n', "line 2"),
    ],
)
def test_a_bad_file_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(OffersError) as caught:
        parse_offers(text, "mine.csv")
    assert said in str(caught.value)


def test_columns_of_an_exported_comparison_are_ignored() -> None:
    offer = one("a,b,gpu,USD,1,L4,1,,12.5,fits", HEAD.strip() + ",ttft_ms,fit_reason\n")
    assert offer.price_per_hour == 1.0


def test_control_and_direction_characters_do_not_reach_a_terminal() -> None:
    offer = one("a,\x1b[2Jevil\u202e\x07,gpu,USD,1,L4,1,")
    assert offer.server == "[2Jevil"


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "offers.csv"
    path.write_bytes(b"\xff\xfe\x00binary")
    with pytest.raises(OffersError, match="not UTF-8"):
        read_offers(path)
    with pytest.raises(OffersError, match="Cannot read"):
        read_offers(tmp_path / "absent.csv")


def test_a_byte_order_mark_is_no_column(tmp_path: Path) -> None:
    path = tmp_path / "offers.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + "a,b,gpu,USD,1,L4,1,\n").encode())
    assert read_offers(path)[0].provider == "a"


def test_columns_are_the_schema_in_order() -> None:
    assert schema.OFFER_COLUMNS[:6] == ("offer_id", "provider", "region", "region_group", "server", "kind")
    assert schema.OFFER_COLUMNS[-6:] == (
        "price_basis",
        "cpu_basis",
        "memory_read_gb_s_measured",
        "pcie_gb_s_measured",
        "numa_nodes",
        "note",
    )
    assert len(schema.OFFER_COLUMNS) == 41
