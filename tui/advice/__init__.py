"""What to do with the figures: one report a topic, the same for the command line and the dashboard."""

from __future__ import annotations

TOPICS: tuple[str, ...] = ("verdict", "fleet", "crossover", "buy", "bottlenecks", "box", "budget")
"""The topics of `rackrate advise`, in the order in which the dashboard shows them; each is a module here with a `report`."""
