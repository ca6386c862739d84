"""A server of the user's own as an offer: its price, and its hardware under the catalogs' names."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from models import catalog, cost, names
from models.errors import UnknownNameError, brief
from pricing import identity
from pricing import offer as schema
from pricing.own_fields import OWNED_NEEDED, FieldFault, read_fields
from pricing.regions import region_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from pricing.offer import Offer

PROVIDER = "custom"

_COLUMNS = {
    "name": "server",
    "gpu": "gpu_model",
    "gpu_memory_gib": "vram_gib_per_gpu",
    "cpu": "cpu_model",
    "seen": "source_date",
}
"""Fields that have another name in the offers' schema."""


def facts_of(table: Mapping[str, Any], *, today: date, seen_on: date) -> dict[str, Any]:
    """The columns of an offer, checked, with the catalogs' names for the hardware. Raises FieldFault."""
    values, owned = read_fields(table)
    facts: dict[str, Any] = dict.fromkeys(schema.OFFER_COLUMNS)
    facts |= {_COLUMNS.get(name, name): value for name, value in values.items()}
    facts["provider"] = PROVIDER
    facts["fetched_at"] = today.isoformat()
    facts["source_date"] = _seen(values.get("seen"), today, seen_on)
    _region(facts)
    _price(facts, owned)
    _hardware(facts)
    facts["offer_id"] = schema.offer_id(
        PROVIDER,
        facts["server"],
        facts["region"],
        facts["term"],
        facts["commitment_months"],
        None,
        facts["currency"],
    )
    return facts


def _region(facts: dict[str, Any]) -> None:
    """The group that the region is in. Raises FieldFault where another one is stated."""
    stated, found = facts["region_group"], region_group(facts["region"])
    if stated and found not in {None, "other", stated}:  # other: the name says nothing we know
        message = f"{stated} contradicts the region {brief(facts['region'])[1:-1]}, which is in {found}"
        raise FieldFault(("region_group",), message, hint="Leave one of them out.")
    facts["region_group"] = stated or found


def _seen(seen: date | None, today: date, seen_on: date) -> str:
    # Clocks differ: the day after today is not the future yet.
    if seen is not None and seen > today + timedelta(days=1):
        raise FieldFault(("seen",), f"{seen} lies in the future")
    return (seen or seen_on).isoformat()


def _price(facts: dict[str, Any], owned: Mapping[str, float] | None) -> None:
    """Term and price from what is stated; a machine of one's own gets the month that it costs. Raises FieldFault."""
    hourly, monthly = facts["price_per_hour"], facts["price_per_month"]
    if owned is not None:
        stated = hourly is not None or monthly is not None
        if stated and "purchase" not in owned:
            hint = "Leave it out: power is in the price of a rented server."
            raise FieldFault(
                ("owned", *list(owned)[:1]), "it is of a bought server, and purchase is missing", hint=hint
            )
        for name in ("price_per_hour", "price_per_month", "setup_fee", "commitment_months"):
            if facts[name] is not None:
                hint = "A price is of a rented server; what a bought one costs follows from [server.owned]."
                raise FieldFault((name,), "it does not go with [server.owned]", hint=hint)
        if facts["term"] not in {None, "monthly"}:
            raise FieldFault(("term",), "a bought machine costs its month", hint="Leave term out.")
        _owned_price(facts, owned)
    elif hourly is None and monthly is None:
        raise FieldFault((), "the server has no price", hint="Add price_per_hour, price_per_month or [server.owned].")
    elif hourly is not None and monthly is not None and hourly > monthly:
        hint = "Are the two swapped?"
        raise FieldFault(("price_per_hour",), f"{hourly:,g} is more than the month's {monthly:,g}", hint=hint)
    if facts["term"] == "monthly" and owned is None and monthly is None:
        raise FieldFault(("term",), "there is no price_per_month", hint="Leave term out, or add the month's price.")
    committed = "reserved" if facts["commitment_months"] else "on_demand"
    facts["term"] = facts["term"] or ("monthly" if hourly is None else committed)
    facts["price_basis"] = "listed" if owned is None else "derived"


def _owned_price(facts: dict[str, Any], owned: Mapping[str, float]) -> None:
    for name in OWNED_NEEDED:
        if name not in owned:
            raise FieldFault(("owned", name), "it is missing", hint=f"Needed are {', '.join(OWNED_NEEDED)}.")
    pue, rack = owned.get("pue", 1.0), owned.get("colocation_per_month", 0.0)
    bought = owned["purchase"], owned["months"]
    parts = (
        cost.owned_hourly(*bought, 0.0, 0.0),
        cost.owned_hourly(*bought, owned["watts"], owned["power_price_per_kwh"], pue=pue),
        cost.owned_hourly(
            *bought, owned["watts"], owned["power_price_per_kwh"], pue=pue, colocation_per_month=rack
        ),
    )  # fmt: skip
    write_off, powered, month = (float(part * cost.HOURS_PER_MONTH) for part in parts)
    facts["price_per_month"] = month
    currency = facts["currency"]
    price = f"{currency} {owned['power_price_per_kwh']:g}"
    words = [
        f"owned: {currency} {owned['purchase']:,.15g} over {owned['months']:g} months = {write_off:,.2f} a month",
        f"{owned['watts']:,g} W x PUE {pue:g} x {cost.HOURS_PER_MONTH:g} h x {price}/kWh = {powered - write_off:,.2f}",
    ]
    if rack:
        words.append(f"colocation {rack:,.2f}")
    facts["note"] = "; ".join(filter(None, (facts["note"], " + ".join(words))))


def _hardware(facts: dict[str, Any]) -> None:
    """Names of the catalogs, sizes that agree with them. Raises FieldFault."""
    if facts["kind"] == "cpu" and facts["gpu_model"]:
        raise FieldFault(("kind",), "the server has a gpu, so it is no cpu server", hint="Leave kind out.")
    facts["kind"] = facts["kind"] or ("gpu" if facts["gpu_model"] else "cpu")
    if facts["kind"] == "gpu":
        _gpu(facts)
    else:
        for name, column in (("gpu_count", "gpu_count"), ("gpu_memory_gib", "vram_gib_per_gpu")):
            if facts[column] is not None:
                raise FieldFault((name,), "the server names no gpu", hint='Add gpu = "...", or leave it out.')
    spelled = names.cpu_sockets(facts["cpu_model"]) if facts["cpu_model"] else None
    if spelled and facts["sockets"] and spelled != facts["sockets"]:
        message = f"{facts['sockets']} contradicts {spelled}x in the name of the CPU"
        raise FieldFault(("sockets",), message, hint="Leave one of them out.")
    identity.identify(facts)
    _cpu(facts)


def _gpu(facts: dict[str, Any]) -> None:
    if not facts["gpu_model"]:
        raise FieldFault(("gpu",), "it is missing", hint="A GPU server names its GPU.")
    facts["gpu_count"] = count = facts["gpu_count"] or 1.0
    memory = facts["vram_gib_per_gpu"]
    if count < 1:
        if memory is None:
            raise FieldFault(("gpu_memory_gib",), "it is missing", hint="A slice of a card says its own memory.")
        return
    if count != int(count):
        hint = "A slice of one card is a fraction: 0.125."
        raise FieldFault(("gpu_count",), f"{count:g} is neither whole nor a fraction of one", hint=hint)
    chip = identity.find_gpu(facts["gpu_model"], None, facts["interconnect"])
    if (
        chip is not None and memory is not None and count > 1
        and abs(memory - chip.memory_gib * count) <= identity.NEAR * memory
        and identity.find_gpu(facts["gpu_model"], memory, facts["interconnect"]) is None
    ):  # fmt: skip
        message = f"{memory:g} is the memory of all {count:g} GPUs together"
        raise FieldFault(("gpu_memory_gib",), message, hint=f"It is of one GPU: {chip.memory_gib:g}.")


def _cpu(facts: dict[str, Any]) -> None:
    cpu = identity.find_cpu(facts["cpu_model"]) if facts["cpu_model"] else None
    sockets, cores = facts["sockets"], facts["cores"]
    most = cpu.cores * sockets if cpu is not None and cpu.cores and sockets else None
    if most and cores and cores > most:
        message = f"{cores:g} is more than the {most} cores of {sockets}x {facts['cpu_model']}"
        raise FieldFault(("cores",), message, hint="Hardware threads are vcpus.")
    if cores and facts["vcpus"] and cores > facts["vcpus"]:
        message = f"{cores:g} is more than the {facts['vcpus']:g} hardware threads of vcpus"
        raise FieldFault(("cores",), message, hint="A core has one thread at least; leave one of them out.")
    if facts["kind"] == "gpu" or cores or facts["vcpus"]:
        return
    if most is None:
        known = cpu is not None and cpu.cores
        hint = "A CPU server says sockets for the whole machine, or cores or vcpus for a part of it."
        if not known:
            hint = "A server names its gpu, or says its cores or vcpus."
        raise FieldFault(("sockets" if known else "cores",), "it is missing", hint=hint)
    facts["cores"] = float(most)  # the whole machine


def unknown_hardware(offers: Sequence[Offer]) -> list[str]:
    """Per offer: why it has no estimate, or only that of a class; empty where the catalogs know its hardware."""
    from pricing.market import Market

    known = Market(offers).known_hardware
    return [
        (_unknown_cpu(entry) if entry.kind == "cpu" else "" if known[at] else _unknown_chip(entry))
        for at, entry in enumerate(offers)
    ]


def _unknown_chip(entry: Offer) -> str:
    name = entry.gpu_model or ""
    memory = entry.vram_gib_per_gpu if (entry.gpu_count or 1) >= 1 else None
    try:
        chip = catalog.chip(name, memory_gib=memory, link=entry.interconnect)
    except UnknownNameError as error:
        return f"unknown chip {brief(name)}: shown without estimate. {error.hint}"
    return f"{chip.name} has not {memory:g} GiB: shown without estimate. Leave gpu_memory_gib out if it is that card."


def _unknown_cpu(entry: Offer) -> str:
    if entry.cpu_model is None:
        return "no CPU named: estimated as an unknown one, with a wide band."
    if identity.find_cpu(entry.cpu_model) is not None:
        return ""
    close = names.nearest(entry.cpu_model, [one.name for one in catalog.cpus()])
    hint = f" Did you mean {', '.join(close)}?" if close else ""
    return f"unknown CPU {brief(entry.cpu_model)}: estimated as an unknown one, with a wide band.{hint}"
