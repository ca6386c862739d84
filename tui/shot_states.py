"""States for the pictures that no key leads to: a first start, refreshes under way and past, an error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui.feeds import unrefreshed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pricing.feed_state import FeedState
    from tui.app import RackrateApp
    from tui.prices import Prices
    from tui.session import Session

NOW, RECENT, EARLIER = "2026-11-30T12:00:00+00:00", "2026-11-30T11:51:00+00:00", "2026-11-21T12:00:00+00:00"


def first_start(session: Session) -> None:
    """Nothing kept, nothing fetched."""
    session.first_start = True


def _read_as(session: Session, change: Callable[[Prices], Prices]) -> None:
    read = session.read
    session.read = lambda **how: change(read(**how))  # type: ignore[method-assign]


def _with_states(session: Session, states: Mapping[str, FeedState]) -> None:
    def change(found: Prices) -> Prices:
        found.texts.unrefreshed = unrefreshed(states)
        return found._replace(feed_states=dict(states))

    _read_as(session, change)


def _states(moment: str, **changes: Any) -> dict[str, FeedState]:
    from pricing.feed_state import FeedState
    from pricing.provider import providers

    found = {}
    for number, (name, source) in enumerate(providers().items()):
        if not source.about.on_request and not source.about.key_needed:
            found[name] = FeedState(name, "fresh", moment, 40 + number * 97, fetched_at=moment, seconds=1.0)
            found[name] = replace(found[name], **changes)
    return found


def partly(session: Session) -> None:
    """Most feeds answered; one was limited, one held back, one has changed, one answered in part."""
    states = _states(RECENT)
    states["vast"] = replace(
        states["vast"], status="failed", fetched_at=EARLIER, message="console.vast.ai answered 429.",
        hint="It limits how often it is asked; try again in 60 s.",
    )  # fmt: skip
    states["linode"] = replace(
        states["linode"], status="held", fetched_at=EARLIER, message="held back, 62 % of the prices moved by half or more.",
        hint="If that is right: rackrate refresh linode --accept linode",
    )  # fmt: skip
    states["hetzner"] = replace(
        states["hetzner"], status="failed", fetched_at=EARLIER, message="unexpected answer (KeyError: 'prices')",
        hint="The feed may have changed; old prices stay in use.",
    )  # fmt: skip
    states["oci"] = replace(states["oci"], status="unchanged")
    states["aws"] = replace(states["aws"], missing=("aws spot us-east-1: it answered 503",),
                            remarks=("not answered: aws spot us-east-1: it answered 503; their last prices stay",))  # fmt: skip
    _with_states(session, states)


def stale(session: Session) -> None:
    """All fine, nine days ago."""
    _with_states(session, _states(EARLIER))


def offline(session: Session) -> None:
    """Nobody could be reached."""
    nobody = {"status": "failed", "message": "no connection.", "unreachable": True, "offers": 0, "fetched_at": EARLIER}
    _with_states(session, _states(NOW, **nobody))


def refreshing(app: RackrateApp) -> None:
    """A third of the feeds have answered."""
    from pricing.provider import providers
    from pricing.refresh_report import Outcome, Plan, Step
    from tui.progress import Progress

    abouts = [source.about for source in providers().values()]
    names = tuple(about.name for about in abouts if not about.on_request and not about.key_needed)
    progress = Progress()
    events: list[object] = [Plan(names), *names[:14], Step("aws", 12, 48_300_000), Step("gpuhunt", 1, 1_200)]
    events += [Outcome(name, "fresh", 120 * place) for place, name in enumerate(names[2:8], 1)]
    events.append(
        Outcome("akash", "failed", message="akash: console-api.akash.network answered 503.", hint="Try again later.")
    )
    for event in events:
        progress.take(event)
    screen = app.screen_stack[0]
    screen.refreshing = progress  # type: ignore[attr-defined]
    screen.show_header()  # type: ignore[attr-defined]


def no_network(app: RackrateApp) -> None:
    """What is said at the end of a refresh without a network."""
    session = app.session
    kept = f"No network: kept {len(session.market or ()):,} prices of {session.price_days()}."
    app.notify(kept, severity="warning")


def mistake(app: RackrateApp) -> None:
    """An error of the program."""

    def step() -> None:
        raise ZeroDivisionError("division by zero")

    app.call_later(step)
