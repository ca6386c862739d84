"""What the dashboard's single lines say: header, filter, status, keys, verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from tui import format as fmt
from tui.keys import first, footer_keys
from tui.rows import describe_sort
from tui.state import FIT_WORDS, KIND_WORDS, TERM_WORDS
from tui.widgets.line import Part

if TYPE_CHECKING:
    from rich.style import Style

    from tui.session import Session


FILTER_EXAMPLES = "gpu>=24  ram>=64  $/mo<900  n<=2  fit<50  ttft<1s  provider:hetzner  region:eu  cpu  !spot  words"


WORKLOAD_KEYS = (
    ("edit", "workload.edit"),
    ("model", "workload.model"),
    ("workloads", "workload.preset"),
    ("quant", "quant.lower", "quant.higher"),
    ("traffic", "traffic.halve", "traffic.double"),
    ("prompt", "prompt.halve", "prompt.double"),
    ("undo", "workload.undo"),
)
"""What stands on the workload's frame: a word and the commands it stands for."""


@dataclass(slots=True)
class Progress:
    """How far a refresh is; takes the events of pricing.refresh: a name when it starts, an outcome when it ends."""

    planned: int = 0
    started: list[str] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    """Bytes each feed has sent so far."""

    def take(self, event: object) -> None:
        """Count an event."""
        if (planned := getattr(event, "providers", None)) is not None:
            self.planned = len(planned)
        elif isinstance(event, str):
            self.started.append(event)
        elif (size := getattr(event, "bytes_read", None)) is not None:
            self.read[str(getattr(event, "provider", ""))] = size
        else:
            self.ended[str(getattr(event, "provider", ""))] = str(getattr(event, "status", ""))

    @property
    def text(self) -> str:
        """A bar, the counts and who is being asked."""
        total = max(self.planned, len(self.started), len(self.ended), 1)
        done = len(self.ended)
        cells = round(done / total * 5)
        waiting = [self._said(name) for name in self.started if name not in self.ended]
        return f"refreshing {done}/{total} {'▮' * cells}{'▯' * (5 - cells)} {', '.join(waiting[:2])}".rstrip()

    def _said(self, name: str) -> str:
        megabytes = self.read.get(name, 0) / 1e6
        return f"{name} {megabytes:.0f} MB" if megabytes >= 1 else name


def header(session: Session, refreshing: Progress | None) -> list[Part]:
    """Name, how many offers of what, when their prices were seen, currency."""
    parts = [Part("rackrate", "accent", 2)]
    if session.market is None:
        parts.append(Part("reading prices …", "muted"))
    else:
        counts = session.counts()
        parts.append(Part(f"{counts.shown:,} of {counts.total:,} offers", "strong", 1))
        parts.append(Part(f"● GPU {counts.gpu:,}  ○ CPU {counts.cpu:,}", "text", 5))
    if refreshing is not None:
        parts.append(Part(refreshing.text, "accent", 2, "back"))
    elif session.market is not None:
        parts.append(Part(f"prices seen {session.price_days()}", "muted", 4))
    currency = session.settings.currency.upper() if session.settings is not None else "USD"
    parts += [
        Part(currency, "text", 3, right=True),
        Part(f"{first('help')} help", "muted", 2, "app.help", right=True),
        Part(f"{first('palette')} commands", "muted", 6, "app.command_palette", right=True),
    ]
    return parts


def workload_keys(ascii_only: bool) -> str:
    """The keys that change the workload, for its frame."""
    text = " · ".join(f"{' '.join(first(name) for name in names)} {label}" for label, *names in WORKLOAD_KEYS)
    return fmt.to_ascii(text) if ascii_only else text


def filters(session: Session) -> list[Part]:
    """What is filtered and sorted, each part clickable."""
    view = session.view

    def chip(key: str, name: str, value: str, action: str, keep: int, *, active: bool) -> list[Part]:
        return [
            Part(f"{name} ", "muted", keep, action),
            Part(value, "accent" if active else "text", joined=True, action=action),
            Part(f" {key}", "faint", joined=True, action=action),
        ]

    parts = [
        *chip("t", "type", KIND_WORDS[view.kind], "cycle_kind", 3, active=view.kind != "any"),
        *chip("f", "fit", FIT_WORDS[view.fit], "cycle_fit", 2, active=view.fit != "all"),
        *chip("v", "terms", TERM_WORDS[view.terms], "cycle_terms", 5, active=view.terms != "standard"),
    ]
    if view.where:
        parts += [Part("/", "accent", 1, "edit_filter"), Part(view.where, "accent", joined=True, action="edit_filter")]
    else:
        parts.append(Part("/ filter", "faint", 4, "edit_filter"))
    if view.filtered or view.terms != "standard":
        parts.append(Part("esc clears", "muted", 2, "back", right=True))
    return parts


def filter_hint(error: str, tones: dict[str, Style], *, ascii_only: bool) -> Text:
    """What can be typed, or which term is wrong."""
    text = f"! {fmt.clean(error)}" if error else FILTER_EXAMPLES
    return Text(fmt.to_ascii(text) if ascii_only else text, tones["miss" if error else "muted"])


def status(session: Session, index: int | None, position: int, hidden: tuple[bool, bool], *, first: bool) -> list[Part]:
    """Where the cursor is, why its offer falls short, the order, and what the marks mean."""
    rows = session.rows
    if rows is None or session.comparison is None:
        return []
    view = session.view
    parts: list[Part] = []
    if index is not None:
        parts.append(Part(f"{position + 1:,}/{len(rows):,}", "text", 1))
    parts.append(
        Part(
            f"by {describe_sort(view.sort, descending=view.descending, currency=session.comparison.terms.currency)}",
            "text",
            3,
        )
    )
    reason = rows.reason(index) if index is not None else ""
    if reason:
        parts.append(Part(f"! {reason}", "miss", 0))
    elif first:
        parts.append(Part("e change the workload · / filter · enter details · ? help", "text", 2))
    unknown = session.counts().unknown
    if unknown:
        parts.append(Part(f"{unknown:,} of unknown hardware: no estimate", "muted", 7))
    if not reason:  # the reason is worth more room than the legend
        parts.append(Part("≈ estimated  ! misses target  * old price", "muted", 5, right=True))
        parts.append(Part("·u per user  Σ all users", "muted", 6, right=True))
    if any(hidden):
        parts.append(Part("← → columns", "muted", 4, right=True))
    return parts


def plot_keys(*, whole: bool) -> list[tuple[str, str, str]]:
    """The footer while the plot has the focus: (keys, label, action)."""
    return [
        ("← →", "along the points", ""),
        (first("plot.table"), "to the offer in the table", ""),
        *([(first("plot.text"), "as text", "")] if whole else []),
        (first("plot.next"), "next plot", "next_plot(1)"),
        (first("pane.zoom"), "back" if whole else "whole screen", "zoom"),
        (first("back"), "table", "back"),
        (first("traffic.double"), "more traffic", "step_traffic(1)"),
        (first("help"), "help", "app.help"),
    ]


def keys(mode: str) -> list[Part]:
    """The footer: the keys that matter now, most important last to go."""
    if mode == "workload":
        pairs = [
            ("Tab", "next field", ""),
            ("↑ ↓", "step the value", ""),
            ("enter", "keep", ""),
            ("esc", "take back", ""),
            ("F1", "help", "app.help"),
        ]
    elif mode == "filter":
        pairs = [("enter", "keep", ""), ("esc", "clear", "back"), ("F1", "help", "app.help")]
    elif mode.startswith("plot"):
        pairs = plot_keys(whole=mode != "plot-beside")
    else:
        pairs = [(first(key.id), key.label, key.command) for key in footer_keys()]
    parts: list[Part] = []
    for place, (shown, label, action) in enumerate(pairs):
        parts += [Part(shown, "key", place + 1, action), Part(f" {label}", "muted", joined=True, action=action)]
    return parts


def verdict(session: Session, tones: dict[str, Style], *, ascii_only: bool) -> Text:
    """The answer in a sentence or two."""
    found = session.verdict
    if found is None:
        return Text("")
    sentence = fmt.clean(found.sentence)
    text = Text()
    head, colon, rest = sentence.partition(":")
    if colon and len(head) < 40:
        text.append(fmt.to_ascii(head + colon) if ascii_only else head + colon, tones["accent"])
        sentence = rest
    text.append(fmt.to_ascii(sentence) if ascii_only else sentence, tones["text"])
    return text
