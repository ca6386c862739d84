"""Toned text without a widget: lines of spans, wrapped and set in columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len

from tui.format import clean, fit_width

Span = tuple[str, str]
"""Text and the name of its tone."""
TextLine = list[Span]


GPU, CPU = "●", "○"


def sign(*, gpu: bool) -> Span:
    """Glyph and tone of a kind of server."""
    return (GPU, "gpu") if gpu else (CPU, "cpu")


@dataclass(slots=True)
class Section:
    """A titled block of lines."""

    title: str
    lines: list[TextLine] = field(default_factory=list)
    wide: bool = False
    """Long texts that want the whole width."""


TIED = "\u00a0"
"""A space at which no line is broken."""


def _clean(text: str) -> str:
    return TIED.join(clean(part) for part in text.split(TIED))


def length(line: TextLine) -> int:
    """Terminal cells of a line."""
    return sum(len(text) if text.isascii() and text.isprintable() else cell_len(text) for text, _ in line)


def _as_it_is(line: TextLine, width: int) -> TextLine | None:
    """The line where it fits, as most do; None where it must be broken or begins with a space."""
    whole = [(_clean(text).replace(TIED, " "), tone) for text, tone in line if text]
    if not whole or whole[0][0][0] == " " or length(whole) > width:
        return None
    whole[-1] = (whole[-1][0].rstrip(" "), whole[-1][1])
    return joined(_strip_end(whole))


def _words(line: TextLine) -> list[Span]:
    """Words and single spaces; tied spaces are inside words."""
    words: list[Span] = []
    for text, tone in line:
        word = ""
        for char in _clean(text):
            if char == " ":
                words += [(word, tone)] if word else []
                words.append((" ", tone))
                word = ""
            else:
                word += " " if char == TIED else char
        words += [(word, tone)] if word else []
    return words


def wrap(line: TextLine, width: int, indent: int = 0) -> list[TextLine]:
    """A line broken between words to at most `width` cells; later lines are indented. Words longer than a line are cut."""
    if (whole := _as_it_is(line, width)) is not None:
        return [whole]
    words = _words(line)
    result: list[TextLine] = [[]]
    used = 0

    def new_line() -> int:
        result.append([(" " * indent, "text")] if indent else [])
        return indent

    # Neighbouring words without a space between them stay together.
    units: list[list[Span]] = []
    for span in words:
        if span[0] == " " or not units or units[-1][0][0] == " ":
            units.append([span])
        else:
            units[-1].append(span)
    for unit in units:
        size = length(unit)
        if unit[0][0] == " ":
            if indent <= used < width and used:
                result[-1].append(unit[0])
                used += 1
            continue
        if used + size > width and used > indent:
            used = new_line()
        for text, tone in unit:
            rest = text
            while used + cell_len(rest) > width > indent:
                head = fit_head(rest, width - used)
                if not head and used > indent:
                    used = new_line()
                    continue
                # A wide character in a line of one cell: it stands there all the same, or it would be tried for ever.
                head = head or rest[0]
                result[-1].append((head, tone))
                rest = rest[len(head) :]
                if not rest:
                    break
                used = new_line()
            result[-1].append((rest, tone))
            used += cell_len(rest)
    return [joined(_strip_end(one)) for one in result]


def joined(line: TextLine) -> TextLine:
    """The same line with neighbours of one tone as one span: far fewer escape sequences on the way to the terminal."""
    result: TextLine = []
    for text, tone in line:
        if result and result[-1][1] == tone:
            result[-1] = (result[-1][0] + text, tone)
        else:
            result.append((text, tone))
    return result


def fit_head(text: str, width: int) -> str:
    """As many characters of a text as `width` cells hold."""
    used = 0
    for place, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:place]
    return text


def _strip_end(line: TextLine) -> TextLine:
    while line and not line[-1][0].strip() and len(line) > 1:
        line.pop()
    return line


def shorten(line: TextLine, width: int) -> TextLine:
    """A line of at most `width` cells, with an ellipsis where it was cut."""
    if length(line) <= width:
        return line
    result: TextLine = []
    used = 0
    for text, tone in line:
        size = cell_len(text)
        if used + size > width - 1:
            return [*result, (fit_head(text, width - 1 - used).rstrip() + "…", tone)]
        result.append((text, tone))
        used += size
    return result


def pad(line: TextLine, width: int) -> TextLine:
    """A line of exactly `width` cells."""
    missing = width - length(line)
    return [*line, (" " * missing, "text")] if missing > 0 else line


def block(section: Section, width: int, label: int) -> list[TextLine]:
    """A section as lines: its title in the first `label` cells, its text behind."""
    lines: list[TextLine] = []
    for number, line in enumerate(section.lines):
        title = fit_width(section.title if number == 0 else "", label)
        lead = len(line[0][0]) - len(line[0][0].lstrip(" ")) if line else 0
        for part, wrapped in enumerate(wrap(line, width - label - lead)):
            head = title if part == 0 else " " * label
            lines.append([(head + " " * lead, "muted"), *wrapped])
    return lines


def lay_out(sections: list[Section], width: int, *, label: int = 9, two_columns_from: int = 100) -> list[TextLine]:
    """Sections below each other, or side by side in two columns where there is room for both."""
    if width < two_columns_from:
        return [line for section in sections for line in block(section, width, label)]
    gap = 3
    half = (width - gap) // 2
    narrow = [section for section in sections if not section.wide]
    blocks = [block(section, half, label) for section in narrow]
    total = sum(len(one) for one in blocks)
    left: list[TextLine] = []
    right: list[TextLine] = []
    for one in blocks:
        # Keep the order: fill the left side until it holds half.
        (left if not right and len(left) + len(one) / 2 <= total / 2 + 1 else right).extend(one)
    lines = []
    for number in range(max(len(left), len(right))):
        first = left[number] if number < len(left) else []
        second = right[number] if number < len(right) else []
        lines.append([*pad(first, half), (" " * gap, "text"), *second] if second else first)
    for section in sections:
        if section.wide:
            lines += block(section, width, label)
    return lines
