"""One list of keys: every screen, dialog and widget binds what is in it and nothing else."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

import tui
from tui.key_list import BINDINGS, BY_ID, WHERES
from tui.keys import bindings, footer_keys, groups, markdown


def own_classes() -> list[type[DOMNode]]:
    """Every class of ours that can bind keys."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.startswith(("tui.cli", "tui.__main__")):
            importlib.import_module(module.name)
    found: list[type[DOMNode]] = []
    waiting = [DOMNode]
    while waiting:
        for child in waiting.pop().__subclasses__():
            waiting.append(child)
            if child.__module__.startswith("tui."):
                found.append(child)
    return sorted(set(found), key=lambda one: (one.__module__, one.__name__))


BINDING_CLASSES = [one for one in own_classes() if one.__dict__.get("BINDINGS")]


@pytest.mark.parametrize("owner", BINDING_CLASSES, ids=lambda one: one.__name__)
def test_every_binding_is_in_the_list(owner):
    wheres = set()
    for binding in owner.__dict__["BINDINGS"]:
        assert isinstance(binding, Binding), f"{owner.__name__}: {binding}"
        key = BY_ID["sort.nth" if binding.id in {f"sort.{n}" for n in range(1, 10)} else binding.id]
        assert set(binding.key.split(",")) <= set(key.keys.split(","))
        wheres.add(key.where)
    expected = {binding.id for where in wheres for binding in bindings(where)}
    assert {binding.id for binding in owner.__dict__["BINDINGS"]} == expected


def test_every_key_of_the_list_is_bound_somewhere():
    bound = {binding.id for owner in BINDING_CLASSES for binding in owner.__dict__["BINDINGS"]}
    assert {binding.id for key in BINDINGS for binding in bindings(key.where)} == bound


def test_every_action_exists_where_it_is_bound():
    for owner in BINDING_CLASSES:
        for binding in owner.__dict__["BINDINGS"]:
            namespace, _, name = binding.action.partition("(")[0].rpartition(".")
            if not namespace:
                assert hasattr(owner, f"action_{name}"), f"{owner.__name__}: {binding.action}"


def test_every_place_is_known():
    assert {key.where for key in BINDINGS} <= set(WHERES)
    for owner in own_classes():
        where = getattr(owner, "where", "")
        assert not isinstance(where, str) or not where or where in WHERES, owner


@pytest.mark.parametrize("where", WHERES)
def test_no_two_commands_of_one_place_share_a_key(where):
    taken: dict[str, str] = {}
    for key in BINDINGS:
        if key.where == where or (where in {"dashboard", "table"} and key.where in WHERES["dashboard"][1]):
            for name in key.keys.split(","):
                assert name not in taken, f"{name}: {taken.get(name)} and {key.id}"
                taken[name] = key.id


@pytest.mark.parametrize(
    "screen", [one for one in BINDING_CLASSES if issubclass(one, Screen)], ids=lambda one: one.__name__
)
def test_every_screen_says_where_it_is(screen):
    assert getattr(screen, "where", None), f"{screen.__name__} needs `where` for the help"


def test_readme_has_every_key_in_its_group():
    table = markdown()
    for group, keys in groups().items():
        part = table[table.index(f"| {group} | does |") :].split("\n\n")[0]
        for key in keys:
            assert key.help.split("|")[0] in part
            assert all(f"`{one}`" in part for one in key.shown.split())


def test_footer_commands_are_bound():
    for key in footer_keys():
        assert key.where in {"dashboard", "app", "table"}
