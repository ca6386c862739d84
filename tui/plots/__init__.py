"""Plots of the dashboard: what each says (one file a plot), and one painter for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.plots.plot import Plot
    from tui.session import Session


def make(name: str, session: Session, position: int) -> Plot:
    """The plot of a name for the rows that a session shows and the table's line; those without rows are empty."""
    from tui.plots import crossover, latency, memory, pareto, providers
    from tui.plots.plot import empty

    build = {"crossover": crossover.build, "latency": latency.build, "memory": memory.build,
             "pareto": pareto.build, "providers": providers.build}[name]  # fmt: skip
    if session.rows is None or not len(session.rows):
        return empty(name, TITLES[name], "No offer is shown.")
    return build(session, session.rows, position)


TITLES = {
    "pareto": "Price and speed",
    "crossover": "CPU or GPU by traffic",
    "memory": "Memory",
    "latency": "Latency by users",
    "providers": "Cheapest by provider",
}


def follows_cursor(name: str, session: Session) -> bool:
    """Whether a plot is another one for another line of the table."""
    return name == "latency" or (name == "memory" and not session.marks)
