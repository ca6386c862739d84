"""The dashboard's state at work: the market, the workload, the comparison of the two and the rows that come out; no widget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from models.errors import RackrateError
from tui import clock
from tui import format as fmt
from tui.inputs import step_quant
from tui.rows import Rows, Texts, sort_order
from tui.state import FIT_WORDS, KIND_WORDS, History, ViewState

if TYPE_CHECKING:
    from datetime import date

    from models.traffic import Workload
    from models.verdict import Verdict
    from pricing.compare import Comparison
    from pricing.filters import Filters
    from pricing.market import Market
    from pricing.money import Rates
    from pricing.offer import Offer
    from pricing.settings import Settings
    from pricing.store import Store
    from pricing.terms import CompareOptions


@dataclass(frozen=True, slots=True)
class Counts:
    """How many offers the table shows, and of what."""

    shown: int
    total: int
    gpu: int
    cpu: int
    unknown: int
    """Shown offers whose hardware is not in the catalog."""


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
        self.messages: list[str] = []
        self.comparison: Comparison | None = None
        self.rows: Rows | None = None
        self.verdict: Verdict | None = None
        self._start = workload
        self._history: History | None = None
        self._texts: Texts | None = None
        self._rates: Rates | None = None
        self._judged: tuple[Comparison, str, str] | None = None

    # loading

    def load(self) -> None:
        """Read settings and prices; slow, so it may run in a thread. A damaged file costs itself only, and is told."""
        from pricing.market import Market
        from pricing.settings import Settings
        from pricing.store import Store

        if self.settings is None:
            try:
                self.settings = Settings.load()
            except RackrateError as error:
                self.messages.append(str(error))
                self.settings = Settings()
        if self.market is None:
            mine = self._own_servers()
            try:
                self.store = self.store or Store()
                self.market = Market.load(store=self.store, extra=mine)
            except (RackrateError, OSError) as error:
                self.messages.append(str(error))
                self.market = Market.load(extra=mine)
            self.messages += self.market.messages
        self._rates = self.store.rates() if self.store is not None else None
        rates = self.options.rates
        if self.settings.currency.upper() not in rates.currencies():
            known = ", ".join(rates.currencies())
            self.messages.append(
                f"There is no exchange rate for {self.settings.currency}; costs are in USD. Known: {known}."
            )
            self.settings = replace(self.settings, currency="USD")
        self._texts = Texts(self.market.offers)
        if self._history is None:
            self._history = History(self._start or default_workload())

    def _own_servers(self) -> tuple[Offer, ...]:
        """The user's own servers; a file that is not in order is told, and the other offers are shown without it."""
        from pricing import own

        try:
            return own.offers(today=self.today or clock.today())
        except (RackrateError, OSError) as error:
            self.messages.append(f"{error} The dashboard shows the other offers until then.")
            return ()

    def reload(self) -> None:
        """Read the prices again, after a refresh."""
        self.market = None
        self.load()

    @property
    def history(self) -> History:
        """The workload and its past."""
        if self._history is None:
            self._history = History(self._start or default_workload())
        return self._history

    @property
    def workload(self) -> Workload:
        """The workload now."""
        return self.history.current

    @property
    def options(self) -> CompareOptions:
        """Money and dates from the settings."""
        from pricing.terms import CompareOptions

        settings = self.settings
        today = self.today or clock.today()
        if settings is None:
            return CompareOptions(today=today)
        more = {"rates": self._rates} if self._rates is not None else {}
        return CompareOptions(
            currency=settings.currency.upper(),
            hours_per_month=settings.hours_per_month,
            vat=settings.vat,
            setup_months=settings.setup_months,
            discounts=settings.discounts,
            today=today,
            **more,
        )

    # comparing

    def compare(self, workload: Workload) -> Comparison:
        """The market for a workload."""
        from pricing.compare import compare

        if self.market is None:
            raise RuntimeError("load() comes first")
        return compare(self.market, workload, self.options)

    def accept(self, comparison: Comparison) -> None:
        """Make a comparison the one that is shown."""
        self.comparison = comparison
        self.arrange()

    def recompute(self) -> None:
        """Compare again for the present workload."""
        self.accept(self.compare(self.workload))

    def arrange(self) -> None:
        """Filter and sort what is known, without comparing again."""
        if self.comparison is None or self._texts is None:
            return
        base = self.comparison.select(self.filters(self.view))
        order = sort_order(self.comparison, self._texts, base, self.view.sort, descending=self.view.descending)
        self.rows = Rows(self.comparison, order, self._texts)
        self._judge()

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

    def set_view(self, view: ViewState) -> None:
        """Take another view and arrange the rows by it."""
        self.view = view
        self.arrange()

    # telling

    def counts(self) -> Counts:
        """What the table holds."""
        if self.rows is None or self.market is None:
            return Counts(0, len(self.market) if self.market is not None else 0, 0, 0, 0)
        order = self.rows.order
        gpu = int(self.market.is_gpu[order].sum())
        unknown = int((~self.market.known_hardware[order]).sum())
        return Counts(len(order), len(self.market), gpu, len(order) - gpu, unknown)

    def price_days(self) -> str:
        """When the shown prices were seen, as "2025-06 to 2026-10"; one day in full, a dash where none has a date."""
        if self.rows is None or self.market is None:
            return fmt.MISSING
        days = self.market.source_day[self.rows.order]
        days = days[days == days]  # a missing day equals nothing, not even itself
        if not len(days):
            return fmt.MISSING
        first, last = str(days.min()), str(days.max())
        if first == last:
            return first
        return first[:7] if first[:7] == last[:7] else f"{first[:7]} to {last[:7]}"

    def _count(self, view: ViewState) -> int:
        return len(self.comparison.select(self.filters(view))) if self.comparison is not None else 0

    def explain_empty(self) -> list[str]:
        """Why the table is empty and what brings rows back; the filter that removes most is named."""
        from pricing.where import compile_where

        if self.comparison is None or self.rows is None or len(self.rows):
            return []
        total = self.counts().total
        if not total:
            return ["No prices at hand.", "r fetches current ones."]
        view = self.view
        if view.fit != "all" and self._count(view.changed(fit="all")) and not self._count(view.changed(fit="fits")):
            return self._nothing_fits()
        without: list[tuple[int, str]] = []
        terms = [text for text, _ in compile_where(view.where).terms]
        for number, term in enumerate(terms):
            rest = " ".join(terms[:number] + terms[number + 1 :])
            without.append((self._count(view.changed(where=rest)), term))
        if view.kind != "any":
            without.append((self._count(view.changed(kind="any")), f"type {KIND_WORDS[view.kind]}"))
        if view.fit != "all":
            without.append((self._count(view.changed(fit="all")), f"fit: {FIT_WORDS[view.fit]}"))
        if view.terms != "everything":
            without.append(
                (self._count(view.changed(terms="everything")), "dated on-demand and monthly prices only (v)")
            )
        best = max(without, default=(0, ""))
        lines = [f"0 of {total:,} offers."]
        if best[0]:
            lines = [f"0 of {total:,} offers: {best[1]} removes {best[0]:,}."]
        elif len(without) > 1:
            lines.append("No single filter is to blame: together they remove everything.")
        lines.append("esc clears the filters")
        return lines

    def _nothing_fits(self) -> list[str]:
        work = self.workload
        lines = [
            f"No server shown holds {work.model.name} in {work.quant} with a prompt of {work.input_tokens:,} tokens."
        ]
        smaller = step_quant(work, -1)
        while smaller.quant != work.quant:
            other = self.compare(smaller)
            count = len(other.select(self.filters(self.view)))
            if count:
                lines.append(f"{smaller.quant}: {count:,} servers — [ goes there")
                break
            work, smaller = smaller, step_quant(smaller, -1)
        lines.append("f shows all servers with how far each is off")
        return lines

    def _judge(self) -> None:
        """The verdict over the offers that terms and filter leave; type and fit only choose what the table shows of them."""
        if self.comparison is None:
            return
        from models.verdict import verdict

        asked = (self.comparison, self.view.terms, self.view.where)
        if asked != self._judged:
            self._judged = asked
            base = self.comparison.select(self.filters(self.view.changed(kind="any", fit="all")))
            self.verdict = verdict(self.comparison, base)


def default_workload() -> Workload:
    """What a first start asks: the chat preset with Llama-3.1-8B."""
    from models import catalog
    from models.traffic import Workload

    return Workload(model=catalog.llm("Llama-3.1-8B"))
