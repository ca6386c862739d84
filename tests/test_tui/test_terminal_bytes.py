"""The shorter way to the terminal paints the same picture."""

from __future__ import annotations

import random
import re

import pytest

from tui.terminal import short, shortened

_TOKEN = re.compile(r"\x1b\[([\d;]*)m|\x1b\[(\d+);(\d+)H|(\r\n)|([^\x1b])")
_CODE = re.compile(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\d+")
ENDS = {"22": ("1", "2"), "23": ("3",), "24": ("4",), "27": ("7",), "29": ("9",)}


def painted(text: str) -> tuple[dict[tuple[int, int], tuple[str, frozenset[str]]], frozenset[str]]:
    """What a terminal shows: character and styles by place, and the styles that stay set."""
    cells: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}
    styles: dict[str, str] = {}
    y = x = 1
    for codes, row, column, newline, char in _TOKEN.findall(text):
        if row:
            y, x = int(row), int(column)
        elif newline:
            y, x = y + 1, 1
        elif char:
            shown = styles
            if char == " " and "7" not in styles:  # no colour of the text on a blank
                shown = {name: code for name, code in styles.items() if name not in {"text", "1", "2", "3"}}
            cells[y, x] = (char, frozenset(shown.values()))
            x += 1
        else:
            for code in _CODE.findall(codes) or ["0"]:
                if code == "0":
                    styles = {}
                elif code in ENDS:
                    for name in ENDS[code]:
                        styles.pop(name, None)
                elif code.startswith("38") or 30 <= int(code.partition(";")[0]) <= 37:
                    styles["text"] = code
                elif code.startswith("48") or 40 <= int(code.partition(";")[0]) <= 47:
                    styles["background"] = code
                else:
                    styles[code] = code
    return cells, frozenset(styles.values())


def frame(random: random.Random) -> str:
    """A piece of what Textual writes: lines of styled texts, each set and reset."""
    colours = ["38;2;1;2;3", "38;2;9;9;9", "31", "38;5;7"]
    grounds = ["48;2;0;0;0", "48;2;5;5;5", "44", ""]
    parts = []
    for y in range(1, random.randint(2, 6)):
        parts.append(f"\x1b[{y};{random.randint(1, 9)}H")
        for _ in range(random.randint(0, 6)):
            codes = [*random.sample(["1", "2", "3", "4", "7", "9"], random.choice([0, 0, 1, 2])),
                     random.choice(colours), random.choice(grounds)]  # fmt: skip
            text = random.choice(["abc", "   ", " x ", "é中", "", "|"])
            styled = ";".join(filter(None, codes))
            parts.append(random.choice([f"\x1b[{styled}m{text}\x1b[0m", text if text.strip() else ""]) or "")
        parts.append(random.choice(["\r\n", ""]))
    return "".join(parts)


@pytest.mark.parametrize("seed", range(300))
def test_the_picture_is_the_same(seed):
    text = frame(random.Random(seed))  # noqa: S311 - no secret
    less = shortened(text)
    assert painted(less) == painted(text)
    assert len(less) <= len(text)


def test_neighbours_share_their_colours():
    text = "\x1b[1;31;44mab\x1b[0m\x1b[31;44m  \x1b[0m\x1b[31;44mcd\x1b[0m\r\n\x1b[2;1H\x1b[32;44mef\x1b[0m"
    assert shortened(text) == "\x1b[1;31;44mab  \x1b[22mcd\x1b[2;1H\x1b[32mef\x1b[0m"


def test_a_lone_piece_and_other_sequences_stay():
    for text in ("\x1b[31mab\x1b[0m", "\x1b[?2026h\x1b[31ma\x1b[0m\x1b[?2026l", "plain\r\n", "\x1b[?25l"):
        assert shortened(text) == text


def test_the_driver_writes_the_short_form():
    written = []

    class Driver:
        def write(self, data):
            written.append(data)

    made = short(Driver)
    assert short(Driver) is made
    made().write("\x1b[31ma\x1b[0m\x1b[31mb\x1b[0m")
    assert written == ["\x1b[31mab\x1b[0m"]


async def test_the_dashboard_uses_it(make_session):
    from tui.app import RackrateApp

    assert RackrateApp(make_session()).driver_class.__name__ == "ShortDriver"
