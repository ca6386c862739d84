"""The crossover of what the dashboard shows: the answer that picture and text are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pricing.crossover import KINDS, crossover
from tui.plots.api_prices import stored

if TYPE_CHECKING:
    from models.fleets import Stairs
    from pricing.crossover import Crossover
    from pricing.serverless import ApiPrices
    from tui.rows import Rows
    from tui.session import Session

__all__ = ["KINDS", "Answer", "answer", "leaders", "missing_kind"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A crossover, and the rows whose offers it names."""

    rows: Rows
    found: Crossover

    @property
    def fleets(self) -> tuple[Stairs, Stairs]:
        """Of CPU and of GPU servers."""
        return self.found.fleets

    @property
    def changes(self) -> list[tuple[float, int]]:
        """(traffic, which kind is the cheaper one from there on)."""
        return self.found.changes

    @property
    def traffic(self) -> float:
        """The workload's own."""
        return self.found.traffic

    @property
    def unit(self) -> str:
        """What the traffic is counted in."""
        return self.found.unit

    @property
    def api(self) -> ApiPrices | None:
        """Serverless prices, if there are any."""
        return self.found.api

    @property
    def slopes(self) -> tuple[float, float]:
        """A month of one request a second by the API: cheapest, median."""
        return self.found.slopes

    @property
    def turns(self) -> tuple[list[float], list[float]]:
        """Where own fleets become cheaper than the API at its median and at its least, dearer, ..."""
        return self.found.turns

    @property
    def alone(self) -> bool:
        """Without targets one server has to carry the traffic."""
        return self.found.alone


def answer(session: Session, rows: Rows) -> Answer:
    """The answer for all offers that the terms and the filter leave, whatever type and fit the table shows of them."""
    comparison = rows.comparison
    asked = comparison.select(session.filters(session.view.changed(kind="any", fit="all")))
    users = rows.workload.concurrency is not None
    return Answer(rows, crossover(comparison, asked, None if users else stored(session)))


def leaders(found: Answer) -> list[tuple[float, str]]:
    """(traffic, the kind of the cheapest fleet from there on)."""
    return found.found.leaders


def missing_kind(found: Answer) -> str:
    """The kind that has no fleet at all, as an answer; empty where both have some."""
    return found.found.missing_kind
