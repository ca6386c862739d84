"""What the screen's first line says: how many offers, how old their prices are, how the feeds are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import clock, feeds
from tui.keys import first
from tui.text import CPU, GPU
from tui.widgets.line import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.progress import Progress
    from tui.session import Session


def header(session: Session, refreshing: Progress | None, *, touring: bool = False) -> list[Part]:
    """Name, how many offers of what, when their prices were seen, how the feeds are, currency."""
    # Who is being asked gives way before the name, the currency and the help do.
    least = 2 if refreshing else None
    parts = [Part("rackrate", "accent", least or 3)]
    if session.market is None:
        parts.append(Part("reading prices …", "muted"))
    else:
        counts = session.counts()
        shown = f"{counts.shown:,} of {counts.total:,}"
        parts.append(Part(f"{shown} offers", "strong", 2 if refreshing else 1, short=shown))
    if refreshing is not None:
        parts.append(Part(refreshing.text, "accent", 1, "feeds", short=refreshing.short))
    elif session.market is not None:
        kinds = f"{GPU} {counts.gpu:,}  {CPU} {counts.cpu:,}"
        parts.append(Part(f"{GPU} GPU {counts.gpu:,}  {CPU} CPU {counts.cpu:,}", "text", 5, short=kinds))
        parts += _prices(session, touring=touring)
    currency = session.settings.currency.upper() if session.settings is not None else "USD"
    parts += [
        Part(currency, "text", least or 4, right=True),
        Part(f"{first('help')} help", "muted", least or 3, "app.help", right=True),
        Part(f"{first('palette')} commands", "muted", 7, "app.command_palette", right=True),
    ]
    return parts


def _prices(session: Session, *, touring: bool) -> Iterator[Part]:
    """When the shown prices were seen, and how the feeds' last refresh went."""
    found = feeds.summarize(session.feed_states)
    if touring and found is None:
        from pricing.snapshot import SNAPSHOT_DATE

        fetches = f"{first('refresh')} fetches current ones"
        yield Part(
            f"prices of {SNAPSHOT_DATE}, bundled; {fetches}", "muted", 2, "refresh", short=f"bundled prices; {fetches}"
        )
        return
    days = session.price_days()
    yield Part(f"prices {days}", "muted", 4, "feeds", short=days)
    if found is None:
        return
    if found.offline:
        yield Part("offline", "miss", 2, "feeds")
    else:
        tone = "muted" if found.good == found.asked else "miss"
        now = clock.now()
        yield Part(found.text(now), tone, 4, "feeds", short=found.short(now))
