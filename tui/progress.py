"""How far a refresh is, feed by feed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.refresh_report import Outcome

WAITING, ASKING = "waiting", "asking"


@dataclass(slots=True)
class Progress:
    """Takes the events of pricing.refresh: the plan, a feed's name when it starts, its steps, its outcome when it ends."""

    planned: tuple[str, ...] = ()
    started: list[str] = field(default_factory=list)
    ended: dict[str, Outcome] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    """Bytes each feed has sent so far."""
    answers: dict[str, int] = field(default_factory=dict)

    def take(self, event: object) -> None:
        """Count an event."""
        from pricing.refresh_report import Outcome, Plan, Step

        if isinstance(event, Plan):
            self.planned = event.providers
        elif isinstance(event, str):
            self.started.append(event)
        elif isinstance(event, Step):
            self.read[event.provider], self.answers[event.provider] = event.bytes_read, event.answers
        elif isinstance(event, Outcome):
            self.ended[event.provider] = event

    def state(self, name: str) -> str:
        """What a feed is doing: waiting, asking with what it has sent, or "" where it has ended or is not asked."""
        if name in self.ended:
            return ""
        if name not in self.started:
            return WAITING if name in self.planned else ""
        size, answers = self.read.get(name, 0), self.answers.get(name, 0)
        if not answers:
            return ASKING
        return f"{size / 1e6:.1f} MB read" if size >= 50_000 else f"{answers:,} answers" if answers > 1 else "1 answer"

    @property
    def text(self) -> str:
        """A bar, the counts and who is being asked."""
        if not self.total:
            return "refreshing …"
        done, cells = len(self.ended), self._cells
        waiting = [self._said(name) for name in self.started if name not in self.ended]
        return f"refreshing {done}/{self.total} {'▮' * cells}{'▯' * (5 - cells)} {', '.join(waiting[:2])}".rstrip()

    @property
    def short(self) -> str:
        """The same without who is asked, for narrow terminals."""
        if not self.total:
            return self.text
        return f"refreshing {len(self.ended)}/{self.total} {'▮' * self._cells}{'▯' * (5 - self._cells)}"

    @property
    def total(self) -> int:
        """Feeds to be asked."""
        return max(len(self.planned), len(self.started), len(self.ended))

    @property
    def _cells(self) -> int:
        return round(len(self.ended) / max(self.total, 1) * 5)

    def _said(self, name: str) -> str:
        megabytes = self.read.get(name, 0) / 1e6
        return f"{name} {megabytes:.0f} MB" if megabytes >= 1 else name
