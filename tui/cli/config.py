"""`rackrate config`: where settings and prices are kept, and what the settings say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pricing import paths, settings
from pricing.store import Store
from tui.cli.output import say

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """path: the files and folders; show: the settings in force as TOML; keys: the dashboard's; init: a commented settings file."""
    actions = {"path": _path, "show": _show, "keys": _keys, "init": _init}
    actions[args.action]()
    return 0


def _path() -> None:
    places = (
        ("settings", paths.settings_file()),
        ("own servers", paths.own_servers_file()),
        ("prices and state", paths.data_dir()),
    )
    for what, place in places:
        state = "" if place.exists() else "  (not there yet)"
        sys.stdout.write(f"{what:<17} {place}{state}\n")


def _show() -> None:
    import tomli_w

    from pricing.address import masked
    from tui.cli.footer import unknown_discounts, unknown_regions

    found = settings.Settings.load()
    say(
        f"From {paths.settings_file()}"
        if paths.settings_file().exists()
        else "No settings file: these are the defaults."
    )
    table = found.to_table()
    if found.mirror is not None and (said := masked(found.mirror)) != found.mirror:
        table["mirror"] = said
        say("The mirror's user and query are not shown.")
    sys.stdout.write(tomli_w.dumps(table))
    offers = Store().merged(()) if found.discounts else ()
    for message in (*unknown_discounts(found, offers), *unknown_regions(found), *_wrong_keys(found)):
        say(message)


def _wrong_keys(found: settings.Settings) -> list[str]:
    if not found.keys:
        return []
    from tui import keymap  # knows Textual's names of keys

    return keymap.read(found.keys)[1]


def _keys() -> None:
    from tui import keymap, keys

    own, told = keymap.read(settings.Settings.load().keys)
    keys.use(own)
    for group, commands in keys.groups().items():
        sys.stdout.write(f"{group}\n")
        for key in commands:
            mark = "*" if key.id in own else " "
            sys.stdout.write(f"{mark} {key.id:<18} {key.now:<14} {key.help}\n")
    if own:
        say("* by your settings")
    for message in told:
        say(message)


def _init() -> None:
    say(f"Wrote {settings.init()}.")
