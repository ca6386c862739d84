"""The crossover in words: who is the cheaper one up to which traffic, and with what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from models.practical import MOST_SERVERS
from tui import format as fmt
from tui.plots import TITLES
from tui.plots.facts import money, who
from tui.plots.traffic import KINDS, leaders, missing_kind

if TYPE_CHECKING:
    from models.fleets import Stairs
    from tui.plots.axis import Axis
    from tui.plots.traffic import Answer

TITLE = TITLES["crossover"]


def amount(value: float, unit: str) -> str:
    """So much traffic; of users there are whole ones only."""
    return fmt.whole(math.floor(value + 1e-9)) if unit == "users" else fmt.number(value)


def fleet_words(found: Answer, fleet: Stairs, step: int) -> str:
    """How many of what, and for how much."""
    name = who(found.rows, int(fleet.offer[step]))
    return f"{fleet.count[step]}× {name} at {money(found.rows, float(fleet.cost[step]))}/mo"


def caption(found: Answer, x: Axis) -> str:
    """The answer in a line or two."""
    kinds, missing = leaders(found), missing_kind(found)
    unit, own = found.unit, kinds[-1][1]
    said = []
    if len(kinds) > 1:
        said.append(_by_turns(KINDS[found.changes[0][1]], own, [at for at, _ in kinds[1:]], unit))
    elif found.api is None:
        said.append(f"{own} is cheaper at any traffic" if not missing else f"{own} at any traffic")
    if found.api is not None:
        middle, cheap = ([at for at in places if at < x.high] for places in found.turns)
        over = "own servers" if len(kinds) > 1 else own
        said.append(_by_turns("API", over, middle, unit) if middle else f"API is cheaper at any traffic than {over}")
        least = f"below {amount(cheap[0], unit)}" if cheap else "always"
        if len(cheap) > 2:
            least += f", by turns to {amount(cheap[(len(cheap) - 1) // 2 * 2], unit)}"
        said[-1] += f" (median price; the cheapest API {least})"
    return "; ".join([*said, missing] if missing else said)


def _by_turns(first: str, last: str, places: list[float], unit: str) -> str:
    """Who is the cheaper one up to which traffic, where the two take turns."""
    lowest, highest = amount(places[0], unit), amount(places[-1], unit)
    if len(places) == 1:
        return f"{first} is cheaper below {lowest} {unit}, {last} above"
    last = last if len(places) % 2 else first
    return f"{first} is cheaper below {lowest} {unit}, {last} above {highest}, by turns between ({fmt.few(len(places), 'crossing')})"


def text(found: Answer, x: Axis) -> tuple[str, ...]:
    """Everything that the picture shows."""
    rows, unit = found.rows, found.unit
    lines = [f"{TITLE}: monthly cost in {rows.comparison.terms.currency} by {unit}"]
    lines.append(
        "One server has to carry the traffic alone, since there is no target."
        if found.alone
        else f"Whole servers inside the targets, in stock, at most {MOST_SERVERS} of one offer; type and fit of the table do not matter."
    )
    if unit == "users":
        lines.append(
            "Over concurrent users, as the workload has it: how often they ask depends on the server, so APIs are left out."
        )
    lines += ["", f"At {amount(found.traffic, unit)} {unit}, now"]
    for kind, fleet in zip(KINDS, found.fleets, strict=True):
        step = fleet.step(found.traffic)
        lines.append(f"  {kind}  {_none(found, fleet) if step is None else fleet_words(found, fleet, step)}")
    lines += _api_lines(found)
    lines += ["", "Crossings"]
    if not found.changes:
        lines.append("  never: only one kind meets the targets")
    for number, (at, cheaper) in enumerate(found.changes):
        other = found.fleets[1 - cheaper]
        ended = bool(number) and other.cost_at(at * (1 + 1e-6)) == float("inf")
        why = f"the only one: {_none(found, other)}" if ended else "cheaper"
        lines.append(f"  from {amount(at, unit) if at else '0'} {unit} on  {KINDS[cheaper]} is {why}")
    if len(found.changes) == 1:
        lines.append("  never a crossing")
    for kind, fleet in zip(KINDS, found.fleets, strict=True):
        if len(fleet):
            lines += ["", f"Cheapest {kind} fleets of the traffic drawn"]
            lines += _steps(found, fleet, x)
    return tuple(lines)


def _none(found: Answer, fleet: Stairs) -> str:
    if not len(fleet):
        return "no server meets the targets" if not found.alone else "no server holds the model"
    limit = "one server" if found.alone else f"{MOST_SERVERS} servers"
    return f"more than {limit} of any offer carry ({amount(float(fleet.most[-1]), found.unit)} {found.unit})"


def _api_lines(found: Answer) -> list[str]:
    api = found.api
    if api is None:
        return [] if found.unit == "users" else ["  API  no price per token is known for this model"]
    cheap, middle = (money(found.rows, slope * found.traffic) for slope in found.slopes)
    asked = f"median {middle}/mo of {fmt.few(api.providers, 'provider')}, cheapest {cheap}/mo ({api.provider})"
    lines = [f"  API  {asked}; prices seen {api.day}; their speed is not compared"]
    for name, places in zip(("median", "cheapest"), found.turns, strict=True):
        lines.append(f"       own servers against the {name} API: {_sides(found, places)}")
    return lines


def _sides(found: Answer, places: list[float]) -> str:
    """Where own servers become cheaper than an API, and dearer again."""
    if not places:
        return f"never cheaper, with {'one server' if found.alone else f'{MOST_SERVERS} servers or fewer'}"
    sides = (f"{'dearer' if n % 2 else 'cheaper'} from {amount(at, found.unit)}" for n, at in enumerate(places[:7]))
    rest = f", ... {len(places)} crossings in all" if len(places) > 7 else ""
    return f"{', '.join(sides)} {found.unit} on{rest}"


def _steps(found: Answer, fleet: Stairs, x: Axis) -> list[str]:
    """Each offer's stretch: up to which traffic it is the cheapest, with how many servers."""
    made: list[str] = []
    first, last = fleet.step(x.low), fleet.step(x.high)
    if first is None:
        return [f"  {_none(found, fleet)}"]
    start, end = first, len(fleet) - 1 if last is None else last
    for step in range(first, end + 1):
        if step < end and fleet.offer[step + 1] == fleet.offer[start]:
            continue
        count = f"{fleet.count[start]}" if start == step else f"{fleet.count[start]}-{fleet.count[step]}"
        costs = money(found.rows, float(fleet.cost[start]))
        if start != step:
            costs += f" to {money(found.rows, float(fleet.cost[step]))}"
        most = amount(float(fleet.most[step]), found.unit)
        made.append(
            f"  up to {most:>6} {found.unit}  {count:>5}× {who(found.rows, int(fleet.offer[start]))}  {costs}/mo"
        )
        start = step + 1
    return made
