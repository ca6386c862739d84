"""Themes: readable everywhere, the right one for the terminal, and nothing lost without colours."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time

import pytest
from textual.color import Color

from tui.__main__ import main
from tui.app import wants_ascii
from tui.theme import DARK, LIGHT, PLAIN_TERMINALS, SIXTEEN, SIXTEEN_LIGHT, THEMES, is_light, tones, usual_theme

MIXED = [theme for theme in THEMES if not theme.ansi]
CONTRASTS = {"text": 4.5, "strong": 4.5, "good": 4.5, "miss": 4.5, "accent": 4.5, "key": 4.5, "gpu": 4.5, "cpu": 4.5,
             "weights": 3.0, "kv": 3.0, "muted": 4.5, "overhead": 3.0, "faint": 3.0, "free": 3.0}  # fmt: skip
"""The least contrast of each tone on the background: WCAG 2 asks 4.5 for text and 3 for what only accompanies it."""


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in (colour.r, colour.g, colour.b)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21."""
    high, low = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", MIXED, ids=lambda theme: theme.name)
@pytest.mark.parametrize("behind", ["background", "surface", "panel"])
def test_every_tone_can_be_read(theme, behind):
    styles = tones(theme)
    assert set(styles) == set(CONTRASTS)
    for name, style in styles.items():
        assert contrast(style.color.get_truecolor().hex, getattr(theme, behind)) >= CONTRASTS[name], name


@pytest.mark.parametrize("theme", MIXED, ids=lambda theme: theme.name)
def test_the_line_under_the_cursor_can_be_read(theme):
    """The table paints its tones on the cursor's background."""
    behind = theme.variables["block-cursor-background"]
    assert contrast(theme.variables["block-cursor-foreground"], behind) >= 4.5
    for name, style in tones(theme).items():
        least = 4.5 if CONTRASTS[name] == 4.5 and name != "muted" else 2.2 if name in {"faint", "free"} else 3.0
        assert contrast(style.color.get_truecolor().hex, behind) >= least, name
    assert contrast(behind, theme.background) >= 1.2


@pytest.mark.parametrize("theme", [theme for theme in MIXED if "contrast" in theme.name], ids=lambda theme: theme.name)
def test_high_contrast_is_high(theme):
    for name, style in tones(theme).items():
        assert contrast(style.color.get_truecolor().hex, theme.background) >= (
            7 if name not in {"faint", "free"} else 4.5
        )
    assert contrast(theme.variables["border"], theme.background) >= 4.5


@pytest.mark.parametrize("theme", MIXED, ids=lambda theme: theme.name)
def test_meets_and_misses_are_told_apart_by_blue_and_orange(theme):
    good, miss = Color.parse(theme.success), Color.parse(theme.warning)
    assert good.b > good.r
    assert miss.r > miss.b


@pytest.mark.parametrize(
    ("said", "light"),
    [
        ("0;15", True),
        ("0;7", True),
        ("15;0", False),
        ("12;8", False),
        ("0;default;15", True),
        ("default;default", False),
        ("", False),
    ],
)
def test_a_terminal_may_say_that_it_is_light(said, light):
    assert is_light({"COLORFGBG": said}) == light


def test_the_theme_fits_the_terminal():
    light = {"COLORFGBG": "0;15"}
    assert [usual_theme({}, colours) for colours in ("truecolor", "256", "standard", None)] == [
        DARK,
        DARK,
        SIXTEEN,
        SIXTEEN,
    ]
    assert [usual_theme(light, colours) for colours in ("truecolor", "standard")] == [LIGHT, SIXTEEN_LIGHT]


@pytest.mark.parametrize("term", sorted(PLAIN_TERMINALS))
def test_old_terminals_get_ascii(monkeypatch, term):
    monkeypatch.setenv("TERM", term)
    assert wants_ascii()
    monkeypatch.setenv("RACKRATE_ASCII", "0")
    assert not wants_ascii()


async def test_the_key_takes_our_themes_in_turn(dashboard):
    async with dashboard() as app:
        seen = [app.app.theme]
        for _ in THEMES:
            await app.press("T")
            seen.append(app.app.theme)
            assert app.table.paint.tones == app.app.tones
        assert seen == [*(theme.name for theme in THEMES), DARK.name]
        app.app.theme = "nord"
        await app.press("T")
        assert app.app.theme == DARK.name


# real terminals

pty = pytest.importorskip("pty", reason="needs a terminal of its own")
PATIENCE_S = 60.0
COLOUR = re.compile(r"\x1b\[([\d;]*)m")


def bytes_of(*words: str, **environment: str) -> str:
    """What the dashboard writes to a terminal until its table is there, the cursor has moved and it was left."""
    import fcntl
    import struct
    import termios

    control, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))
    kept = {
        name: text
        for name, text in os.environ.items()
        if name not in {"COLORTERM", "NO_COLOR", "COLORFGBG", "RACKRATE_ASCII"}
    }
    process = subprocess.Popen([sys.executable, "-m", "tui", *words], stdin=inner, stdout=inner, stderr=inner,
                               env=kept | environment, start_new_session=True)  # fmt: skip
    os.close(inner)
    seen, end, keys = b"", time.monotonic() + PATIENCE_S, [b"j", b"m", b"\x1b", b"q"]
    quiet = 0
    try:
        while time.monotonic() < end and process.poll() is None:
            if select.select([control], [], [], 0.3)[0]:
                try:
                    seen += os.read(control, 65536)
                except OSError:  # Linux says so where the other end has closed
                    break
                quiet = 0
            elif b"Mtok" in seen and (quiet := quiet + 1) > 1 and keys:
                os.write(control, keys.pop(0))
                quiet = 0
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        os.close(control)
    return seen.decode("utf-8", "replace")


def codes(text: str) -> set[str]:
    """Every style code of a text, 38;5;12 as one."""
    found = set()
    for run in COLOUR.findall(text):
        found |= set(re.findall(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\d+", run))
    return found


def test_sixteen_colours_are_the_terminals_own():
    seen = codes(bytes_of(TERM="xterm"))
    assert not {code for code in seen if code.startswith(("38;", "48;"))}
    assert {"96", "93", "90"} & seen
    assert "7" in seen  # the cursor


def test_256_colours():
    seen = codes(bytes_of(TERM="xterm-256color"))
    assert not {code for code in seen if ";2;" in code}
    assert {code for code in seen if code.startswith("38;5;")}


def test_no_colour_at_all():
    text = bytes_of(TERM="xterm-256color", COLORTERM="truecolor", NO_COLOR="1")
    assert codes(text) <= {"0", "1", "2", "22", "3", "23", "4", "24", "7", "27", "39", "49"}
    assert {"1", "7"} <= codes(text)
    assert "▸" in text


@pytest.mark.parametrize(
    ("words", "term"), [((), "linux"), (("--ascii",), "xterm-256color")], ids=["linux console", "--ascii"]
)
def test_ascii_only(words, term):
    text = bytes_of(*words, TERM=term, LANG="C.UTF-8")
    assert {char for char in text if not char.isascii()} == set()
    assert re.search("> [GC] ", COLOUR.sub("", text))


def test_ascii_takes_no_command(capsys):
    assert main(["--ascii", "compare"]) == 2
    assert "takes no command" in capsys.readouterr().err
