"""The flag of `rackrate advise bottlenecks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.cli.flags import filled

if TYPE_CHECKING:
    from tui.cli.advise_flags import Group


def add(group: Group) -> None:
    """Without it the verdict's offers are checked."""
    group.add_argument(
        "--server",
        type=filled,
        metavar="NAME",
        help="check this server: its name, hardware (2x L4), or words of seller, name and hardware",
    )
