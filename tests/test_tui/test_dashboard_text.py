"""Wrapping, columns and single lines never exceed their width and lose no word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.format import clean
from tui.lines import Progress
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
    from pricing.refresh import Outcome

    progress = Progress()
    for event in ("runpod", "lium", Outcome("runpod", "fresh", 3)):
        progress.take(event)
    assert progress.text == "refreshing 1/2 ▮▮▯▯▯ lium"
