"""What comes on top of the servers and what a bought one costs: as said, checked, and as lines of a month."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.build_or_buy import Overheads, Owned
from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OVERHEADS = (("engineer_hours", "engineer_rate"), ("storage_gb", "storage_price"), ("egress_gb", "egress_price"))
"""An amount and its price: one says nothing without the other."""
OWNED = ("purchase", "months", "watts", "power_price")
"""What a bought server needs; PUE and colocation may be added."""


def extras(said: Mapping[str, Any]) -> tuple[Overheads, Owned | None]:
    """What was said to come on top, and of a bought server. Raises InputError that names all that is missing."""
    bought = any(name in said for name in (*OWNED, "pue", "colocation"))
    wanted = [(name, "a bought server") for name in OWNED if bought]
    for pair in OVERHEADS:
        wanted += [(name, _flag(other)) for name, other in (pair, pair[::-1]) if other in said]
    missing = [(_flag(name), why) for name, why in wanted if name not in said]
    if missing:
        groups = {why: [name for name, of in missing if of == why] for _, why in missing}
        needs = "; ".join(f"{why} needs {_and(names)} too" for why, names in groups.items())
        raise InputError(f"{needs[:1].upper()}{needs[1:]}.", hint="`rackrate advise buy --help` explains them.")
    engineers, storage, egress = (said.get(much, 0.0) * said.get(price, 0.0) for much, price in OVERHEADS)
    owned = None
    if bought:
        purchase, months, watts, power = (said[name] for name in OWNED)
        owned = Owned(purchase, months, watts, power, said.get("pue", 1.0), said.get("colocation", 0.0))
    return Overheads(said.get("ops_percent", 0.0) / 100, engineers, storage, egress), owned


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _and(names: list[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def cost_lines(
    servers: str, monthly_cost: float, count: float, overheads: Overheads, owned: Owned | None
) -> Iterator[dict[str, Any]]:
    """The month line by line: what it is, in words, what it costs. What is not counted has no line.

    `servers` names the fleet in words, `monthly_cost` is what its `count` servers cost.
    """
    if owned is None:
        yield _line("servers", f"servers: {servers}", monthly_cost)
    else:
        pue = f" x PUE {owned.pue:g}" if owned.pue != 1 else ""
        yield _line("purchase", f"{servers}, written off over {owned.months:g} months", owned.write_off * count)
        yield _line("power", f"electricity, {owned.watts:g} W{pue} around the clock", owned.power * count)
        if owned.colocation:
            yield _line("colocation", "rack and hands", owned.colocation * count)
    named = (
        (
            "operations",
            f"operations, {overheads.operations_share * 100:g} % of the servers",
            monthly_cost * overheads.operations_share,
        ),
        ("engineers", "engineers", overheads.engineers),
        ("storage", "storage", overheads.storage),
        ("egress", "egress", overheads.egress),
    )
    yield from (_line(*line) for line in named if line[2])


def _line(line: str, words: str, amount: float) -> dict[str, Any]:
    return {"line": line, "words": words, "monthly_cost": amount}
