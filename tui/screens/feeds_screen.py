"""The list of price feeds: how each went, live while a refresh runs, and its full report behind enter."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.widgets import Static

from tui import clock, feeds
from tui.keys import bindings, hints
from tui.screens.dialog import Dialog, on_top
from tui.screens.text_screen import TextScreen
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pricing.feed_state import FeedState
    from pricing.provider import About
    from tui.screens.refresh_keys import RefreshKeys


class FeedsScreen(Dialog[None]):
    """Every feed on one line."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("feeds")]
    where: ClassVar[str] = "feeds"

    def __init__(self, dashboard: RefreshKeys, abouts: dict[str, About], ascii_only: bool) -> None:
        super().__init__(ascii_only=ascii_only)
        self.dashboard = dashboard
        self.abouts = abouts
        self._shown: list[Choice] = []

    def compose(self) -> ComposeResult:
        """A sentence, the column heads, the feeds."""
        with Vertical(classes="dialog tall") as dialog:
            self.entitle(dialog, "Price feeds")
            yield Static("", classes="about", markup=False)
            yield Static(self.said(feeds.HEADS), classes="heads", markup=False)
            yield ChoiceList(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(ChoiceList).focus()
        self.update_feeds()

    def update_feeds(self) -> None:
        """Show how the feeds are now; lines that stay as they were are not painted again."""
        now, progress, states = clock.now(), self.dashboard.refreshing, self._states()
        choices = [
            Choice(name, feeds.row(about, states.get(name), progress, now)) for name, about in self.abouts.items()
        ]
        self.query_one(".about", Static).update(self.said(self._said(states)))
        pane = self.query_one(ChoiceList)
        if choices != self._shown:
            self._shown = choices
            pane.show(choices, pane.cursor)
        self.entitle(self.query_one(".dialog", Vertical), keys=self._keys())

    def _states(self) -> dict[str, FeedState]:
        from pricing.feed_state import FeedState

        states = dict(self.dashboard.session.feed_states)
        if self.dashboard.refreshing is not None:
            moment = clock.now().isoformat(timespec="seconds")
            for name, outcome in self.dashboard.refreshing.ended.items():
                states[name] = FeedState.of(outcome, moment)
        return states

    def _said(self, states: dict[str, FeedState]) -> str:
        if self.dashboard.refreshing is not None:
            return self.dashboard.refreshing.text
        found = feeds.summarize(states)
        if found is None:
            return "Nothing was fetched so far: the prices are the bundled ones."
        told = found.text(clock.now())
        return f"Offline: no feed could be reached, {told.rpartition(', ')[2]}." if found.offline else f"{told}."

    def _keys(self) -> str:
        fetch = (("fetch it", "feeds.refresh"), ("fetch all", "feeds.all"))
        stop = (("stops the refresh", "feeds.stop"),)
        now = fetch if self.dashboard.refreshing is None else stop
        return hints(("its report", "list.choose"), *now, ("closes", "feeds.close"))

    @on(ChoiceList.Chosen)
    def _chosen(self, message: ChoiceList.Chosen) -> None:
        if not on_top(self):
            return
        name = message.choice.id
        about, state, now = self.abouts[name], self._states().get(name), clock.now()
        self.app.push_screen(
            TextScreen(
                f"Price feed {name}",
                lambda width: feeds.report(about, state, now, width),
                self.app.tones,  # type: ignore[attr-defined]
                ascii_only=self.ascii_only,
            )
        )

    def action_refresh_feed(self) -> None:
        """Ask the feed under the cursor only."""
        if (choice := self.query_one(ChoiceList).current) is not None:
            self.dashboard.start_refresh((choice.id,))

    def action_refresh_all(self) -> None:
        """Ask all feeds."""
        self.dashboard.start_refresh(None)

    def action_stop_refresh(self) -> None:
        """Stop the refresh, if one runs."""
        if self.dashboard.refreshing is not None:
            self.dashboard.stop_refresh()
