"""Exchange rates: dated, by way of the euro, never a zero for the unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pricing import money
from pricing.money import Rates, make_rates
from pricing.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def test_the_bundled_dollar_is_the_dated_one() -> None:
    rates = Rates.bundled()
    assert (rates.convert(100.0, "EUR", "USD"), rates.date) == (pytest.approx(112.25), "2026-10-02")


def test_cross_rates_go_by_the_euro() -> None:
    rates = make_rates({"USD": 1.2, "GBP": 0.8}, "2026-11-01")
    assert rates.convert(3.0, "USD", "GBP") == pytest.approx(2.0)
    assert rates.convert(2.0, "GBP", "USD") == pytest.approx(3.0)
    assert rates.convert(5.0, "USD", "USD") == 5.0


def test_an_unknown_currency_is_none_never_zero() -> None:
    rates = Rates.bundled()
    assert rates.convert(10.0, "RUB", "USD") is None
    assert rates.convert(10.0, "USD", "RUB") is None
    assert rates.convert(None, "EUR", "USD") is None
    assert rates.factor("RUB", "RUB") == 1.0


def test_a_currency_that_left_the_list_keeps_its_old_dated_rate() -> None:
    old = make_rates({"USD": 1.1, "HRK": 7.5}, "2022-12-30")
    new = old.updated(make_rates({"USD": 1.2}, "2026-11-01"))
    assert (new.per_euro["HRK"], new.dates["HRK"]) == (7.5, "2022-12-30")
    assert (new.per_euro["USD"], new.dates["USD"]) == (1.2, "2026-11-01")


@pytest.mark.parametrize("rates", [{"USD": 0.0}, {"USD": -1.0}, {"USD": float("nan")}, {"usd": 1.1}, {"DOLLAR": 1.1}])
def test_what_cannot_be_a_rate_is_refused(rates: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="exchange rate"):
        make_rates(rates, "2026-11-01")


def test_saved_rates_are_read_back_over_the_bundled_ones(tmp_path: Path) -> None:
    path = tmp_path / "rates.json"
    money.save_rates(path, make_rates({"USD": 1.3, "JPY": 170.0}, "2026-11-20"))
    rates = money.load_rates(path)
    assert (rates.per_euro["USD"], rates.per_euro["JPY"], rates.date) == (1.3, 170.0, "2026-11-20")
    assert rates.per_euro["SEK"] == Rates.bundled().per_euro["SEK"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '{"rates": {"USD": 3}, "source": "x"}',
        '{"rates": {"USD": {"per_euro": 0, "date": ""}}, "source": ""}',
        "[" * 5000,
    ],
)
def test_a_damaged_rates_file_is_set_aside_and_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rates.json"
    path.write_text(text, encoding="utf-8")
    store = Store(tmp_path)
    assert store.rates() == Rates.bundled()
    assert len(store.messages) == 1
    assert "the bundled rates are used" in store.messages[0]
    assert (tmp_path / "rates.json.damaged").read_text(encoding="utf-8") == text
