"""Frankfurter's answers: version 1 is read, version 2 and everything else fails loudly."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.frankfurter import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.provider import Fetched

ANSWER = {"amount": 1.0, "base": "EUR", "date": "2026-11-27", "rates": {"USD": 1.131, "GBP": 0.8612, "JPY": 171.2}}
SUNDAY = date(2026, 11, 29)


def test_the_date_is_that_of_the_fixing_and_the_base_is_not_among_the_rates() -> None:
    rates = parse(ANSWER, SUNDAY)
    assert (rates.date, rates.per_euro["USD"], rates.source) == ("2026-11-27", 1.131, "Frankfurter (ECB)")
    assert "EUR" not in rates.per_euro
    assert rates.convert(200.0, "EUR", "USD") == pytest.approx(226.2)
    assert rates.convert(1.0, "RUB", "EUR") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"base": "USD"}, "for 1.0 USD"),
        ({"amount": 10.0}, "for 10.0 EUR"),
        ({"date": "yesterday"}, "cannot be read"),
        ({"date": None}, "cannot be read"),
        ({"date": "2031-01-01"}, "future"),
        ({"rates": []}, "no object rates"),
        ({"rates": {"GBP": 0.86}}, "no rate of the dollar"),
        ({"rates": {"USD": 0}}, "no rate of the dollar"),
        ({"rates": {"USD": "1.131"}}, "cannot be read"),
        ({"rates": {"USD": -1.1}}, "cannot be read"),
        ({"rates": {"USD": 1.1, "usd": 1.1}}, "cannot be read"),
    ],
)
def test_what_is_no_fixing_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parse(ANSWER | change, SUNDAY)


@pytest.mark.parametrize(
    "answer", [[{"date": "2026-11-27", "base": "EUR", "quote": "USD", "rate": 1.131}], {}, None, "EUR"]
)
def test_other_shapes_are_refused(answer: Any) -> None:
    with pytest.raises(FeedError, match="no object rates"):
        parse(answer, SUNDAY)


def test_the_euro_is_asked_for(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request("/api.frankfurter.dev/v1/latest", query_string={"base": "EUR"}).respond_with_json(ANSWER)
    rates = fetch_and_parse("frankfurter").rates
    assert rates is not None
    assert rates.dates == dict.fromkeys(("USD", "GBP", "JPY"), "2026-11-27")


def test_the_captured_answers(capture: Callable[[str], bytes]) -> None:
    rates = parse(json.loads(capture("frankfurter/latest-2026-09-18.json")), SUNDAY)
    assert (rates.per_euro["USD"], rates.per_euro["GBP"], rates.date) == (1.146, 0.8588, "2026-09-18")
    newer = Answers.of("frankfurter", rates=capture("frankfurter/v2-rates-2026-09-18.json")).items[0].json()
    with pytest.raises(FeedError, match="no object rates"):
        parse(newer, SUNDAY)
