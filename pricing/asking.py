"""One provider's requests in one refresh: pages, regions, parts that may fail, all into one list of answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pricing.answers import Answer, Answers
from pricing.errors import FeedError
from pricing.http import Cancelled, Request
from pricing.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pricing.http import Client
    from pricing.provider import About, Missing

T = TypeVar("T")

MAX_PAGES = 500
"""More than twice the longest list known of (all regions of Azure, 150,000 to 200,000 rows in pages of 1,000); an endless chain
ends here at the latest."""
AT_ONCE = 4
"""Requests of one provider at a time."""


@dataclass
class Asker:
    """Asks for one provider; each answer is kept in `answers` and returned. All methods raise FeedError and Cancelled."""

    about: About
    client: Client
    regions: tuple[str, ...] = ()
    """The regions to ask for: the settings', else those the provider names."""
    answered: frozenset[str] = frozenset()
    """Providers whose own feed has answered in this refresh: a catalogue of several need not be asked about them."""
    answers: Answers = field(default_factory=Answers)
    on_answer: Callable[[Answer], None] | None = None
    """Told of each answer as it arrives, from whichever thread asked."""

    def __post_init__(self) -> None:
        self.regions = self.regions or self.about.regions

    def get(
        self,
        part: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        region: str | None = None,
        max_bytes: int | None = None,
    ) -> Answer:
        """The answer of a GET. `params` are sent as the query; secrets belong into `headers`."""
        return self._send(part, region, Request(self.about, "GET", url, params, headers, max_bytes=max_bytes))

    def post(
        self,
        part: str,
        url: str,
        body: Any,
        *,
        headers: Mapping[str, str] | None = None,
        region: str | None = None,
    ) -> Answer:
        """The answer of a POST with a JSON body."""
        return self._send(part, region, Request(self.about, "POST", url, None, headers, body))

    def lines(
        self,
        part: str,
        url: str,
        keep: Callable[[bytes], bool],
        *,
        params: Mapping[str, str] | None = None,
        region: str | None = None,
        max_bytes: int,
        max_age_s: float = 0.0,
    ) -> Answer:
        """The lines of a large file for which `keep` is true, read as a stream: memory holds those lines only.

        Lines kept no longer than `max_age_s` ago are taken without asking.
        """
        request = Request(self.about, "GET", url, params, None, max_bytes=max_bytes, keep=keep, max_age_s=max_age_s)
        return self._send(part, region, request)

    def pages(
        self,
        part: str,
        url: str,
        following: Callable[[Answer], str | Mapping[str, str] | None],
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        region: str | None = None,
        limit: int = MAX_PAGES,
    ) -> list[Answer]:
        """The answers of a chain of pages. `following` names the next one: an address, or the query for the same address.

        An address may only be one of the provider's hosts. A chain that repeats itself or does not end is refused.
        """
        found: list[Answer] = []
        seen: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
        here, query = url, params
        while True:
            key = (here, tuple(sorted((query or {}).items())))
            if key in seen or len(found) >= limit:
                raise FeedError(
                    self.about.name,
                    "the pages of the list do not end.",
                    hint="The feed has changed; old prices stay in use.",
                )
            seen.add(key)
            found.append(self.get(part, here, params=query, headers=headers, region=region))
            next_page = following(found[-1])
            if not next_page:
                return found
            here, query = (next_page, None) if isinstance(next_page, str) else (url, next_page)

    def attempt(self, missing: Missing, call: Callable[[], T]) -> T | None:
        """What a call answers; if it fails, the part is noted as missing and None comes back: old rows of it stay.

        What the call had been answered before it failed is dropped: half a list would make its other half look unsold.
        """
        before = len(self.answers.items)
        try:
            return call()
        except FeedError as error:
            del self.answers.items[before:]
            reason = missing.reason or error.message.removeprefix(f"{self.about.name}: ")
            self.answers.missing.append(replace(missing, reason=reason))
            return None

    def together(self, calls: Sequence[Callable[[Asker], T]]) -> list[T]:
        """What several calls return, some asked at once; each is given an Asker, the answers stay in the order of the calls."""
        helpers = [replace(self, answers=Answers()) for _ in calls]
        bound = [partial(call, helper) for call, helper in zip(calls, helpers, strict=True)]
        found: dict[int, T] = {}
        for place, result in at_once(bound, AT_ONCE, f"ask-{self.about.name}", self.client.cancelled.is_set):
            if isinstance(result, BaseException):
                raise result
            found[place] = result
        if len(found) < len(calls):
            raise Cancelled
        for helper in helpers:
            self.answers.items += helper.answers.items
            self.answers.missing += helper.answers.missing
        return [found[place] for place in range(len(calls))]

    def key(self) -> str | None:
        """The provider's API key from the environment; None if there is none to use."""
        return self.client.key(self.about.name, self.about.key_variable) if self.about.key_variable else None

    def need_key(self) -> str:
        """The provider's API key. Raises FeedError if there is none."""
        key = self.key()
        if key is None:
            raise FeedError(
                self.about.name,
                f"it needs a key in {self.about.key_variable}.",
                hint=f"Set {self.about.key_variable} in the environment; see {self.about.page}",
            )
        return key

    def _send(self, part: str, region: str | None, request: Request) -> Answer:
        if self.client.cancelled.is_set():
            raise Cancelled
        reply = self.client.send(request)
        answer = Answer(self.about.name, part, reply.body, region, reply.headers)
        self.answers.items.append(answer)
        if self.on_answer is not None:
            self.on_answer(answer)
        return answer
