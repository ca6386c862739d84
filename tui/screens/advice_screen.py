"""What to do with the figures, on the whole screen: a topic at a time, worked out in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work

from models.errors import RackrateError
from tui.advice import TOPICS
from tui.advice.answer import answer
from tui.advice.words import plain, report_lines
from tui.keys import bindings, first
from tui.lines import commands
from tui.screens.dialog import on_top
from tui.screens.full_screen import FullScreen
from tui.widgets.line import Line
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from rich.style import Style
    from textual.binding import BindingType

    from tui.advice.question import Question
    from tui.advice.report import Report
    from tui.text import TextLine

COPIED_WIDTH = 110
TITLES = {
    "verdict": "Verdict", "fleet": "Fleet", "crossover": "Crossover", "buy": "Build or buy", "bottlenecks": "Bottlenecks",
    "box": "One box", "budget": "Budget",
}  # fmt: skip


class AdviceScreen(FullScreen[None]):
    """Reports on one question; each is made when it is first looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("advice")]
    where: ClassVar[str] = "advice"

    def __init__(
        self, question: Question, tones: dict[str, Style], *, topic: str = TOPICS[0], ascii_only: bool = False
    ) -> None:
        super().__init__(tones, ascii_only=ascii_only)
        self.question = question
        self.topic = topic
        self.found: dict[str, Report | str] = {}
        """What is known so far; a text where a topic has no answer."""
        self._asked: set[str] = set()

    def show(self) -> None:
        """The topic, or that it is on its way."""
        if self.topic not in self._asked:
            self._asked.add(self.topic)
            self._make(self.topic)
        self.query_one(TextPane).show(self._lines, keep_place=False)
        pairs = (
            ("back", "advice.back"), ("other topics", "advice.previous", "advice.next"), ("copy", "advice.copy"), ("help", "help"),
        )  # fmt: skip
        self.query_one(Line).show(commands(*pairs))

    def _lines(self, width: int) -> list[TextLine]:
        tabs: TextLine = []
        for topic in TOPICS:
            chosen = topic == self.topic
            tabs.append((f"{'▸' if chosen else ' '}{TITLES.get(topic, topic)} ", "strong" if chosen else "muted"))
        found = self.found.get(self.topic)
        if found is None:
            body: list[TextLine] = [[("working it out …", "muted")]]
        elif isinstance(found, str):
            body = [[(found, "miss")]]
        else:
            body = report_lines(found, width)
        return [*_tab_lines(tabs, width), [("", "text")], *body]

    @work(thread=True, group="advice")
    def _make(self, topic: str) -> None:
        """One report; what cannot be answered says why."""
        found: Report | str
        try:
            found = answer(topic, self.question)
        except RackrateError as error:
            found = str(error)
        self.app.call_from_thread(self._take, topic, found)

    def _take(self, topic: str, found: Report | str) -> None:
        self.found[topic] = found
        if self.is_attached and topic == self.topic:
            self.query_one(TextPane).show(self._lines, keep_place=False)

    def action_topic(self, step: int) -> None:
        """The topic before or after, round and round."""
        self.topic = TOPICS[(TOPICS.index(self.topic) + step) % len(TOPICS)]
        self.show()

    def action_back(self) -> None:
        """Back to the table."""
        if on_top(self):
            self.dismiss(None)

    def action_copy(self) -> None:
        """The report as text."""
        from tui.screens.clipboard import copy

        found = self.found.get(self.topic)
        if found is None or isinstance(found, str):
            self.notify(f"There is nothing to copy yet; {first('advice.back')} goes back.", timeout=3)
            return
        text = plain(found, COPIED_WIDTH, ascii_only=self.ascii_only)
        copy(self, text, f"the advice, {text.count(chr(10)):,} lines")


def _tab_lines(tabs: TextLine, width: int) -> list[TextLine]:
    """The topics beside each other, on more lines where one has no room for all."""
    lines: list[TextLine] = [[]]
    used = 0
    for tab in tabs:
        if used and used + len(tab[0]) > width:
            lines.append([])
            used = 0
        lines[-1].append(tab)
        used += len(tab[0])
    return lines
