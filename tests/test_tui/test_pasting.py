"""Pastes are text: nothing of one is ever taken for keys, whatever is in it and however the terminal cuts it up."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

from tui.pasting import END, START, PasteCleaner, one_line, reading_pastes
from tui.terminal import short

HOSTILE = "acme\x1b[31m\nq\x1b[2Jqq" + "q" * 60 + "\x07\x00\x9b"


def _events(pieces: list[str]) -> list[object]:
    parser = reading_pastes(XTermParser)(False)
    return [event for piece in pieces for event in parser.feed(piece)]


@pytest.mark.parametrize("size", [1, 2, 5, 7, 1000])
def test_a_paste_is_one_event_and_no_key(size: int) -> None:
    sent = f"a{START}{HOSTILE}{END}b"
    found = _events([sent[at : at + size] for at in range(0, len(sent), size)])
    keys = [event.character for event in found if isinstance(event, events.Key)]
    (paste,) = (event.text for event in found if isinstance(event, events.Paste))
    assert keys == ["a", "b"]
    assert paste == "acme[31m\nq[2Jqq" + "q" * 60


def test_what_is_no_paste_stays_as_it_is() -> None:
    clean = PasteCleaner()
    for piece in ("\x1b[A", "\x1b[", "B", "\x1b", "x", "\x1b[200", "~q\x1b[3"):
        expected = piece.replace("\x1b[3", "[3") if piece.startswith("~") else piece
        assert clean(piece).startswith(expected[:2])


def test_marks_in_two_pieces_are_found() -> None:
    clean = PasteCleaner()
    assert "".join(map(clean, ["x\x1b[20", "0~a\x1bb", "\x1b[2", "01~\x1b[A"])) == f"x{START}ab{END}\x1b[A"


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n\n first \nsecond", "first"), ("a\tb\x1b[2J", "a b[2J"), ("", ""), ("\x1b\n", ""), ("Llama 3.1", "Llama 3.1")],
)
def test_an_input_takes_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_the_terminals_driver_reads_pastes_so() -> None:
    short(linux_driver.LinuxDriver)
    assert linux_driver.XTermParser.cleans_pastes
    assert reading_pastes(linux_driver.XTermParser) is linux_driver.XTermParser


async def test_a_hostile_paste_into_the_filter_is_text(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        app.app.post_message(events.Paste("acme\x1b\nq\x1b[31mq"))
        await app.settle()
        await app.press("enter")
        assert app.session.view.where == "acme"
        assert app.app.is_running
