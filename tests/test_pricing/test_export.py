"""Exports: no formula in a spreadsheet, no NaN in JSON, no broken table in Markdown."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from pricing import export
from pricing.offer_csv import parse_offers

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison
    from pricing.offer import Offer


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a\x1b[2J", "a[2J"),
        ("\rx", "x"),
        ("\x07=1", "'=1"),
        ("a\x00\x9b\u202eb", "ab"),
        ("two\r\nlines\t", "two\r\nlines\t"),
    ],
)
def test_a_text_that_a_terminal_would_obey_is_cleaned(text: str, cell: str) -> None:
    assert export.safe(text) == cell


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "  =1", '=HYPERLINK("http://x")'])
def test_a_text_that_a_spreadsheet_would_run_is_defused(text: str) -> None:
    assert export.safe(text) == f"'{text}"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (-1.5, -1.5),
        (None, ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (True, "true"),
        (False, "false"),
        (24.0, 24),
        (21.957642, 21.957642),
        (0.0000119, 0.0000119),
        ("L4", "L4"),
        ("a=b", "a=b"),
        (3, 3),
    ],
)
def test_numbers_stay_numbers(value: object, cell: object) -> None:
    assert export.safe(value) == cell
    assert type(export.safe(value)) is type(cell)


def test_a_comparison_as_csv_is_the_named_columns_and_reads_back_as_offers(
    make_offer: Callable[..., Offer],
    make_comparison: Callable[..., Comparison],
) -> None:
    offer = make_offer(server="=cmd|' /C calc'!A0")
    comparison = make_comparison([offer, make_offer(server="b")])
    out = io.StringIO()
    assert export.write_csv(out, export.rows(comparison, comparison.select())) == 2
    table = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert tuple(table[0]) == export.EXPORT_COLUMNS
    assert {row["server"] for row in table} == {"'=cmd|' /C calc'!A0", "b"}
    assert {row["meets_targets"] for row in table} == {"true"}
    assert {o.price_per_hour for o in parse_offers(out.getvalue(), "export")} == {1.0}


def test_json_has_null_for_what_is_not_known(
    make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]
) -> None:
    comparison = make_comparison([make_offer()])
    (row,) = json.loads(export.rows_json(export.rows(comparison, [0])))
    assert row["ttft_p95_ms"] is None
    assert row["monthly_cost"] == pytest.approx(730.0)
    assert list(json.loads(export.rows_json(export.rows(comparison, [0]), ["server"]))[0]) == ["server"]


def test_markdown_cells_stay_cells() -> None:
    text = export.markdown(
        [{"server": "a|b\nc<script>", "monthly_cost": 1234.5, "meets_targets": True}],
        ["server", "monthly_cost", "meets_targets", "reason"],
    )
    assert text.splitlines()[2] == "| a\\|b c&lt;script> | 1,234 | yes | – |"
