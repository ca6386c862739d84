"""Wrapping, columns and single lines never exceed their width and lose no word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.format import clean
from tui.progress import Progress
from tui.text import TIED, Section, joined, lay_out, length, shorten, wrap
from tui.widgets.line import Part, place

TEXTS = st.lists(st.tuples(st.text(max_size=40), st.sampled_from(["text", "miss"])), max_size=5)


@given(TEXTS, st.integers(min_value=4, max_value=60))
def test_wrapped_lines_fit_and_keep_every_letter(spans, width):
    lines = wrap(list(spans), width)
    assert all(length(line) <= width for line in lines)
    before = "".join(clean(text) for text, _ in spans).replace(" ", "")
    after = "".join(text for line in lines for text, _ in line).replace(" ", "")
    assert after == before


@pytest.mark.timeout(20)
def test_a_wide_character_in_a_line_of_one_cell_ends() -> None:
    """It was tried for ever, with a new line each time, until the memory was full; a terminal of three columns is enough."""
    assert [line[0][0] for line in wrap([("東京", "text")], 1)] == ["東", "京"]
    assert len(wrap([("東京" * 50, "text")], 1)) == 100
    assert (
        "".join(text for line in wrap([("a東b", "text")], 2, indent=1) for text, _ in line).replace(" ", "") == "a東b"
    )


def test_tied_words_stay_together():
    lines = wrap([(f"TTFT 138 s  !{TIED}over{TIED}2{TIED}s", "text")], 14)
    assert [line[0][0].strip() for line in lines] == ["TTFT 138 s", "! over 2 s"]


def test_a_line_without_room_is_shortened_with_an_ellipsis():
    assert shorten([("one ", "text"), ("two three", "miss")], 8) == [("one ", "text"), ("two…", "miss")]
    assert shorten([("one", "text")], 8) == [("one", "text")]


def test_neighbours_of_one_tone_are_joined():
    assert joined([("a", "text"), ("b", "text"), ("c", "miss")]) == [("ab", "text"), ("c", "miss")]


@given(st.integers(min_value=20, max_value=200))
def test_sections_side_by_side_or_below(width):
    sections = [
        Section("One", [[("a word " * 9, "text")]]),
        Section("Two", [[("b", "text")]]),
        Section("Long", [[("c " * 60, "text")]], wide=True),
    ]
    assert all(length(line) <= width for line in lay_out(sections, width))


PARTS = st.lists(
    st.builds(
        Part,
        st.text(max_size=20).map(clean),
        st.just("text"),
        st.integers(min_value=0, max_value=4),
        st.just(""),
        st.booleans(),
    ),
    max_size=8,
)


@given(PARTS, st.integers(min_value=1, max_value=120))
def test_parts_of_a_line_never_overlap(parts, width):
    from rich.cells import cell_len

    end = 0
    for x, _, text in sorted(place(parts, width), key=lambda item: item[0]):
        assert x >= end
        end = x + cell_len(text)
    assert end <= width


def test_the_least_important_part_goes_first():
    parts = [Part("rackrate", keep=1), Part("long explanation", keep=3), Part("right", keep=2, right=True)]
    assert [part.text for _, part, _ in place(parts, 40)] == ["rackrate", "long explanation", "right"]
    assert {part.text for _, part, _ in place(parts, 20)} == {"rackrate", "right"}
    assert [part.text for _, part, _ in place(parts, 9)] == ["rackrate"]


def test_progress_counts_and_names_who_is_asked():
    from pricing.refresh_report import Outcome

    progress = Progress()
    for event in ("runpod", "lium", Outcome("runpod", "fresh", 3)):
        progress.take(event)
    assert progress.text == "refreshing 1/2 ▮▮▯▯▯ lium"


@pytest.mark.parametrize("width", [40, 60, 76, 80, 96, 100, 110])
def test_the_help_keeps_names_and_meanings_apart(width):
    from tui.screens.help import FILTER_GRAMMAR, help_lines

    lines = ["".join(text for text, _ in line) for line in help_lines(width)]
    assert all(len(line) <= width for line in lines)
    for name, meaning in FILTER_GRAMMAR:
        line = next(line for line in lines if line.startswith(f"  {name}"))
        rest = line[len(name) + 2 :]
        assert not rest.strip() or (rest.startswith("  ") and rest.strip().split()[0] == meaning.split()[0])


def test_the_help_lists_every_filter_field_and_explains_the_signs_first():
    from pricing.where_fields import NUMBER_HELP, TEXT_HELP
    from tui.screens.help import help_lines

    lines = ["".join(text for text, _ in line) for line in help_lines(100)]
    for name, meaning in (*NUMBER_HELP, *TEXT_HELP):
        assert any(line.startswith(f"  {name} ") and meaning in line for line in lines)
    first = "\n".join(lines[:20])
    assert all(sign in first for sign in ("≈", "tok/s·u", "Σ", "N  ", "*"))


async def test_the_legend_says_what_the_headings_leave_out(dashboard):
    async with dashboard((200, 50)) as app:
        assert "·u per user  Σ all users" in app.line("status")
    async with dashboard((80, 24)) as app:
        assert "1/10" in app.line("status")
