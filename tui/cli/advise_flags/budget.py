"""The flags of `rackrate advise budget`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.cli.flags import positive_number, words

if TYPE_CHECKING:
    from tui.cli.advise_flags import Group


def add(group: Group) -> None:
    """In the comparison's currency."""
    group.add_argument(
        "--budget", type=positive_number, metavar="X", help="what a month may cost, all servers (default 300)"
    )
    group.add_argument(
        "--models",
        type=words,
        action="extend",
        metavar="WORD,...",
        help="only models whose name or family holds one of these; with spaces, all words of it",
    )
