"""The user's own keys: read from the settings, checked, and put in force."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, format_key

from models.errors import brief
from tui.key import Key, display
from tui.key_list import BINDINGS, BY_ID, WHERES

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPED = frozenset({"workload", "filter", "picker"})
"""Places where text is typed, so that a plain letter cannot be a command."""
_ALIASES = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "return": "enter", "ins": "insert"}
_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "meta", "hyper"})
_DASHED = re.compile(r"^(ctrl|alt|shift)-(?=.)")
_NAMED = frozenset(key.value for key in Keys)
_PLACES = [frozenset(wheres) for _, wheres in WHERES.values()]
NTH = 9
"""Keys of the one command that takes a number."""


def textual_name(written: str) -> str | None:
    """What Textual calls a key that a person wrote: "/" is slash, "Ctrl-F" is ctrl+f; None where there is no such key."""
    text = written.strip()
    if len(text) == 1:
        return _of_character(text)
    text = _DASHED.sub(r"\1+", text.lower())
    *modifiers, base = text.split("+") if not text.endswith("++") else [*text[:-2].split("+"), "+"]
    base = _ALIASES.get(base, base)
    base = (_of_character(base) or "") if len(base) == 1 else base
    if not (base in _NAMED or _printable(base)) or not set(modifiers) <= _MODIFIERS:
        return None
    return "+".join([*modifiers, base])


def _of_character(char: str) -> str | None:
    if char.isalnum():
        return char
    name = unicodedata.name(char, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name) or None


def _printable(name: str) -> bool:
    return name == "space" or (name not in _NAMED and len(format_key(name)) == 1)


def _read(key: Key, text: str) -> str:
    """Textual's names of the written keys. Raises ValueError with what is wrong."""
    written = [part for part in text.split(",") if part.strip()]
    if not written:
        raise ValueError("has no key")
    names: list[str] = []
    for part in written:
        name = textual_name(part)
        if name is None:
            raise ValueError(f"{brief(part.strip())} is no key: write / or slash, f5, ctrl+f, pageup")
        if _printable(name) and (key.priority or key.where in TYPED):
            raise ValueError(f"{brief(part.strip())} is needed for typing there")
        names.append(name)
    if key.id == "sort.nth" and len(set(names)) != NTH:
        raise ValueError(f"takes {NTH} different keys, for the first to the ninth column")
    return ",".join(dict.fromkeys(names))


def read(own: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The keys in force by id, as Textual names them, and a sentence for each entry that cannot be used."""
    used: dict[str, str] = {}
    told: list[str] = []
    for name, text in own.items():
        key = BY_ID.get(name)
        if key is None:
            near = get_close_matches(name, BY_ID, 1)
            more = f" Did you mean {near[0]}?" if near else " `rackrate config keys` lists them."
            told.append(f"settings.toml: [keys] has {brief(name)}, which is no command.{more}")
            continue
        try:
            used[name] = _read(key, text)
        except ValueError as error:
            told.append(f'settings.toml: [keys] "{name}": {error}. It stays {key.shown}.')
    while (clash := _clash(used)) is not None:
        name, other, pressed = clash
        told.append(
            f'settings.toml: [keys] "{name}": {display(pressed)} is {other} already. It stays {BY_ID[name].shown}.'
        )
        del used[name]
    return used, told


def _clash(used: dict[str, str]) -> tuple[str, str, str] | None:
    """(the user's entry that must go, the other command, the key) of the first two commands of one place with the same key."""
    for name in reversed(used):
        key = BY_ID[name]
        for other in BINDINGS:
            together = other.id != name and any({key.where, other.where} <= place for place in _PLACES)
            if together:
                shared = set(used[name].split(",")) & set(used.get(other.id, other.keys).split(","))
                if shared:
                    return name, other.id, min(shared)
    return None


def for_textual(used: Mapping[str, str]) -> dict[str, str]:
    """The same for App.set_keymap: the command with a number is nine bindings there."""
    found = dict(used)
    if nth := found.pop("sort.nth", None):
        found |= {f"sort.{number}": pressed for number, pressed in enumerate(nth.split(","), 1)}
    return found
