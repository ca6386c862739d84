"""What a feed answered: bodies with a label each, and the parts that were not answered."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pricing.answer import parse_json
from pricing.errors import FeedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pricing.provider import Missing


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a feed. `body` is decoded bytes; of a stream, only the lines that were kept."""

    provider: str
    part: str
    """Which of the provider's requests it answers: "plans", "spot"."""
    body: bytes
    region: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Response headers, names in lower case."""

    @property
    def age_s(self) -> float:
        """Seconds for which a cache has kept the answer; 0 for one that came from its server."""
        age = self.headers.get("age", "")
        return float(age) if age.isascii() and age.isdigit() else 0.0

    def json(self) -> Any:
        """The parsed body. Raises FeedError if it is not JSON of a sane depth."""
        return parse_json(self.provider, self.body)

    def text(self) -> str:
        """The body as text. Raises FeedError if it is not UTF-8."""
        try:
            return self.body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FeedError(self.provider, "the answer is not text.", hint="Old prices stay in use.") from error


@dataclass
class Answers:
    """All answers of one refresh of one provider, in the order in which they were asked for."""

    items: list[Answer] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    @classmethod
    def of(cls, provider: str, /, **parts: Any) -> Answers:
        """Answers made of plain values, one a part: bytes stay, text is encoded, all else becomes JSON."""
        found = cls()
        for part, value in parts.items():
            body = (
                value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
            )
            found.items.append(Answer(provider, part, body))
        return found

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.items)

    def all(self, part: str) -> list[Answer]:
        """Every answer of a part: its pages or regions."""
        return [answer for answer in self.items if answer.part == part]

    def first(self, part: str) -> Answer | None:
        """The first answer of a part; None if it was not answered."""
        return next((answer for answer in self.items if answer.part == part), None)

    @property
    def oldest_s(self) -> float:
        """Seconds for which a cache has kept the oldest of the answers; 0 if all came from their servers."""
        return max((answer.age_s for answer in self.items), default=0.0)

    def digest(self) -> str:
        """A fingerprint: two refreshes with the same one brought the same."""
        found = hashlib.sha256()
        for answer in self.items:
            label = f"{answer.part}\0{answer.region or ''}\0{len(answer.body)}\0"
            found.update(label.encode())
            found.update(answer.body)
        for part in self.missing:
            found.update(f"missing\0{part.kind}\0{part.term}\0{part.region}\0{part.provider}".encode())
        return found.hexdigest()
