"""What the filter's lines say: the chips of what is filtered, and what can be typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from tui import format as fmt
from tui.keys import first
from tui.state import FIT_WORDS, KIND_WORDS, TERM_WORDS
from tui.widgets.line import Part

if TYPE_CHECKING:
    from rich.style import Style

    from tui.session import Session

EXAMPLES = (
    "gpu>=24  ram>=64  $/mo<900  n<=2  fit<50  ttft<1s  provider:hetzner  region:eu  cpu  !spot  h100|a100  words"
)


def chips(session: Session) -> list[Part]:
    """What is filtered, each part clickable; a term's × takes it away."""
    view = session.view

    def chip(key_id: str, name: str, value: str, action: str, keep: int, *, active: bool) -> list[Part]:
        return [
            Part(f"{name} ", "muted", keep, action),
            Part(value, "accent" if active else "text", joined=True, action=action),
            Part(f" {first(key_id)}", "faint", joined=True, action=action),
        ]

    parts = [
        *chip("filter.kind", "type", KIND_WORDS[view.kind], "cycle_kind", 3, active=view.kind != "any"),
        *chip("filter.fit", "fit", FIT_WORDS[view.fit], "cycle_fit", 2, active=view.fit != "all"),
        *chip("filter.terms", "terms", TERM_WORDS[view.terms], "cycle_terms", 5, active=view.terms != "standard"),
    ]
    if view.where:
        parts += _terms(view.where)
    else:
        parts.append(Part(f"{first('filter.edit')} filter", "faint", 4, "edit_filter"))
    if view.filtered or view.terms != "standard":
        parts.append(Part(f"{first('back')} clears", "muted", 2, "back", right=True))
    return parts


def _terms(where: str) -> list[Part]:
    from pricing.where import terms_of

    parts = [Part(first("filter.edit"), "accent", 1, "edit_filter")]
    for place, term in enumerate(terms_of(where)):
        parts.append(Part(f"{' ' if place else ''}{term}", "accent", joined=True, action="edit_filter"))
        parts.append(Part(" ×", "faint", joined=True, action=f"drop_term({place})"))
    return parts


def said(text: str, tone: str, tones: dict[str, Style], *, ascii_only: bool) -> Text:
    """A line in one tone."""
    text = fmt.clean(text)
    return Text(fmt.shown(text, ascii_only=ascii_only), tones[tone])


def hint(error: str, options: tuple[str, ...] = (), chosen: int = -1, meaning: str = "") -> tuple[str, str]:
    """The line under the filter and its tone: which term is wrong, what the word can become, or examples."""
    if options and (not error or chosen >= 0):
        first_shown = max(chosen, 0)
        shown = [f"[{name}]" if at == chosen else name for at, name in enumerate(options)][first_shown:]
        return f"{first('filter.complete')}: {_as_many(shown, 150)}", "muted"
    if error:
        return f"! {error}", "miss"
    return meaning or EXAMPLES, "muted"


def _as_many(names: list[str], width: int) -> str:
    text = ""
    for at, name in enumerate(names):
        if at and cell_len(text) + cell_len(name) > width:
            return f"{text}  … {len(names) - at:,} more"
        text += f"{'  ' if at else ''}{name}"
    return text
