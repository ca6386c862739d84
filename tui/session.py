"""The dashboard's state at work: the market, the workload, the comparison of the two and the rows that come out; no widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from models.errors import RackrateError
from tui import format as fmt
from tui import prices
from tui.rows import Rows, Texts, sort_order, usual_sort
from tui.state import MOST_WHERES, History, ViewState

if TYPE_CHECKING:
    from datetime import date

    from models.traffic import Workload
    from models.verdict import Verdict
    from pricing.compare import Comparison
    from pricing.feed_state import FeedState
    from pricing.filters import Filters
    from pricing.market import Market
    from pricing.money import Rates
    from pricing.settings import Settings
    from pricing.store import Store
    from pricing.terms import CompareOptions
    from tui.prices import Prices


@dataclass(frozen=True, slots=True)
class Counts:
    """How many offers the table shows, and of what."""

    shown: int
    total: int
    gpu: int
    cpu: int
    unknown: int
    """Shown offers whose hardware is not in the catalog."""


class Arranged(NamedTuple):
    """Rows in order, how many offers a filter of the region misses, what was judged (comparison, terms, filter) and the verdict."""

    rows: Rows
    regionless: int
    judged: tuple[Comparison, str, str]
    verdict: Verdict | None


class Session:
    """Everything the screen shows, made from prices and one workload."""

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        store: Store | None = None,
        market: Market | None = None,
        workload: Workload | None = None,
        today: date | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.market = market
        self.today = today
        self.view = ViewState()
        self.marks: list[str] = []
        """Ids of the marked offers, in the order they were marked."""
        self.wheres: list[str] = []
        """Filters used before, the last one first."""
        self.export_folder: str | None = None
        """Where the last export went."""
        self.where_error = ""
        self.first_start = False
        """Nothing was kept from an earlier time: a tour is due."""
        self.ways_out: tuple[tuple[Comparison | None, ViewState], list[str]] | None = None
        """What was found for the table in which nothing fitted, and for which comparison and view."""
        self.feed_states: dict[str, FeedState] = {}
        """How each feed's last refresh went."""
        self.messages: list[str] = []
        self.comparison: Comparison | None = None
        self.rows: Rows | None = None
        self.regionless = 0
        """Offers that a filter of the region leaves out because they state none."""
        self.verdict: Verdict | None = None
        self.kept_workload: dict[str, Any] = {}
        """The workload of the last time as names and numbers, until the catalog is read."""
        self.was_restored = False
        """The view of the last time is shown, which is to be said."""
        self.usual_currency: str | None = None
        """That of the settings, where another one was chosen since."""
        self._start = workload
        self._history: History | None = None
        self._texts: Texts | None = None
        self._rates: Rates | None = None
        self._judged: tuple[Comparison, str, str] | None = None
        self._view_of: Workload | None = None
        """The workload that the view's order was chosen for."""
        if workload is not None:
            self.view = usual_view(workload)

    # loading

    def load(self) -> None:
        """Read settings and prices, and use them."""
        self.use(self.read())

    def read(self, *, again: bool = False) -> Prices:
        """Settings and prices from the disk, the prices `again` if need be; changes nothing, so it may run in a thread."""
        return prices.read(self.settings, self.store, None if again else self.market, self.today)

    def use(self, found: Prices) -> None:
        """Show what was read from now on; what is shown now belongs to what was read before, until it is compared anew."""
        self.settings, self.store, self.market, self._rates, self._texts = found[:5]
        self.feed_states = found.feed_states
        self.messages += found.messages
        _ = self.history

    @property
    def history(self) -> History:
        """The workload and its past."""
        if self._history is None:
            self._history = History(self._start or self._kept())
            self._view_of = self._history.current
        return self._history

    def _kept(self) -> Workload:
        """The workload of the last time, as far as it can still be had, else the first start's."""
        if not self.kept_workload:
            return default_workload()
        from tui.workload_table import from_table

        made, wrong = from_table(self.kept_workload, default_workload())
        if wrong:
            self.messages.append(f"The last workload could not be restored whole: {'; '.join(wrong)}.")
        return made

    @property
    def workload(self) -> Workload:
        """The workload now."""
        return self.history.current

    @property
    def options(self) -> CompareOptions:
        """Money and dates from the settings."""
        return prices.options(self.settings, self._rates, self.today)

    # comparing

    def compare(self, workload: Workload, found: Prices | None = None) -> Comparison:
        """The market for a workload, or the one that was read but is not used yet."""
        from pricing.compare import compare

        if found is not None:
            return compare(found.market, workload, prices.options(found.settings, found.rates, self.today))
        if self.market is None:
            raise RuntimeError("load() comes first")
        return compare(self.market, workload, self.options)

    def is_of_these_prices(self, comparison: Comparison) -> bool:
        """False for a comparison of the market before the last refresh: it came late and is of no use."""
        return comparison.market is self.market

    def accept(self, comparison: Comparison) -> None:
        """Make a comparison the one that is shown; the usual order follows its workload."""
        self.comparison = comparison
        self.view = self.view.following(self._view_of or comparison.workload, comparison.workload)
        self._view_of = comparison.workload
        self.arrange()

    def bring(self, workload: Workload) -> None:
        """Take a workload that the view was kept with, or is reset with: its order stays as it is."""
        self.history.set(workload)
        self._view_of = workload

    def recompute(self) -> None:
        """Compare again for the present workload."""
        self.accept(self.compare(self.workload))

    def arrange(self) -> None:
        """Filter and sort what is known, without comparing again."""
        if (arranged := self.arranged(self.view)) is not None:
            self.take(arranged)

    def arranged(self, view: ViewState) -> Arranged | None:
        """The rows of a view and the verdict over them; changes nothing, so it may run in a thread. None before a comparison."""
        comparison, texts = self.comparison, self._texts
        if comparison is None or texts is None:
            return None
        if self.rows is not None and self.rows.comparison.market is comparison.market:
            texts = self.rows.texts  # newer prices may have been read that are not compared yet
        filters = self.filters(view)
        base, regionless = comparison.select(filters), filters.regionless(comparison)
        order = sort_order(comparison, texts, base, view.sort, descending=view.descending)
        judged = (comparison, view.terms, view.where)
        if judged == self._judged:
            return Arranged(Rows(comparison, order, texts), regionless, judged, self.verdict)
        from models.verdict import verdict

        # Type and fit only choose what the table shows of the offers that are judged.
        of_these = comparison.select(self.filters(view.changed(kind="any", fit="all")))
        return Arranged(Rows(comparison, order, texts), regionless, judged, verdict(comparison, of_these))

    def take(self, arranged: Arranged) -> None:
        """Make an arrangement the one that is shown."""
        self.rows, self.regionless, self._judged, self.verdict = arranged

    def filters(self, view: ViewState) -> Filters:
        """The view's choices as the comparison wants them."""
        from pricing.filters import DEFAULT_TERMS, Filters
        from pricing.where import compile_where

        return Filters(
            kind=None if view.kind == "any" else view.kind,
            terms=DEFAULT_TERMS if view.terms == "standard" else ("all",),
            undated=view.terms == "everything",
            max_age_months=None if view.terms == "everything" else 24.0,
            fit=view.fit,
            where=compile_where(view.where) if view.where.strip() else None,
        )

    def marked(self) -> list[int]:
        """The marked offers that the prices still have, in the order they were marked."""
        if self.rows is None:
            return []
        found = (self.rows.texts.index_of(offer_id) for offer_id in self.marks)
        return [i for i in found if i is not None]

    def set_where(self, text: str) -> bool:
        """Filter by an expression; a bad one is told in `where_error` and changes nothing."""
        from pricing.where import compile_where

        try:
            if text.strip():
                compile_where(text)
        except RackrateError as error:
            self.where_error = str(error)
            return False
        self.where_error = ""
        self.view = self.view.changed(where=text.strip())
        return True

    def remember_where(self) -> None:
        """Keep the present filter among those used before."""
        if self.view.where:
            self.wheres = [self.view.where, *(text for text in self.wheres if text != self.view.where)][:MOST_WHERES]

    def set_view(self, view: ViewState) -> None:
        """Take another view and arrange the rows by it."""
        self.view = view
        self.arrange()

    # telling

    def counts(self) -> Counts:
        """What the table holds."""
        if self.rows is None:
            return Counts(0, len(self.market) if self.market is not None else 0, 0, 0, 0)
        order, market = self.rows.order, self.rows.comparison.market
        gpu = int(market.is_gpu[order].sum())
        unknown = int((~market.known_hardware[order]).sum())
        return Counts(len(order), len(market), gpu, len(order) - gpu, unknown)

    def price_days(self) -> str:
        """When the shown prices were seen, as "2025-06 to 2026-10"; one day in full, a dash where none has a date."""
        if self.rows is None:
            return fmt.MISSING
        days = self.rows.comparison.market.source_day[self.rows.order]
        days = days[days == days]  # a missing day equals nothing, not even itself
        if not len(days):
            return fmt.MISSING
        first, last = str(days.min()), str(days.max())
        if first == last:
            return first
        return first[:7] if first[:7] == last[:7] else f"{first[:7]} to {last[:7]}"


def usual_view(workload: Workload) -> ViewState:
    """The view of a first start with this workload."""
    usual = usual_sort(workload)
    return ViewState(sort=usual, unit=usual)


def default_workload() -> Workload:
    """What a first start asks: the chat preset with Llama-3.1-8B."""
    from models import catalog
    from models.traffic import Workload

    return Workload(model=catalog.llm("Llama-3.1-8B"))
