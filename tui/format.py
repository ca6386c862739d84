"""Numbers and feed text as short strings: three significant digits, thousands separated, a dash for a missing value."""

from __future__ import annotations

import math
import re

from rich.cells import cell_len, set_cell_size

MISSING = "—"
"""Shown where there is no figure; the row's reason says why. Never an empty cell."""
ELLIPSIS = "…"

CURRENCY_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "CN¥", "INR": "₹"}


def _drawn(dots: int) -> str:
    """The character that looks most like a cell of braille dots: a line goes across, down, or just touches the cell."""
    left, right = dots & 0x47, dots & 0xB8
    rows = [dots & row for row in (0x09, 0x12, 0x24, 0xC0)]
    if not dots:
        return " "
    if sum(map(bool, rows)) >= 3:
        return "|"
    if left and right:
        return "_" if not any(rows[:3]) else "-"
    return "'" if not any(rows[2:]) else "."


_ASCII = str.maketrans({
    "—": "-", "…": "~", "≈": "~", "●": "G", "○": "C", "▸": ">", "■": "#", "✓": "+", "✗": "x", "×": "x", "↑": "^", "↓": "v", "≤": "<",
    "≥": ">", "·": ".", "‹": "<", "›": ">", "Σ": "S", "█": "#", "▓": "=", "▒": "-", "░": ".", "─": "-", "│": "|", "–": "-",
    "→": "->", "←": "<-", "▮": "#", "▯": ".", "⌕": "?", "€": "EUR", "£": "GBP", "¥": "JPY", "²": "2", "µ": "u",
    "★": "*", "÷": "/", "−": "-",
    "◆": "*", "◉": "@", "◎": "O", "┊": ":", "┃": "|", "┈": ".", "┤": "+", "┬": "+", "└": "+",
} | {chr(0x2800 + dots): _drawn(dots) for dots in range(256)})  # fmt: skip


def to_ascii(text: str) -> str:
    """The same text in 7-bit characters, for terminals and fonts without box and sign glyphs.

    Where a sign becomes longer, padding behind it gives way, so that columns stay in line.
    """
    if text.isascii():
        return text
    return _PADDED.sub(_in_place, _FIT_MARK.sub(lambda found: _FIT_WORDS[found[0]], text))


def shown(text: str, *, ascii_only: bool) -> str:
    """A text as the terminal can show it."""
    return to_ascii(text) if ascii_only else text


def ascii_cells(text: str) -> str:
    """A text in 7-bit characters that fills the very same cells, whatever is in it."""
    return "".join(char if char.isascii() else _in_cells(char) for char in text)


def _in_cells(char: str) -> str:
    twin = char.translate(_ASCII)
    if not twin.isascii():
        twin = _FRAMES.get(char, "?" * cell_len(char))
    return twin[: cell_len(char)].ljust(cell_len(char))


_FRAMES = dict.fromkeys("━═╌╍┄┅▔▁", "-") | dict.fromkeys("║▌▐▎▊▍▋▏▉▕", "|") | dict.fromkeys("╭╮╰╯┌┐┘├┴┼┏┓┗┛┣┫╔╗╚╝", "+")
"""Signs of frames that Textual may draw."""
_FIT_WORDS = {"✓": "ok", "✗": "NO"}
_FIT_MARK = re.compile(r"[✓✗](?= \S)")
"""A mark before a word: said as the table's cells say it."""
_PADDED = re.compile(r"(\S+(?: \S+)*)( *)")


def _in_place(found: re.Match[str]) -> str:
    text, gap = found[1], len(found[2])
    twin = text.translate(_ASCII).encode("ascii", "replace").decode("ascii")
    return twin + " " * (max(gap - len(twin) + cell_len(text), 1) if gap > 1 else gap)


def clean(text: str) -> str:
    """Text of a feed without control characters: an escape sequence in a server's name must never reach the terminal.

    Marks piled up on one letter, which terminals paint over the lines above and below, are cut off.
    """
    if text.isascii() and text.isprintable():
        return text
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return _PILED.sub(r"\1", text)


_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILED = re.compile(f"({_MARKS}{{3}}){_MARKS}+")


def fit_width(text: str, width: int, *, right: bool = False, ellipsis: str = ELLIPSIS) -> str:
    """Exactly `width` terminal cells: padded, or shortened with an ellipsis; wide (CJK) characters count two cells."""
    if width <= 0:
        return ""
    length = len(text) if text.isascii() else cell_len(text)
    if length == width:
        return text
    if length < width:
        pad = " " * (width - length)
        return pad + text if right else text + pad
    if width == 1:
        return ellipsis
    return set_cell_size(text, width - 1) + ellipsis


def shorten_middle(text: str, width: int, *, tail: int = 0, ellipsis: str = ELLIPSIS) -> str:
    """A text of at most `width` cells that keeps its beginning and its end.

    `tail` is how much of the end: cells, 0 for half, or words if negative.
    """
    if (len(text) if text.isascii() else cell_len(text)) <= width or width < 5:
        return text
    if tail < 0:
        tail = cell_len(" ".join(text.split(" ")[tail:])) + 1
    tail = min(tail or width, (width - 1) // 2)
    end = ""
    for char in reversed(text):
        if cell_len(char + end) > tail:
            break
        end = char + end
    return set_cell_size(text, width - 1 - cell_len(end)) + ellipsis + end


def number(value: float | None, *, decimals: int = 4) -> str:
    """Three significant digits: 0.0123, 1.23, 12.3, 123, 1,230, 123k, 1.23M; at most `decimals` after the point."""
    if value is None or value != value:
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    size = abs(value)
    for limit, suffix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (999_500, "M"), (99_950, "k")):
        if size >= limit:
            scale = {"P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3}[suffix]
            return f"{number(value / scale, decimals=2)}{suffix}"
    if size >= 999.5:
        step = 10 ** (math.floor(math.log10(size)) - 2)
        return f"{round(value / step) * step:,.0f}"
    smallest: float = 10.0**-decimals
    if size < smallest / 2:
        return f"<{smallest:.{decimals}f}" if value > 0 else f">-{smallest:.{decimals}f}"
    places = 2 - math.floor(math.log10(size))
    text = f"{value:.{min(max(places, 0), decimals)}f}"
    # 9.996 rounds up to 10.00: one digit too many, so round once more at the new magnitude.
    if places > 0 and abs(float(text)) >= 10 ** (3 - places):
        text = f"{value:.{min(max(places - 1, 0), decimals)}f}"
    return text


def count(value: float | None) -> str:
    """An exact whole number with thousands separators."""
    if value is None or value != value:
        return MISSING
    return f"{int(value):,}"


def whole(value: float | None) -> str:
    """A count that is an estimate: exact below a thousand, three significant digits above."""
    if value is None or value != value:
        return MISSING
    return f"{value:.0f}" if abs(value) < 999.5 else number(value)


def short_count(value: float | None) -> str:
    """A large count in at most three characters where they suffice: 54, 999, 6k, 12k, 2M."""
    if value is None or value != value:
        return MISSING
    for limit, scale, suffix in ((999_500, 1e6, "M"), (999.5, 1e3, "k")):
        if value >= limit:
            return f"{value / scale:.0f}{suffix}"
    return f"{value:.0f}"


def milliseconds(value: float | None) -> str:
    """Three significant digits of milliseconds in full: 316k ms would have to be worked out."""
    if value is None or value != value:
        return MISSING
    if value < 99_950:
        return number(value)
    step = 10 ** (math.floor(math.log10(value)) - 2)
    return f"{round(value / step) * step:,.0f}"


def plain(value: float | None, digits: int = 6) -> str:
    """A number as a user would type it: no padding zeros, no thousands separators."""
    if value is None or value != value:
        return MISSING
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"


def seconds(milliseconds: float | None) -> str:
    """A latency in seconds without its unit, to the millisecond."""
    if milliseconds is None or milliseconds != milliseconds:
        return MISSING
    return number(milliseconds / 1000, decimals=3)


def duration(milliseconds: float | None) -> str:
    """A time with its unit for sentences: 85 ms, 1.92 s, 12.5 min, 3.1 h, 4.2 days."""
    if milliseconds is None or milliseconds != milliseconds:
        return MISSING
    if milliseconds < 999.5:
        return f"{number(milliseconds, decimals=1)} ms"
    if milliseconds < 600_000:
        return f"{number(milliseconds / 1000)} s"
    if milliseconds < 7_200_000:
        return f"{number(milliseconds / 60_000)} min"
    if milliseconds < 172_800_000:
        return f"{number(milliseconds / 3_600_000)} h"
    return f"{number(milliseconds / 86_400_000)} days"


def tokens(value: float) -> str:
    """A prompt length in a sentence: 256, 1,155, 128k, 10M."""
    if value >= 1_000_000 and value % 100_000 == 0:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if value >= 10_000 and value % 1000 == 0 else f"{int(value):,}"


def few(number: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 offer, 3,484 offers."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(value: float, noun: str) -> str:
    """The same of what need not be whole: 1 month, 0.5 requests."""
    return f"{plain(value)} {noun}{'' if value == 1 else 's'}"


def symbol(currency: str) -> str:
    """The sign of a currency, or its code where no short sign is common."""
    return CURRENCY_SYMBOLS.get(currency, currency)


def money(value: float | None, currency: str, *, decimals: int = 4) -> str:
    """A price for sentences: $1,240, €0.093, CHF 12.5."""
    if value is None or value != value:
        return MISSING
    sign = symbol(currency)
    text = number(value, decimals=decimals)
    return f"<{sign}{text[1:]}" if text.startswith("<") else f"{sign}{'' if len(sign) == 1 else ' '}{text}"


def price(value: float | None, currency: str) -> str:
    """A listed price in full, to the cent above one unit and to four decimals below."""
    if value is None or value != value:
        return MISSING
    sign = symbol(currency)
    text = (
        f"{value:,.0f}"
        if value >= 10_000
        else f"{value:,.2f}"
        if value >= 1
        else f"{value:.4f}".rstrip("0").ljust(4, "0")
    )
    return f"{sign}{'' if len(sign) == 1 else ' '}{text}"


def age(days: float | None) -> str:
    """How old a price is, in the largest fitting unit: 3 h, 12 d, 5 mo, 2.1 y."""
    if days is None or days != days:
        return MISSING
    if days < 1:
        return f"{max(round(days * 24), 0)} h"
    if days < 60:
        return f"{days:.0f} d"
    if days < 720:
        return f"{days / 30.44:.0f} mo"
    return f"{days / 365.25:.1f} y"


def share(value: float | None) -> str:
    """A used share as whole percent without the sign, capped where more digits say nothing."""
    if value is None or value != value:
        return MISSING
    percent = value * 100
    return ">999" if percent >= 999.5 else f"{percent:.0f}"


def percent_used(value: float | None) -> str:
    """The same share for sentences: 62 %."""
    text = share(value)
    return text if text == MISSING else f"{text} %"
