"""The user's own quotes and machines: servers.toml in the settings folder, offers of the provider "custom".

One [[server]] table each, with a price an hour or a month, or with [server.owned]: what was paid for it, for how many
months, and what it draws. They are read anew each time and are no part of any refresh.
"""

from __future__ import annotations

import stat
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from models import names
from models.errors import brief, toml_problem
from pricing import offer as schema
from pricing import own_lines, paths
from pricing.errors import OwnServersError
from pricing.own_facts import facts_of
from pricing.own_fields import FieldFault

if TYPE_CHECKING:
    from pathlib import Path

    from pricing.offer import Offer
    from pricing.own_lines import Block

MAX_BYTES = 16 * 1024 * 1024
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class OwnServer:
    """One [[server]] of the file as an offer, and the line it begins at."""

    offer: Offer
    line: int


def offers(path: Path | None = None, *, today: date | None = None) -> tuple[Offer, ...]:
    """The user's own servers as offers; none if there is no file. Raises OwnServersError naming line and field."""
    return tuple(server.offer for server in servers(path, today=today))


def servers(path: Path | None = None, *, today: date | None = None) -> tuple[OwnServer, ...]:
    """The user's own servers with their lines. Raises OwnServersError naming line and field."""
    path = path or paths.own_servers_file()
    text = read_text(path)
    if text is None:
        return ()
    today = today or datetime.now(UTC).date()
    return parse(text, path, today=today, seen_on=min(today, _last_change(path) or today))


def read_text(path: Path) -> str | None:
    """The file's text as it is, byte-order mark and line ends included; None if there is no file. Raises OwnServersError."""
    try:
        facts = path.stat()
        # Opening a pipe would wait for somebody to write.
        if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)):
            raise OwnServersError(f"{path} is no file.", hint="Move it away.")
        if facts.st_size > MAX_BYTES:
            raise OwnServersError(f"{path} is larger than {MAX_BYTES >> 20} MiB.", hint="Is it the right file?")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise OwnServersError(f"{path}, line {line}: it is not text in UTF-8.", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise OwnServersError(
            f"Cannot read {path}: {error.strerror or 'it cannot be opened'}.", hint="Move it away, or make it readable."
        ) from error


def parse(text: str, path: Path, *, today: date, seen_on: date) -> tuple[OwnServer, ...]:
    """The servers of a text; those without a day were seen on `seen_on`. Raises OwnServersError naming line and field."""
    found: list[tuple[dict[str, Any], int]] = []
    first: dict[str, int] = {}
    for table, block in tables(text, path):
        try:
            facts = facts_of(table, today=today, seen_on=seen_on)
        except FieldFault as fault:
            raise _at(path, block.line_of(fault.path), fault) from None
        key = same_name(facts["server"])
        if key in first:
            message = f"the server at line {first[key]} has the name {brief(facts['server'])} already"
            raise _at(path, block.line_of(("name",)), FieldFault(("name",), message, hint="Give it another name."))
        first[key] = block.line
        found.append((facts | {"source": f"{path.name}, line {block.line}"}, block.line))
    ids = schema.unique_ids(facts["offer_id"] for facts, _ in found)
    return tuple(
        OwnServer(schema.Offer(**facts | {"offer_id": name}), line)
        for (facts, line), name in zip(found, ids, strict=True)
    )


def tables(text: str, path: Path) -> list[tuple[dict[str, Any], Block]]:
    """The [[server]] tables of a text, unchecked, each with its place in it. Raises OwnServersError naming the line."""
    text = text.removeprefix(BOM)
    try:
        top = tomllib.loads(text)
    except RecursionError:
        raise OwnServersError(f"{path} is not valid TOML: it is nested too deeply.") from None
    except ValueError as error:
        line, words = own_lines.syntax_error(toml_problem(error), text)
        where = str(path) if line is None else f"{path}, line {line}"
        hint = "Each server is a line [[server]] and lines such as gpu_count = 8 below it."
        raise OwnServersError(f"{where}: not valid TOML: {words[:1].lower()}{words[1:]}.", hint=hint) from None
    for name in top:
        if name != "server":
            line = own_lines.line_of(text, name)
            close = names.nearest(name, ["server"], 1) or name in {"name", "gpu", "cpu", "price_per_hour"}
            hint = "Did you mean [[server]]?" if close else "Each server is a table [[server]]; there is nothing else."
            raise OwnServersError(f"{path}, line {line}, field {brief(name)[1:-1]}: there is no such field.", hint=hint)
    found = own_lines.blocks(text, "server")
    written = top.get("server", [])
    if not isinstance(written, list) or len(written) != len(found) or (top and not found):
        line = own_lines.line_of(text, "server")
        raise OwnServersError(
            f"{path}, line {line}: a server is no table of its own.", hint="Write each below a line [[server]]."
        )
    return list(zip(written, found, strict=True))


def same_name(name: object) -> str:
    """What two names must share to be the same one."""
    return str(name).strip().casefold()


def _last_change(path: Path) -> date | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    except (OSError, ValueError, OverflowError):  # taken away since it was read, or of no year that there is
        return None


def _at(path: Path, line: int, fault: FieldFault) -> OwnServersError:
    field = f", field {brief('.'.join(fault.path))[1:-1]}" if fault.path else ""
    return OwnServersError(f"{path}, line {line}{field}: {fault.message}.", hint=fault.hint)
