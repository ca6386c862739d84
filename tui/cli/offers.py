"""`rackrate offers`: the user's own quotes and machines in servers.toml."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from models import cost
from models.errors import brief
from pricing import own, own_file, paths
from pricing.compare import MONTH_DAYS
from pricing.errors import OwnServersError
from pricing.filters import DEFAULT_TERMS
from pricing.own_facts import facts_of, unknown_hardware
from pricing.own_fields import FIELDS, OWNED_FIELDS, OWNED_NEEDED, FieldFault
from tui import clock, rows
from tui import format as fmt
from tui.cli.output import chosen_format, counted, emit, say
from tui.cli.table import Column

if TYPE_CHECKING:
    import argparse

    from pricing.offer import Offer

FLAGS = {
    "gpu_memory_gib": "gpu_memory",
    "ram_gib": "ram",
    "price_per_hour": "hourly",
    "price_per_month": "monthly",
    "setup_fee": "setup",
    "commitment_months": "commitment",
    "power_price_per_kwh": "power_price",
    "colocation_per_month": "colocation",
}
"""Flags that have another name than the field of servers.toml; `kind` follows from the GPU."""

COLUMNS = (
    Column("server", "Server", 1),
    Column("hardware", "Hardware", 2),
    Column("host", "Host", 9),
    Column("region", "Where", 7),
    Column("term", "Term", 5),
    Column("currency", "In", 2),
    Column("price_per_hour", "An hour", 2),
    Column("price_per_month", "A month", 2),
    Column("setup_fee", "Setup", 6),
    Column("source_date", "Seen", 4),
    Column("line", "Line", 3),
    Column("unknown", "Not known", 8, wrap=True),
)


def run(args: argparse.Namespace) -> int:
    """add, list or remove; 2 and one sentence where it cannot be done."""
    actions = {"add": _add, "list": _list, "remove": _remove}
    actions[args.action](args)
    return 0


def fields_of(args: argparse.Namespace) -> dict[str, Any]:
    """The fields of servers.toml that flags were given for, in the file's order."""
    given = {name: _plain(getattr(args, FLAGS.get(name, name))) for name in (*FIELDS, *OWNED_FIELDS) if name != "kind"}
    given["seen"] = given["seen"] or clock.today()
    given["currency"] = (given["currency"] or _own_currency()).upper()
    fields = {name: given[name] for name in FIELDS if given.get(name) is not None}
    owned = {name: given[name] for name in OWNED_FIELDS if given[name] is not None}
    return fields | {"owned": owned} if owned else fields


def _plain(value: Any) -> Any:
    """8, not 8.0, in the file."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _own_currency() -> str:
    from pricing.settings import Settings

    return Settings.load().currency


def _add(args: argparse.Namespace) -> None:
    fields = fields_of(args)
    today = clock.today()
    try:
        facts_of(fields, today=today, seen_on=today)
    except FieldFault as fault:
        raise OwnServersError(_said(fault), hint=_in_flags(fault.hint)) from None
    added = own_file.add(fields, replace=args.replace, today=today)
    entry = added.offer
    say(f"Wrote {brief(entry.server)} to {paths.own_servers_file()}, line {added.line}.")
    host = host_words(entry)
    say(f"{rows.hardware(entry)}{f'; host {host}' if host else ''}; {price_words(entry)}.")
    for sentence in (*unknown_hardware([entry]), *_money_hints(entry)):
        if sentence:
            say(f"{sentence[:1].upper()}{sentence[1:]}")
    say(f"See it: rackrate compare --provider custom{_hidden_by_default(entry)}")


def _said(fault: FieldFault) -> str:
    """The fault with the flag in the field's place."""
    message = _in_flags(fault.message)
    if not fault.path:
        return f"{message[:1].upper()}{message[1:]}."
    flag = _flag(fault.path[-1])
    return f"{flag} is missing." if message == "it is missing" else f"{flag}: {message}."


def _flag(field: str) -> str:
    return "NAME" if field == "name" else f"--{FLAGS.get(field, field).replace('_', '-')}"


def _in_flags(hint: str) -> str:
    """A sentence about the file as one about the command line: its fields are flags here."""
    words = {
        "[server.owned]": "--purchase",
        'gpu = "..."': "--gpu",
        "purchase is missing": "--purchase is missing",
        "threads of vcpus": "threads of --vcpus",
        ", ".join(OWNED_NEEDED): ", ".join(map(_flag, OWNED_NEEDED)),
    }
    for written, meant in words.items():
        hint = hint.replace(written, meant)
    for field in sorted((*FIELDS, *OWNED_FIELDS), key=len, reverse=True):
        if "_" in field:
            hint = hint.replace(field, _flag(field))
    return hint


def host_words(entry: Offer) -> str:
    """The host of a GPU server in a few words; empty where nothing is stated, and for CPU servers."""
    if entry.kind == "cpu":
        return ""
    sockets = f"{entry.sockets}× " if entry.sockets and entry.cpu_model else ""
    parts = (
        fmt.amount(entry.cores, "core") if entry.cores else f"{entry.vcpus:g} vCPU" if entry.vcpus else "",
        f"{sockets}{rows.short_cpu(entry.cpu_model)}" if entry.cpu_model else "",
        f"{entry.ram_gib:.4g} GiB RAM" if entry.ram_gib else "",
    )
    return " ".join(filter(None, parts))


def price_words(entry: Offer) -> str:
    """The price as it was understood, an hourly one also as a month: a slip of the unit is seen at once."""
    parts = []
    if entry.price_per_hour is not None:
        month = entry.price_per_hour * cost.HOURS_PER_MONTH
        parts.append(f"{entry.price_per_hour:,.10g} an hour ({month:,.2f} for {cost.HOURS_PER_MONTH:g} hours)")
    if entry.price_per_month is not None:
        parts.append(f"{entry.price_per_month:,.2f} a month")
    if entry.setup_fee:
        parts.append(f"{entry.setup_fee:,.10g} once")
    term = rows.TERMS[entry.term] + (
        f" for {fmt.few(entry.commitment_months, 'month')}" if entry.commitment_months else ""
    )
    words = f"{entry.currency} {', '.join(parts)}, {term}, seen {entry.source_date}"
    return f"{words} ({entry.note})" if entry.note else words


def _money_hints(entry: Offer) -> list[str]:
    from pricing.store import Store

    if Store().rates().factor(entry.currency, "USD") is not None:
        return []
    return [f"there is no exchange rate for {entry.currency} yet: `rackrate refresh ecb` fetches rates."]


def _hidden_by_default(entry: Offer) -> str:
    """The flags that show an offer which a plain comparison hides."""
    days = (clock.today() - date.fromisoformat(entry.source_date or "")).days
    term = "" if entry.term in DEFAULT_TERMS else f" --term {entry.term}"
    return f"{term} --undated" if days > 24 * MONTH_DAYS else term


def _list(args: argparse.Namespace) -> None:
    found = own.servers(today=clock.today())
    unknown = unknown_hardware([one.offer for one in found])
    lines = [
        {
            "server": one.offer.server,
            "hardware": rows.hardware(one.offer),
            "host": host_words(one.offer) or None,
            "region": one.offer.region,
            "term": rows.term(one.offer),
            "currency": one.offer.currency,
            "price_per_hour": one.offer.price_per_hour,
            "price_per_month": one.offer.price_per_month,
            "setup_fee": one.offer.setup_fee,
            "commitment_months": one.offer.commitment_months,
            "vat_included": one.offer.vat_included,
            "source_date": one.offer.source_date,
            "price_basis": one.offer.price_basis,
            "note": one.offer.note,
            "file": str(paths.own_servers_file()),
            "line": one.line,
            "unknown": said or None,
        }
        for one, said in zip(found, unknown, strict=True)
    ]
    form = chosen_format(args)
    if lines or form != "table":
        emit(lines, COLUMNS, form)
    if not found:
        say("There are no servers of your own yet; `rackrate offers add --help` shows how to add one.")
    elif form == "table":
        say(f"{counted(len(found), 'server')} in {paths.own_servers_file()}.")


def _remove(args: argparse.Namespace) -> None:
    line = own_file.remove(args.name)
    say(f"Removed {brief(args.name.strip())}, which began at line {line} of {paths.own_servers_file()}.")
