"""Braille dots in a picture of the screen as shapes: monospaced fonts often lack them, and others are not as wide."""

from __future__ import annotations

import re
from html import escape, unescape

CELL, LINE, ABOVE = 12.2, 24.4, 18.5
"""Width and height of a cell in Rich's pictures, and how far above the text's base line it begins."""
DOT = 2.6
_TEXT = re.compile(r'<text class="([^"]+)" x="([\d.]+)" y="([\d.]+)"([^>]*)>([^<]*[\u2800-\u28ff][^<]*)</text>')
_DOTS = [(0x01, 0, 0), (0x02, 0, 1), (0x04, 0, 2), (0x40, 0, 3), (0x08, 1, 0), (0x10, 1, 1), (0x20, 1, 2), (0x80, 1, 3)]
"""(bit, column, row) of each dot."""


def with_dots(svg: str) -> str:
    """The same picture with every cell of braille drawn, in its text's colour."""
    return _TEXT.sub(_drawn, svg)


def _drawn(found: re.Match[str]) -> str:
    name, left, base, more, content = found.groups()
    text = unescape(content)
    path = []
    for place, char in enumerate(text):
        bits = ord(char) - 0x2800
        if not 0 <= bits < 256:
            continue
        for bit, column, row in _DOTS:
            if bits & bit:
                x = float(left) + CELL * (place + (2 * column + 1) / 4) - DOT / 2
                y = float(base) - ABOVE + LINE * (2 * row + 1) / 8 - DOT / 2
                path.append(f"M{x:.1f} {y:.1f}h{DOT}v{DOT}h-{DOT}z")
    rest = re.sub("[\u2800-\u28ff]", "\u00a0", text)
    shown = escape(rest, quote=False).replace("\u00a0", "&#160;")
    return f'<path class="{name}" d="{"".join(path)}"/><text class="{name}" x="{left}" y="{base}"{more}>{shown}</text>'
