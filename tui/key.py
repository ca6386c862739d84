"""What a key of the dashboard is, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass

from textual.keys import format_key

OWN: dict[str, str] = {}
"""The user's own keys by id, as Textual names them; keys.use sets them once at the start."""


@dataclass(frozen=True, slots=True)
class Key:
    """One command: what it is called, which keys start it and what it does."""

    id: str
    """Name for rebinding in the settings; stable."""
    keys: str
    """Textual key names, separated by commas."""
    action: str
    """The screen's action, without `action_`."""
    shown: str
    """The keys as a person reads them."""
    label: str
    """One word for the footer."""
    help: str
    """One line for the help, the palette and the README."""
    group: str
    footer: int = 0
    """Place in the footer's order of importance; 0 = not in the footer."""
    where: str = "dashboard"
    """The screen, dialog or widget that the key belongs to: one of WHERES."""
    priority: bool = False
    """Comes before a text input that has the focus."""

    @property
    def command(self) -> str:
        """The action as a screen runs it, for a click or the list of commands."""
        return f"app.{self.action}" if self.where == "app" else self.action

    @property
    def now(self) -> str:
        """The keys as a person reads them, with the user's own."""
        return display(OWN[self.id]) if self.id in OWN else self.shown


_SHORT = {"pageup": "PgUp", "pagedown": "PgDn", "escape": "esc", "tab": "Tab", "home": "Home", "end": "End", "enter": "enter",
          "shift+tab": "shift+Tab", "delete": "del", "backspace": "backspace", "space": "space"}  # fmt: skip


def display(names: str) -> str:
    """Textual's key names as a person reads them: "slash,ctrl+f" is "/ ctrl+f"."""
    return " ".join(_SHORT.get(name) or (name.upper() if name[:1] == "f" and name[1:].isdigit() else format_key(name))
                    for name in names.split(","))  # fmt: skip
