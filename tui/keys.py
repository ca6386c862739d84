"""The keys at work: as bindings, as the user has them, and as they are named in messages and tables."""

from __future__ import annotations

from textual.binding import Binding
from textual.keys import format_key

from tui.key import OWN, Key, display
from tui.key_list import BINDINGS, BY_ID, GROUPS


def bindings(where: str) -> list[Binding]:
    """The keys of a screen, dialog or widget for its BINDINGS."""
    return textual_bindings(tuple(key for key in BINDINGS if key.where == where))


def textual_bindings(keys: tuple[Key, ...] = BINDINGS) -> list[Binding]:
    """Keys as Textual bindings; digits carry their number to the action."""
    made: list[Binding] = []
    for key in keys:
        parts = [(key.id, key.keys, key.action)]
        if key.id == "sort.nth":
            parts = [(f"sort.{digit}", digit, f"sort_nth({digit})") for digit in key.keys.split(",")]
        made += [
            Binding(pressed, action, key.help, show=False, id=name, priority=key.priority)
            for name, pressed, action in parts
        ]
    return made


def use(own: dict[str, str]) -> None:
    """Take the user's keys by id, as Textual names them, separated by commas; replaces those of before."""
    OWN.clear()
    OWN.update(own)


def keys_of(key: Key) -> list[str]:
    """Textual's names of a command's keys, with the user's own."""
    return OWN.get(key.id, key.keys).split(",")


def shown(key_id: str) -> str:
    """How a command's keys are written, for messages that name them. Raises KeyError for an unknown id."""
    return BY_ID[key_id].now


def first(key_id: str) -> str:
    """The first of a command's keys as written, where there is room for one only. Raises KeyError for an unknown id."""
    return BY_ID[key_id].now.split(" ")[0]


def hints(*pairs: tuple[str, ...]) -> str:
    """Words and the commands they stand for, for a frame: "esc closes · [ ] quant"."""
    return " · ".join(f"{' '.join(first(name) for name in names)} {words}" for words, *names in pairs)


def while_typing(key_id: str) -> str:
    """The first of a command's keys that acts while text is typed; "" where all of them write something."""
    return next((display(name) for name in keys_of(BY_ID[key_id]) if len(format_key(name)) > 1), "")


def footer_keys() -> list[Key]:
    """The footer's commands, most important first."""
    return sorted((key for key in BINDINGS if key.footer), key=lambda key: key.footer)


def groups(keys: tuple[Key, ...] = BINDINGS) -> dict[str, list[Key]]:
    """The keys by group: the main screen's groups first, then the others in the order of the list."""
    found: dict[str, list[Key]] = {group: [] for group in GROUPS}
    for key in keys:
        found.setdefault(key.group, []).append(key)
    return {group: inside for group, inside in found.items() if inside}


def markdown() -> str:
    """The key tables of the README, one a group; those of the other screens are folded away."""
    lines: list[str] = []
    folded = False
    for group, keys in groups().items():
        if group not in GROUPS and not folded:
            folded = True
            lines += ["", "<details><summary>Keys inside fields, lists, plots and other screens</summary>"]
        lines += ["", f"| {group} | does |", "|---|---|"]
        for key in keys:
            meaning = key.help.replace("|", "\\|")
            lines.append(f"| {' '.join(f'`{part}`' for part in key.shown.split())} | {meaning} |")
    if folded:
        lines += ["", "</details>"]
    return "\n".join(lines[1:])
