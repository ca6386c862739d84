"""The three lines under the table of a narrow terminal say what matters whole, and count what the files count."""

from __future__ import annotations

from itertools import product

import pytest

from models.bound import BOUND_BY
from tests.test_tui.conftest import gpu
from tui import details
from tui.text import length

OFFERS = [
    gpu("old-l4", hour=0.7, source_date="2025-12-01", storage="1x10GB HDD"),
    gpu("h100-x8", "H100-SXM5-80GB", 80.0, 8.0, hour=21.0),
]


@pytest.fixture
def rows(make_session, llama):
    session = make_session(list(OFFERS))
    session.history.set(llama.changed(requests_per_s=40.0))
    session.recompute()
    return session.rows


def line(rows, i, width):
    return "".join(text for text, _ in details.summary(rows, i, width)[1])


@pytest.mark.parametrize(("bound", "i"), [*product(range(len(BOUND_BY)), range(2))])
def test_at_eighty_columns_the_limit_is_whole(rows, bound, i):
    rows.comparison.estimates.bound_by_code[:] = bound
    said = line(rows, i, 76)
    assert f"limit {BOUND_BY[bound]}" in said or (bound == 5 and "limit others' prompts" in said)
    assert "users" in said
    assert "…" not in said


def test_what_ends_the_capacity_is_said_where_there_is_room(rows):
    assert "memory holds no more" in line(rows, 0, 90)
    assert all(length(found) <= width for width in range(20, 100) for found in details.summary(rows, 0, width))


@pytest.mark.parametrize("i", range(2))
def test_as_many_warnings_as_in_the_files(rows, i):
    warnings = rows.comparison.row(i)["warnings"].split("; ")
    assert f"! {len(warnings)} warning" in line(rows, i, 76)
    shown = details.plain(rows, i)
    assert all(warning in " ".join(shown.split()) for warning in warnings)
