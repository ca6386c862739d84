"""The flags of `rackrate advise`, one module a topic that has some; imports nothing that costs time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, TypeAlias

from models.errors import InputError

if TYPE_CHECKING:
    import argparse

    Group: TypeAlias = argparse._ArgumentGroup  # noqa: SLF001  # argparse has no public name for it

WITH_FLAGS: tuple[str, ...] = ("fleet", "buy", "bottlenecks", "box", "budget")
"""Topics with flags of their own; each is a module here with `add(group)`."""


def add_topic_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of all topics, a group each."""
    for topic in WITH_FLAGS:
        group = parser.add_argument_group(f"advise {topic}")
        importlib.import_module(f"{__name__}.{topic}").add(group)


def said(args: argparse.Namespace, parser: argparse.ArgumentParser) -> dict[str, object]:
    """What was said for the topic asked about, by name. Raises InputError for a flag of another topic."""
    found: dict[str, object] = {}
    for group in parser._action_groups:  # noqa: SLF001  # argparse has no public way
        if not (group.title or "").startswith("advise "):
            continue
        topic = str(group.title).removeprefix("advise ")
        for action in group._group_actions:  # noqa: SLF001
            value = getattr(args, action.dest, None)
            if value is None or value == action.default:
                continue
            if topic != args.topic:
                raise InputError(f"{action.option_strings[0]} is for `rackrate advise {topic}`, not for {args.topic}.")
            found[action.dest] = value
    return found
