"""Printed tables: whole columns give way, nothing is cut without a mark, numbers are read at a glance."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from models.errors import InputError
from tui import format as fmt
from tui.cli import output
from tui.cli.table import Column, figure, print_table, render

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = (
    Column("server", "Server", 1),
    Column("cost", "USD/Mtok", 2),
    Column("provider", "Provider", 9),
    Column("age", "Age", 8),
    Column("reason", "Why not", 4, wrap=True),
)
ROWS = [
    {"server": "gpu-a", "cost": 0.1234, "provider": "hetzner", "age": 12, "reason": ""},
    {"server": "cpu-b", "cost": None, "provider": "ovh", "age": 4000, "reason": "needs 80 GB of memory, has 24"},
]


def test_wide_enough_shows_every_column() -> None:
    lines, hidden = render(ROWS, COLUMNS, cells=100)
    assert hidden == []
    assert lines[0].split() == ["Server", "USD/Mtok", "Provider", "Age", "Why", "not"]
    assert lines[2].endswith("needs 80 GB of memory, has 24")


def test_the_least_important_column_goes_first_and_is_named() -> None:
    lines, hidden = render(ROWS, COLUMNS, cells=48)
    assert hidden == ["Provider"]
    assert "hetzner" not in "\n".join(lines)


def test_what_limits_the_servers_is_told_where_its_column_has_no_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = (*COLUMNS[:2], Column("bound", "Limited by", 9, told=True))
    rows = [{"server": "x" * 20, "cost": 1.0, "bound": bound} for bound in ("compute", "memory", "memory", None)]
    monkeypatch.setenv("COLUMNS", "32")
    assert print_table(rows, columns) == ["Limited by: memory (2), compute (1)."]
    assert "Limited by" not in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "80")
    assert print_table(rows, columns) == []


def test_a_reason_wraps_on_words() -> None:
    lines, _ = render(ROWS, COLUMNS, cells=48)
    assert len(lines) == 4
    assert " ".join(" ".join(lines[2:]).split()).endswith("needs 80 GB of memory, has 24")


def test_a_column_without_any_value_takes_no_room() -> None:
    lines, hidden = render([{**ROWS[0], "age": None}], COLUMNS, cells=100)
    assert "Age" not in lines[0]
    assert hidden == []


def test_a_long_name_is_marked_as_shortened() -> None:
    lines, _ = render([{"server": "x" * 60, "cost": 1.0}], COLUMNS[:2], cells=80)
    assert "x…" in lines[1]


def test_control_characters_never_reach_the_terminal() -> None:
    lines, _ = render([{"server": "a\x1b[31mb\nc", "cost": 1.0}], COLUMNS[:2], cells=80)
    assert "\x1b" not in lines[1]
    assert "\n" not in lines[1]


@given(
    st.lists(
        st.fixed_dictionaries({
            "server": st.text(max_size=50),
            "cost": st.none() | st.floats(),
            "reason": st.text(max_size=99),
        }),
        max_size=5,
    ),
    st.integers(min_value=48, max_value=150),
)  # fmt: skip
@example([{"server": "", "cost": 0.0, "reason": "0" * 25 + "\U00020000"}, {"server": "00000000⺀"}], 48)
def test_no_line_is_wider_than_the_terminal(rows: list[dict[str, object]], cells: int) -> None:
    lines, _ = render(rows, COLUMNS, cells=cells)
    assert all(cell_len(line) <= cells for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (float("nan"), "—"), ("", "—"), (0.0, "0"), (1234, "1,234"), (0.123456, "0.123"), (12.345, "12.3"),
     (9.996, "10.0"), (1234.5, "1,230"), (True, "yes"), (("a", "b"), "a, b")],
)  # fmt: skip
def test_figures(value: object, text: str) -> None:
    assert figure(value) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(85, "85.0 ms"), (1920, "1.92 s"), (599_000, "599 s"), (750_000, "12.5 min"), (11_160_000, "3.10 h"), (1.28e8, "35.6 h"),
     (4e8, "4.63 days")],
)  # fmt: skip
def test_long_times_are_told_in_minutes_hours_and_days(milliseconds: float, text: str) -> None:
    assert fmt.duration(milliseconds) == text


def test_a_mark_keeps_figures_in_line_and_is_explained_only_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    columns = (Column("server", "Server", 1), Column("cost", "Cost", 2, mark="old", mark_means="an old price."))
    rows = [{"server": "a", "cost": 1.5, "old": True}, {"server": "b", "cost": 20.5, "old": False}]
    assert print_table(rows, columns) == ["* an old price."]
    assert capsys.readouterr().out == "Server   Cost\na       1.50*\nb       20.5\n"
    assert print_table([rows[1]], columns) == []


class TestCsv:
    def test_missing_is_empty_and_formulas_are_defused(self) -> None:
        text = output.csv_text(
            [{"a": None, "b": float("nan"), "c": "=1+1", "d": True, "e": 2.0, "f": -1.5}], list("abcdef")
        )
        assert text == "a,b,c,d,e,f\n,,'=1+1,true,2,-1.5\n"

    def test_quotes_and_newlines_survive(self) -> None:
        text = output.csv_text([{"a": 'x "y",\nz'}], ["a"])
        assert list(csv.DictReader(io.StringIO(text))) == [{"a": 'x "y",\nz'}]

    def test_json_has_null_for_nan(self, capsys: pytest.CaptureFixture[str]) -> None:
        output.emit([{"a": float("nan"), "b": (1, 2)}], COLUMNS, "json")
        assert json.loads(capsys.readouterr().out) == [{"a": None, "b": [1, 2]}]

    def test_markdown_escapes_bars(self, capsys: pytest.CaptureFixture[str]) -> None:
        output.emit([{"server": "a|b", "cost": 1.0}], COLUMNS[:2], "markdown")
        assert capsys.readouterr().out == "| Server | USD/Mtok |\n| --- | --- |\n| a\\|b | 1.00 |\n"


class TestReading:
    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"", "is empty"), (b"\n\n", "is empty"),
            (b"\x89PNG\r\n\x1a\n\x00\xff", "not a text file"), (b"a,a\n1,2\n", "two columns named 'a'"),
            (b"a,b\n1,2,3\n", "line 2: 1 value more than"), (b'a\n"' + b"x" * 200_000, "cannot be read as CSV"),
            (b"\x00\x00", "not a text file"),
        ],
    )  # fmt: skip
    def test_a_bad_file_gets_one_sentence(self, content: bytes, sentence: str, tmp_path: Path) -> None:
        path = tmp_path / "cases.csv"
        path.write_bytes(content)
        with pytest.raises(InputError, match=sentence):
            list(output.read_csv(str(path)))

    def test_a_folder_and_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is a folder"):
            list(output.read_csv(str(tmp_path)))
        with pytest.raises(InputError, match="does not exist"):
            list(output.read_csv(f"{tmp_path}/none.csv"))

    def test_a_byte_order_mark_is_no_part_of_the_first_name(self, tmp_path: Path) -> None:
        path = tmp_path / "cases.csv"
        path.write_bytes(b"\xef\xbb\xbfmodel,hardware\r\nX,\r\n")
        assert list(output.read_csv(str(path))) == [{"model": "X", "hardware": ""}]
