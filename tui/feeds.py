"""The price feeds as a list: what each said last, how old that is, and what to do about it; and the list in one line."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui import clock
from tui import format as fmt
from tui.progress import WAITING
from tui.text import TIED, wrap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pricing.feed_state import FeedState
    from pricing.provider import About
    from tui.progress import Progress
    from tui.text import TextLine

WORDS = {"fresh": "ok", "unchanged": "ok, unchanged", "recent": "ok, recent", "held": "held back", "failed": "failed",
         "skipped": "not asked", "cancelled": "stopped", "": "never asked"}  # fmt: skip
WHAT = {"tokens": "token prices", "prices": "prices", "rates": "rates", "machines": "machines"}
NAME, COUNT, AGE = 12, 6, 10
"""Cells of the list's columns."""
LABEL = 15
"""Cells of the words before a report's entries."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How the feeds are, for the header."""

    good: int
    asked: int
    """Feeds that were asked, ever; one that only lacks its key was not."""
    moment: str
    """When most of them were asked last."""
    offline: bool = False
    """At that moment not one could be connected to."""

    def text(self, now: datetime) -> str:
        """In words: "14/15 feeds ok, 9 min ago"."""
        return f"{self.good}/{self.asked} feeds ok, {clock.ago(self.moment, now)}".removesuffix(", ")

    def short(self, now: datetime) -> str:
        """For narrow terminals."""
        return self.text(now).replace(" feeds", "")


def summarize(states: Mapping[str, FeedState]) -> Summary | None:
    """All feeds in one line; None where none was ever asked."""
    asked = [state for state in states.values() if state.status not in {"", "skipped"}]
    if not asked:
        return None
    moments = Counter(state.asked_at for state in asked)
    moment = max(moments, key=lambda one: (moments[one], one))
    good = sum(state.good for state in asked)
    offline = not good and all(state.unreachable for state in asked if state.asked_at == moment)
    return Summary(good, len(asked), moment, offline)


def unrefreshed(states: Mapping[str, FeedState]) -> dict[str, str]:
    """Providers whose own feed failed or was held back, and when: what was fetched before that needs checking."""
    return {name: state.asked_at for name, state in states.items() if state.status in {"failed", "held"}}


def missing_key(about: About) -> str:
    """The environment variable of a key that the feed cannot do without and that is not set; "" where it can be asked."""
    needed = about.key_variable if about.key_needed else None
    return needed if needed and not os.environ.get(needed, "").strip() else ""


def mark(about: About, state: FeedState | None) -> tuple[str, str]:
    """The sign of a feed's state, and its tone."""
    if missing_key(about) or state is None or state.status in {"", "skipped", "cancelled"}:
        return "–", "muted"
    return ("✓", "good") if state.good and not state.missing else ("~", "miss") if state.good else ("!", "miss")


def happened(about: About, state: FeedState | None) -> str:
    """What the feed said last and what to do, in one line."""
    if variable := missing_key(about):
        return f"needs a key in {variable}"
    if state is None or not state.status:
        return "never asked; on request only" if about.on_request else WORDS[""]
    word = WORDS.get(state.status, state.status)
    if state.good:
        parts = len(state.missing)
        return f"{word}, {fmt.few(parts, 'part')} without an answer" if parts else word
    if state.status == "skipped":
        return f"{word}: {state.message}".removesuffix(": ")
    said = state.message.removeprefix("held back, ") if state.status == "held" else state.message
    return f"{word}: {said} {state.hint}".strip()


def row(about: About, state: FeedState | None, progress: Progress | None, now: datetime) -> str:
    """One line of the list: sign, name, how many prices, how old, what happened. While it is asked: how far that is."""
    sign, _ = mark(about, state)
    said = happened(about, state)
    if progress is not None:
        if about.name in progress.ended:
            said = "done" + said.removeprefix(WORDS["fresh"]) if state is not None and state.good else said
        elif doing := progress.state(about.name):
            sign, said = "·" if doing == WAITING else "›", doing
    count = f"{state.offers:,}" if state is not None and state.offers else fmt.MISSING
    age = clock.ago(state.fetched_at, now) if state is not None else ""
    name = fmt.fit_width(about.name, NAME)
    return f"{sign}  {name} {count:>{COUNT}}  {fmt.fit_width(age or fmt.MISSING, AGE)} {said}"


HEADS = f"     {'Feed':<{NAME}} {'Prices':>{COUNT}}  {'Fetched':<{AGE}} What happened"


def report(about: About, state: FeedState | None, now: datetime, width: int) -> list[TextLine]:
    """All that is known of a feed and its last refresh."""
    sign, tone = mark(about, state)
    lines: list[TextLine] = wrap([(f"{sign}{TIED}", tone), (happened(about, state), "strong")], width, 2)
    lines.append([])

    def entry(label: str, text: str) -> None:
        if text:
            head = fmt.fit_width(label, LABEL)
            wrapped = wrap([(text, "text")], max(width - cell_len(head), 10))
            lines.append([(head, "muted"), *wrapped[0]])
            lines.extend([(" " * len(head), "text"), *line] for line in wrapped[1:])

    if state is not None and state.status:
        entry("asked", f"{clock.ago(state.asked_at, now)} ({_when(state.asked_at)}), took {state.seconds:.1f} s")
        in_use = (
            f"fetched {clock.ago(state.fetched_at, now)} ({_when(state.fetched_at)})" if state.fetched_at else "bundled"
        )
        entry("in use", f"{in_use}{f', {state.offers:,} {WHAT.get(about.what, about.what)}' if state.offers else ''}")
        entry("left out", ", ".join(f"{count:,} {reason}" for reason, count in state.skipped))
        entry("what to do", state.hint if not state.good else "")
        for remark in state.remarks:
            label, _, text = remark.partition(": ")
            entry(label, text)
        for part in state.missing[1:]:
            entry("", part)
    entry(
        "feed",
        f"{about.title}: {WHAT.get(about.what, about.what)}{f' of {len(about.serves)} providers' if about.serves else ''}",
    )
    entry("answers for", ", ".join(f"{kind} {term.replace('_', '-')}" for kind, term in about.covers))
    entry("key", _key(about))
    entry("does not tell", ", ".join(about.cannot))
    checked = f"against a real answer of {about.verified}" if about.verified else "against its documentation only"
    entry("checked", checked)
    entry("page", about.page)
    return lines


def _key(about: About) -> str:
    if not about.key_variable:
        return "none needed"
    there = "set" if os.environ.get(about.key_variable, "").strip() else "not set"
    return f"{about.key_variable}, {'needed' if about.key_needed else 'tells more'}; {there} in the environment"


def _when(moment: str) -> str:
    return f"{moment[:16].replace('T', ' ')} UTC" if len(moment) > 10 else moment
