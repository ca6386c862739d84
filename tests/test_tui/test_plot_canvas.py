"""Axes, the braille canvas and the painter, as text."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui import format as fmt
from tui.plots.axis import Axis, around, label
from tui.plots.canvas import Canvas
from tui.plots.painter import Picture
from tui.plots.plot import Band, Bar, Cloud, Line, Panel, Plot, Point, Rule, Stretch, empty


def text(lines):
    return ["".join(part for part, _ in line).rstrip() for line in lines]


# axes


@pytest.mark.parametrize(
    ("value", "said"),
    [(1e-4, "0.0001"), (5e-4, "0.0005"), (0.5, "0.5"), (20, "20"), (500, "500"), (1e3, "1k"), (2e4, "20k"), (1e6, "1M"),
     (5e8, "500M"), (1e9, "1G"), (1e-5, "1e-5"), (2e12, "2e12")],
)  # fmt: skip
def test_a_tick_is_short_and_exact(value, said):
    assert label(value) == said


@given(
    st.floats(math.log10(1e-4), math.log10(1e9)),
    st.floats(0, 13),
    st.integers(16, 240),
    st.booleans(),
    st.sampled_from([2, 10]),
)
def test_ticks_never_touch_and_there_are_always_two(low, decades, cells, upright, base):
    low = max(low, 0.0) if base == 2 else low  # users are whole
    values = 10.0**low, min(10.0 ** (low + decades), 1e9)
    axis = Axis(min(values), max(values), base=base)
    assert axis.low <= min(values) * (1 + 1e-6)
    assert axis.high >= max(values) * (1 - 1e-6)
    ticks = axis.ticks(cells, upright=upright)
    assert len(ticks) >= 2
    assert len({name for _, _, name in ticks}) == len(ticks)
    assert all(0 <= cell < cells for cell, _, _ in ticks)
    if upright:
        assert all(after[0] > before[0] for before, after in pairwise(ticks))
    else:
        assert all(after[1] >= before[1] + len(before[2]) + 1 for before, after in pairwise(ticks))
        assert all(start >= 0 and start + len(name) <= cells for _, start, name in ticks)


@pytest.mark.parametrize("height", [2, 3, 4, 7])
def test_an_upright_axis_has_two_ticks_at_any_height(height):
    assert len(Axis(0.02, 900).ticks(height, upright=True)) >= 2


def test_ends_lie_on_1_2_5_around_the_values():
    assert (Axis(3, 40).low, Axis(3, 40).high) == (2, 50)
    assert (Axis(2, 50).low, Axis(2, 50).high) == (2, 50)
    assert (Axis(7, 7).low, Axis(7, 7).high) == (5, 10)
    assert (Axis(0.2, 0.2).low, Axis(0.2, 0.2).high) == (0.1, 0.5)
    assert (Axis(3, 40, base=2).low, Axis(3, 40, base=2).high) == (2, 64)


def test_powers_of_two_are_the_ticks_of_users():
    assert [name for _, _, name in Axis(1, 64, base=2).ticks(60)] == ["1", "2", "4", "8", "16", "32", "64"]


def test_around_leaves_out_what_is_no_positive_number_and_keeps_a_least_length():
    axis = around([np.nan, 0.0, -3.0, np.inf], [10.0], least=100)
    assert axis is not None
    assert (axis.low, axis.high) == (1, 100)
    assert around([np.nan, 0.0]) is None


# the canvas


def test_a_line_is_drawn_in_dots_and_glyphs_cover_it():
    canvas = Canvas(4, 2)
    canvas.line(np.array([0.0, 7.0]), np.array([0.0, 0.0]), "kv")
    canvas.line(np.array([0.0, 0.0]), np.array([0.0, 7.0]), "kv")
    assert text(canvas.rows()) == ["⡏⠉⠉⠉", "⡇"]
    canvas.put(1, 0, "●", "gpu")
    canvas.put(9, 9, "●", "gpu")
    assert text(canvas.rows()) == ["⡏●⠉⠉", "⡇"]
    assert not canvas.free(0, 0, 2)
    assert canvas.free(1, 1, 3)


def test_lines_far_outside_cost_nothing_and_draw_nothing():
    canvas = Canvas(4, 2)
    canvas.line(np.array([-1e12, 1e12]), np.array([-50.0, -50.0]), "kv")
    canvas.line(np.array([np.nan, 3.0]), np.array([0.0, 3.0]), "kv")
    assert text(canvas.rows()) == ["", ""]


def test_every_glyph_of_a_plot_has_a_twin_of_one_cell():
    for glyph in "●○◉◎◆┊┃┈┤│└┬─█▓▒·▸":
        assert len(fmt.to_ascii(glyph)) == 1
        assert fmt.to_ascii(glyph) != "?"
    twins = {fmt.to_ascii(chr(0x2800 + dots)) for dots in range(256)}
    assert twins == set(" |_-'.")


# the painter


def plot(**more):
    x, y = Axis(1, 100, name="speed"), Axis(1, 100, name="price")
    points = (Point(1, 1, "●", "gpu", "the first", 4), Point(100, 100, "○", "cpu", "the last", 7))
    facts = {"heading": "price by speed", "x": x, "panels": (Panel(y),), "points": points, "caption": "two of them"}
    return Plot("pareto", "A plot", ("words",), **(facts | more))


def test_points_stand_at_their_places_and_can_be_clicked():
    picture = Picture(plot(), 24, 9)
    lines = text(picture.lines())
    assert lines[0] == "price by speed"
    assert lines[1] == "100┤                   ○"
    assert lines[5] == "  1┤●"
    assert lines[6].startswith("   └┬")
    assert lines[7].split() == ["1", "10", "100"]
    assert lines[8] == "two of them"
    assert picture.at(4, 5) == (0, 4)
    assert picture.at(5, 4) == (0, 4)
    assert picture.at(23, 1) == (1, 7)
    assert picture.at(14, 3) == (None, None)
    assert picture.at(4, 8) == (None, None)


def test_the_chosen_point_is_marked_and_described():
    picture = Picture(plot(), 24, 9)
    assert text(picture.lines(1))[1].endswith("◆")
    assert text(picture.lines(1))[8] == "the last"
    assert text(picture.lines(None, 4))[5] == "  1┤◆"
    changed = [k for k, pair in enumerate(zip(picture.lines(0), picture.lines(1), strict=True)) if pair[0] != pair[1]]
    assert changed == [1, 5, 8]


def test_of_many_offers_in_a_cell_the_first_good_one_is_shown():
    cloud = Cloud(np.array([10.0, 10.0, 10.0, 1.0, np.nan]), np.array([10.0, 10.0, 10.0, 1.0, 5.0]), np.array([3, 5, 6, 8, 9]),
                  np.array([True, False, True, False, True]), np.array([False, True, True, False, True]))  # fmt: skip
    picture = Picture(plot(points=(), cloud=cloud), 24, 9)
    spans = [span for line in picture.lines() for span in line if set(span[0]) & {"●", "○"}]
    assert [(part.strip(), tone) for part, tone in spans] == [("○", "cpu"), ("○", "faint")]
    assert picture.at(13, 3)[1] == 5
    assert picture.at(4, 5)[1] == 8


def test_rules_are_named_where_there_is_room():
    rules = (Rule(10, "┊", "muted", "≥10"), Rule(1000, "┊", "muted", "far"))
    lines = text(Picture(plot(rules=rules, points=()), 24, 9).lines())
    assert all(line[14] == "┊" for line in lines[1:6])
    assert "┊≥10" in lines[1]
    assert "far" not in "".join(lines)


def test_a_line_has_its_name_at_its_end():
    line = Line(np.array([1.0, 100.0]), np.array([10.0, 10.0]), "kv", "API")
    lines = text(Picture(plot(panels=(Panel(Axis(1, 100), (line,)),), points=()), 24, 9).lines())
    assert any(part.endswith("API") for part in lines)


def test_a_name_is_nearer_to_its_own_line_than_to_any_other():
    x = np.array([1.0, 100.0])
    lines = (Line(x, np.array([90.0, 90.0]), "kv", "high"), Line(x, np.array([2.0, 2.0]), "kv", "low"),
             Line(x, np.array([1.0, 1.0]), "kv", "lower"))  # fmt: skip
    drawn = text(Picture(plot(panels=(Panel(Axis(1, 100), lines),), points=()), 40, 16).lines())
    rows = {name: next(n for n, line in enumerate(drawn) if name in line.split()) for name in ("high", "low")}
    assert rows["high"] < rows["low"] < 12
    assert sum("low" in line for line in drawn) <= 2
    assert all(len(line) <= 40 for line in drawn)


def test_what_holds_where_is_said_below_the_picture():
    parts = (Stretch(0.0, 10.0, ("the first is cheaper", "first"), "cpu"), Stretch(10.0, 100.0, ("second",), "gpu"))
    picture = Picture(plot(bands=(Band("own", parts),)), 34, 14)
    line = next(line for line in text(picture.lines()) if line.startswith("own│"))
    assert line.index(" first ") < line.index("┊") == 19 < line.index(" second ")
    assert not any(line.startswith("own│") for line in text(Picture(plot(bands=(Band("own", parts),)), 34, 9).lines()))


@pytest.mark.parametrize("size", [(40, 8), (24, 5), (10, 3), (3, 2), (1, 1), (200, 60)], ids=str)
def test_every_size_is_filled_and_never_exceeded(size):
    width, height = size
    for one in (
        plot(),
        plot(panels=(Panel(Axis(1, 9)), Panel(Axis(1, 9)))),
        bars(30),
        empty("memory", "M", "Nothing to show " * 9),
    ):
        lines = Picture(one, width, height).lines(0 if len(one) else None)
        assert len(lines) == height
        assert all(cell_len("".join(part for part, _ in line)) <= width for line in lines)


def bars(count):
    made = tuple(
        Bar(f"server {n}", "●", "gpu", ((0.5, "█", "gpu"), (0.25, "▓", "kv")), f"{n} $", f"the bar {n}", n)
        for n in range(count)
    )
    return Plot("memory", "Bars", ("words",), bars=made, heading="GiB", caption="some bars")


def test_bars_have_their_length_their_note_and_their_offer():
    picture = Picture(bars(2), 40, 6)
    lines = text(picture.lines(1))
    assert lines[1].startswith("● server 0 ")
    assert lines[2].startswith("◆ server 1 ")
    assert (lines[1].count("█"), lines[1].count("▓")) == (12, 7)  # of 25 cells
    assert lines[1].endswith("0 $")
    assert lines[5] == "the bar 1"
    assert picture.at(3, 2) == (1, 1)
    assert picture.at(3, 4) == (None, None)


def test_more_bars_than_lines_scroll_with_the_chosen_one():
    picture = Picture(bars(30), 40, 8)
    assert "server 29" in "\n".join(text(picture.lines(29)))
    assert text(picture.lines(29))[7].startswith("25-30 of 30: the bar 29")
    assert picture.at(3, 1) == (24, 24)
    assert text(picture.lines())[7].startswith("1-6 of 30")


def test_braille_in_a_picture_becomes_shapes_in_the_texts_colour():
    from tui.plots.svg_dots import with_dots

    svg = '<text class="r1" x="12.2" y="20" textLength="36.6" clip-path="url(#a)">a⠁&lt;</text><text class="r2" x="0" y="20">b</text>'
    made = with_dots(svg)
    assert made.startswith('<path class="r1" d="M')
    assert made.count("M") == 1
    place = re.search(r"M([\d.]+) ([\d.]+)h", made)
    assert place is not None
    # the dot at the top left of the second cell, which begins at 24.4 from the left and 1.5 from the top
    assert [float(part) for part in place.groups()] == pytest.approx([24.4 + 3.05 - 1.3, 1.5 + 3.05 - 1.3], abs=0.06)
    assert 'clip-path="url(#a)">a&#160;&lt;</text>' in made
    assert made.endswith('<text class="r2" x="0" y="20">b</text>')
