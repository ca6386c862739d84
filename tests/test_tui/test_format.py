"""Numbers and names as short strings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui import format as fmt


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"), (math.nan, "—"), (0, "0"), (0.00001, "<0.0001"), (0.0123, "0.0123"), (1.234, "1.23"), (9.996, "10.0"),
        (99.96, "100"), (12.34, "12.3"), (123.4, "123"), (999.4, "999"), (999.6, "1,000"), (1234, "1,230"), (99_940, "99,900"),
        (99_960, "100k"), (123_456, "123k"), (1_234_567, "1.23M"), (2.5e9, "2.50G"), (-1.5, "-1.50"), (math.inf, "∞"),
    ],
)  # fmt: skip
def test_number(value, shown):
    assert fmt.number(value) == shown


@given(st.floats(min_value=1e-4, max_value=1e15))
def test_number_keeps_three_digits_in_eight_characters(value):
    text = fmt.number(value)
    assert len(text) <= 8
    scale = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
    plain = text.replace(",", "").lstrip("<")
    back = float(plain[:-1]) * scale[plain[-1]] if plain[-1] in scale else float(plain)
    assert back == pytest.approx(value, rel=0.0051, abs=0.5e-4)


@pytest.mark.parametrize(
    ("ms", "shown"), [(85.4, "85.4 ms"), (850, "850 ms"), (1920, "1.92 s"), (720_000, "12.0 min"), (None, "—")]
)
def test_duration(ms, shown):
    assert fmt.duration(ms) == shown


@pytest.mark.parametrize(("days", "shown"), [(0.4, "10 h"), (9, "9 d"), (190, "6 mo"), (800, "2.2 y"), (None, "—")])
def test_age(days, shown):
    assert fmt.age(days) == shown


@pytest.mark.parametrize(
    ("value", "currency", "shown"),
    [
        (1234.5, "USD", "$1,234.50"),
        (0.0029, "EUR", "€0.0029"),
        (0.4, "USD", "$0.40"),
        (12.5, "CHF", "CHF 12.50"),
        (1.5e6, "USD", "$1,500,000"),
    ],
)
def test_price_is_in_full(value, currency, shown):
    assert fmt.price(value, currency) == shown


def test_money_below_the_last_digit_keeps_its_sign_in_front():
    assert fmt.money(0.00001, "USD") == "<$0.0001"


@given(st.text(max_size=40), st.integers(min_value=1, max_value=30))
def test_fit_width_is_exact_in_cells(text, width):
    clean = fmt.clean(text)
    assert cell_len(fmt.fit_width(clean, width)) == width
    assert cell_len(fmt.shorten_middle(clean, width)) <= max(width, cell_len(clean))


@given(st.text(max_size=40), st.integers(min_value=5, max_value=30))
def test_shorten_middle_never_exceeds(text, width):
    assert cell_len(fmt.shorten_middle(fmt.clean(text), width)) <= width


def test_shorten_middle_keeps_both_ends_or_the_last_words():
    assert fmt.shorten_middle("nva2-a4-ram8-disk50-perf2", 15) == "nva2-a4…0-perf2"
    assert fmt.shorten_middle("1× RTX PRO 6000 Blackwell 96 GB", 18, tail=-2) == "1× RTX PRO … 96 GB"


def test_wide_characters_count_two():
    assert fmt.fit_width("大容量", 5) == "大容…"
    assert cell_len(fmt.fit_width("大容量", 4)) == 4


def test_clean_removes_what_a_terminal_would_obey():
    assert "\x1b" not in fmt.clean("a\x1b[31mb\r\n\tc\u202e")
    assert "\n" not in fmt.clean("a\nb")
    assert fmt.clean("plain – ünïcode 大") == "plain – ünïcode 大"


def test_ascii_twin_is_ascii():
    assert fmt.to_ascii("✓ ≈ — … ● ○ € Σ 大").isascii()


@pytest.mark.parametrize(("share", "shown"), [(0.62, "62"), (9.999, ">999"), (1.4, "140"), (None, "—")])
def test_share(share, shown):
    assert fmt.share(share) == shown


def test_ascii_twin_keeps_columns_in_line():
    assert fmt.to_ascii("  ← h     to the left") == "  <- h    to the left"
    assert fmt.to_ascii("✓ holds the model, ✗ does not") == "ok holds the model, NO does not"
    assert fmt.to_ascii("1→2 ") == "1->2 "


@pytest.mark.parametrize(
    ("value", "shown"), [(54, "54"), (999, "999"), (6137, "6k"), (999_400, "999k"), (2_000_000, "2M"), (None, "—")]
)
def test_short_count_keeps_three_characters(value, shown):
    assert fmt.short_count(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(256, "256"), (1155, "1,155"), (128_000, "128k"), (10_000_000, "10M"), (1_500_000, "1.5M")]
)
def test_tokens(value, shown):
    assert fmt.tokens(value) == shown
