"""One sentence on what to rent: is a CPU server enough, is a GPU needed, or does nothing meet the targets.

Rules over arrays with one entry per offer, named as the comparison's columns; no estimate is made here. Picks are the
cheapest offers a month that meet the targets; where the error bands of the CPU's and the GPU's cost overlap, the verdict
says so instead of choosing.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from models.practical import MOST_SERVERS
from models.verdict_view import View, cheapest, in_stock, kinds, look, time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from models.verdict_view import Compared

_WITH_TARGETS = "With a TTFT or a TPOT target rackrate counts how many servers the traffic needs."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer; picks are offer indices, None where there is none."""

    code: str
    """cpu_enough, gpu_cheaper, gpu_needed, only_cpu, only_gpu, close, none_meets, nothing_fits, no_estimate, no_prices, no_offers."""
    sentence: str
    cpu_pick: int | None = None
    """Cheapest CPU offer that meets the targets."""
    gpu_pick: int | None = None
    nearest: int | None = None
    """Where nothing (or no CPU server) meets the targets: the one that comes closest."""
    changes: tuple[str, ...] = ()
    """What would change the answer, a sentence each."""


def verdict(compared: Compared, rows: NDArray[np.intp] | None = None) -> Verdict:
    """The verdict over a comparison's offers, or over those at the indices `rows`.

    Offers out of stock, and fleets of more than fifty servers, are picked only where there is no other.
    """
    view = look(compared, rows)
    if not len(view.at):
        return Verdict("no_offers", "No offer is left by the filters.")
    cpu, gpu = kinds(view)
    fits = view.read("fits")[view.at].astype(bool)
    meets = view.read("meets_targets")[view.at].astype(bool) & fits
    cost = view.number("monthly_cost")
    if not fits.any():
        return _nothing_fits(view)
    if not (meets & ~np.isnan(cost)).any():
        return _none_meets(view, fits, meets, cost)
    stock = in_stock(view)
    cheapest_cpu = cheapest(view, meets & cpu, cost, stock)
    cheapest_gpu = cheapest(view, meets & gpu, cost, stock)
    if cheapest_cpu is None and cheapest_gpu is not None:
        found = _only_gpu(view, cheapest_gpu, cpu & fits)
    elif cheapest_gpu is None and cheapest_cpu is not None:
        found = _only_cpu(view, cheapest_cpu, gpu & fits)
    else:
        assert cheapest_cpu is not None  # noqa: S101 - one of them meets the targets, the other cases are above
        assert cheapest_gpu is not None  # noqa: S101
        cpu_practical, gpu_practical = view.practical(cheapest_cpu), view.practical(cheapest_gpu)
        if cpu_practical == gpu_practical:
            found = _both(compared, view, cheapest_cpu, cheapest_gpu)
        else:
            found = _only_practical(view, cheapest_cpu if cpu_practical else cheapest_gpu, cpu=cpu_practical)
    picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None]
    passed_over = _passed_over(view, meets, cost, min(view.value("monthly_cost", pick) for pick in picks))
    return replace(found, changes=(*passed_over, *found.changes))


def _passed_over(view: View, meets: NDArray[np.bool_], cost: NDArray[np.float64], picked: float) -> tuple[str, ...]:
    """What is cheaper than the pick and was not picked all the same, the cheapest of it."""
    cheaper = np.flatnonzero(meets & (cost < picked))
    if not len(cheaper):
        return ()
    offer = int(view.at[cheaper[np.argmin(cost[cheaper])]])
    if not view.practical(offer):
        why = view.too_many(offer)
        return (f"Cheaper, but {why.partition(': ')[2]}: {view.price(offer, why)}.",)
    why = str(view.read("availability")[offer])
    return (f"Cheaper, but {why}: {view.price(offer, why)}.",)


def _enough(view: View, cpu: int) -> str:
    return "CPU servers are enough" if view.value("servers_needed", cpu) > 1 else "A CPU server is enough"


# both kinds meet the targets


def _both(compared: Compared, view: View, cpu: int, gpu: int) -> Verdict:
    cpu_cost, gpu_cost = view.value("monthly_cost", cpu), view.value("monthly_cost", gpu)
    changes = (*_risk(view, cpu), *_risk(view, gpu))
    if cpu_cost != gpu_cost and _changeable(compared, view, cpu, gpu):
        first, second = f"on a CPU {view.price(cpu)}", f"on a GPU {view.price(gpu)}"
        if gpu_cost < cpu_cost:
            first, second = second, first
        return Verdict(
            "close",
            f"Too close to call: {first}, {second}; either may be the cheaper one inside the error bands of their speeds.",
            cpu,
            gpu,
            changes=changes,
        )
    if cpu_cost <= gpu_cost:
        sentence = (
            f"{_enough(view, cpu)}: {view.price(cpu)}, {view.speed(cpu)}; the cheapest GPU that {view.goal}, "
            f"{view.dearer(gpu, gpu_cost / cpu_cost)}."
        )
        return Verdict("cpu_enough", sentence, cpu, gpu, changes=(*_crossing(view, cpu, gpu), *changes))
    sentence = (
        f"A GPU is cheaper: {view.price(gpu)}, {view.speed(gpu)}; the cheapest CPU that {view.goal}, "
        f"{view.dearer(cpu, cpu_cost / gpu_cost)}."
    )
    return Verdict("gpu_cheaper", sentence, cpu, gpu, changes=changes)


def _changeable(compared: Compared, view: View, cpu: int, gpu: int) -> bool:
    """Whether either of the two may be the cheaper one inside the error bands; whole servers, so often no band is left of a bill."""
    spans = []
    for offer, low, high in zip(
        (cpu, gpu), *(compared.months_at((cpu, gpu), end) for end in ("high", "low")), strict=True
    ):
        month = view.value("monthly_cost", offer)
        # One that misses its targets at the slow end has no bill there; `_risk` says so.
        spans.append((np.fmin(low, month), np.fmax(high, month)))
    (cpu_low, cpu_high), (gpu_low, gpu_high) = spans
    return bool(cpu_low <= gpu_high and gpu_low <= cpu_high)


def _crossing(view: View, cpu: int, gpu: int) -> tuple[str, ...]:
    """The traffic from which the GPU is cheaper, where one GPU server still carries it."""
    traffic = view.requests_per_s
    if traffic is None:
        return ()
    one_cpu = view.value("monthly_cost", cpu) / view.value("servers_needed", cpu)
    one_gpu = view.value("monthly_cost", gpu) / view.value("servers_needed", gpu)
    cpu_rate, gpu_rate = (view.value("requests_per_s_at_target", offer) * view.utilization for offer in (cpu, gpu))
    rate = math.floor(one_gpu / one_cpu) * cpu_rate
    if not (math.isfinite(rate) and traffic < rate < gpu_rate):
        return ()
    return (
        f"Above {rate:,.3g} request{'' if f'{rate:.3g}' == '1' else 's'}/s the GPU server {view.label(gpu)} is the cheaper one.",
    )


def _risk(view: View, offer: int) -> tuple[str, ...]:
    """A pick whose band reaches past a target."""
    found = []
    for name, column, target in (
        (view.ttft_name, view.ttft_column, view.ttft_target),
        ("TPOT", "tpot_ms", view.tpot_target),
    ):
        low, high = view.band(column, offer)
        if high > target:
            found.append(
                f"{view.label(offer)} may miss the {name} target of {time(target)}: its band is {time(low)} to {time(high)}."
            )
    return tuple(found)


# one kind meets them


def _only_gpu(view: View, gpu: int, cpu_fits: NDArray[np.bool_]) -> Verdict:
    cheapest = f"cheapest is {view.price(gpu)}, {view.speed(gpu)}"
    nearest, miss = _nearest(view, cpu_fits)
    if nearest is None:
        cpu = kinds(view)[0]
        has_cpu = bool(cpu.any())
        why = "no CPU server is among these offers"
        if has_cpu:
            # Without weights there was no estimate at all: the format, not the memory, is what CPUs lack.
            estimated = np.isfinite(view.number("weights_gib_per_device")[cpu]).any()
            why = "no CPU server here holds the model" if estimated else f"{view.quant} does not run on CPUs"
        return Verdict(
            "gpu_needed" if has_cpu else "only_gpu",
            f"{'A GPU is needed' if has_cpu else 'Only GPU servers are compared'}: {why}; {cheapest}.",
            None,
            gpu,
            changes=_risk(view, gpu),
        )
    missed = view.goal if view.no_targets else f"meets {_missed(view, cpu_fits)}"
    sentence = f"A GPU is needed: no CPU server {missed}; {cheapest}."
    figures = _carries(miss) if view.no_targets else f"would have {view.speed(nearest)} ({_over(miss)})"
    near = f"The nearest CPU server, {view.price(nearest)}, {figures}."
    return Verdict("gpu_needed", sentence, None, gpu, nearest, (near, *_risk(view, gpu)))


def _only_practical(view: View, pick: int, *, cpu: bool) -> Verdict:
    """Both kinds meet the targets, but one only with more servers than anybody runs."""
    answer = f"{view.price(pick)}, {view.speed(pick)}"
    few = f"{view.goal} with {MOST_SERVERS} servers or fewer"
    if cpu:
        sentence = f"{_enough(view, pick)}: {answer}; no GPU server here {few}."
        return Verdict("only_cpu", sentence, pick, None, changes=_risk(view, pick))
    sentence = f"A GPU is needed: no CPU server {few}; cheapest is {answer}."
    return Verdict("gpu_needed", sentence, None, pick, changes=_risk(view, pick))


def _only_cpu(view: View, cpu: int, gpu_fits: NDArray[np.bool_]) -> Verdict:
    answer = f"{_enough(view, cpu)}: {view.price(cpu)}, {view.speed(cpu)}"
    nearest, _ = _nearest(view, gpu_fits)
    if not kinds(view)[1].any():
        return Verdict(
            "only_cpu", f"{answer}; no GPU server is among these offers.", cpu, None, changes=_risk(view, cpu)
        )
    why = "no GPU server here holds the model" if nearest is None else f"no GPU server here {view.goal}"
    return Verdict("only_cpu", f"{answer}; {why}.", cpu, None, nearest, _risk(view, cpu))


def _missed(view: View, mask: NDArray[np.bool_]) -> str:
    """Which target stands in the way, with the best figure there is: "TTFT 2 s (best 2.8 s)"."""
    # One request alone is the best a server can do; TPOT alone is no column of the comparison.
    for name, column, target in (
        (view.ttft_name, "ttft_solo_ms", view.ttft_target),
        ("TPOT", "tpot_ms", view.tpot_target),
    ):
        values = view.number(column)[mask]
        best = float(np.nanmin(values)) if np.isfinite(values).any() else math.nan
        if best > target:
            alone = " alone" if column == "ttft_solo_ms" else ""
            return f"{name} {time(target)} (best {time(best)}{alone})"
    return "the targets" if math.isinf(view.ttft_target) or math.isinf(view.tpot_target) else "both targets at once"


# none does


def _miss(view: View) -> NDArray[np.float64]:
    """How many times over its worse target each offer is; without targets, over the traffic one server carries."""
    if view.no_targets:
        name, wanted = view.wanted
        able = view.number(name)
        carried: NDArray[np.float64] = wanted / np.where(able > 0, able, np.nan)
        return carried
    over_ttft = view.number(view.ttft_column) / view.ttft_target
    over_tpot = view.number("tpot_ms") / view.tpot_target
    worst: NDArray[np.float64] = np.maximum(over_ttft, over_tpot)
    return worst


def _nearest(view: View, mask: NDArray[np.bool_]) -> tuple[int | None, float]:
    """The priced offer that misses by least (ties to the cheaper one), and by how many times."""
    miss, cost = _miss(view), view.number("monthly_cost")
    places = np.flatnonzero(mask & ~np.isnan(miss) & ~np.isnan(cost))
    if not len(places):
        return None, math.nan
    # Within one percent of each other the price decides.
    order = np.lexsort((cost[places], np.round(np.log(np.maximum(miss[places], 1e-9)), 2)))
    place = places[order[0]]
    return int(view.at[place]), float(miss[place])


def _none_meets(view: View, fits: NDArray[np.bool_], meets: NDArray[np.bool_], cost: NDArray[np.float64]) -> Verdict:
    count = int(meets.sum())
    if count:
        return Verdict(
            "no_prices",
            f"{count:,} {'server meets' if count == 1 else 'servers meet'} the targets, but none of them has a price.",
        )
    if not (fits & ~np.isnan(cost)).any() and not np.isfinite(_miss(view)[fits]).any():
        held = int(fits.sum())
        return Verdict(
            "no_estimate",
            f"{held:,} {'server holds' if held == 1 else 'servers hold'} the model, but none has an estimate "
            "and a price.",
        )
    nearest, miss = _nearest(view, fits)
    if nearest is None:
        missed = "No server" if view.no_targets else "Nothing"
        return Verdict("none_meets", f"{missed} {view.goal}, and no server that comes near has a price.")
    if view.no_targets:
        sentence = f"No server carries this traffic alone; nearest is {view.price(nearest)}: it {_carries(miss)}."
        return Verdict("none_meets", sentence, nearest=nearest, changes=(_WITH_TARGETS,))
    sentence = f"Nothing meets the targets; nearest is {view.price(nearest)}: {_figures(view, nearest)}."
    changes = [] if miss <= 1 else [_relax(view, nearest)]
    cpu_fits = kinds(view)[0] & fits
    best_cpu, _ = _nearest(view, cpu_fits)
    if best_cpu is not None and best_cpu != nearest:
        changes.append(f"The nearest CPU server, {view.price(best_cpu)}, would have {view.speed(best_cpu)}.")
    return Verdict("none_meets", sentence, None, None, nearest, tuple(changes))


def _carries(miss: float) -> str:
    return f"carries {min(100 / miss, 99):.0f} % of it" if miss < 50 else f"carries {100 / miss:.2g} % of it"


def _figures(view: View, offer: int) -> str:
    """The missed targets of one offer: "TTFT 2.8 s instead of 2 s (40 % over)"."""
    found = []
    for name, column, target in (
        (view.ttft_name, view.ttft_column, view.ttft_target),
        ("TPOT", "tpot_ms", view.tpot_target),
    ):
        value = view.value(column, offer)
        if value > target:
            found.append(f"{name} {time(value)} instead of {time(target)} ({_over(value / target)})")
    return " and ".join(found) or f"{view.speed(offer)}, but not at this traffic"


def _relax(view: View, offer: int) -> str:
    wishes = []
    for name, column, target in (
        (view.ttft_name, view.ttft_column, view.ttft_target),
        ("TPOT", "tpot_ms", view.tpot_target),
    ):
        value = view.value(column, offer)
        if value > target:
            wishes.append(f"a {name} target of {time(_round_up(value))}")
    return f"With {' and '.join(wishes)} it would do." if wishes else "Less traffic would do."


def _nothing_fits(view: View) -> Verdict:
    share = view.number("memory_used_share")
    places = np.flatnonzero(np.isfinite(share))
    if not len(places):
        # No server has an estimate at all: the format, the context or the chips are why, not the memory.
        # GPUs run nearly everything: their reason says more than that a CPU does not.
        _, gpu = kinds(view)
        texts = view.read("reason")[view.at]
        reasons = Counter(str(text) for text in (texts[gpu] if gpu.any() else texts) if text)
        why = f": {reasons.most_common(1)[0][0]}" if reasons else ""
        return Verdict("no_estimate", f"No server here runs this{why}.")
    place = places[np.argmin(share[places])]
    offer = int(view.at[place])
    return Verdict(
        "nothing_fits",
        f"No server here holds the model: the nearest, {view.label(offer)}, would need {share[place]:.2f} "
        "times its memory.",
        nearest=offer,
        changes=("Fewer bits a weight, a smaller model or a shorter prompt needs less memory.",),
    )


# words


def _over(ratio: float) -> str:
    if ratio < 3:
        return f"{(ratio - 1) * 100:.0f} % over"
    return f"{ratio:.1f} times the target" if ratio < 10 else f"{ratio:,.0f} times the target"


def _round_up(milliseconds: float) -> float:
    """Up to two significant digits: a target a person would write."""
    step = 10.0 ** (math.floor(math.log10(milliseconds)) - 1)
    return math.ceil(milliseconds / step - 1e-9) * step
