"""Changes to servers.toml that leave all else in it as it is, byte for byte: comments, order, line ends.

One change at a time, whoever makes it: the file is locked from its reading to its replacement. The lock is the
system's own and ends with the process, so that a killed one leaves nothing to clear away.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from models import names
from models.errors import brief
from pricing import atomic, own, paths
from pricing.errors import OwnServersError, StoreError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pricing.own_lines import Block

PATIENCE_S = 10.0
_PAUSE_S = 0.02


def add(
    fields: Mapping[str, Any], *, replace: bool = False, path: Path | None = None, today: date | None = None
) -> own.OwnServer:
    """Append a server, or with `replace` put it in the place of the one of its name; the server as it is read again.

    `fields` are those of the file, checked before (pricing.own_facts). Raises OwnServersError and writes nothing if
    the file is not in order or has the name, StoreError if it cannot be written.
    """
    path = path or paths.own_servers_file()
    today = today or datetime.now(UTC).date()
    with _locked(path):
        text = own.read_text(path) or ""
        try:
            present = own.parse(text, path, today=today, seen_on=today)
        except OwnServersError as error:
            raise OwnServersError(
                error.message, hint=f"{error.hint} Until then nothing can be added.".strip()
            ) from None
        place = _named(text, path, str(fields["name"]))
        if place is not None and not replace:
            raise OwnServersError(
                f"{path}, line {place.line}: there is a server {brief(place.name)} already.",
                hint="--replace puts the new one in its place.",
            )
        new = _toml(fields)
        if "\r\n" in text:
            new = new.replace("\n", "\r\n")
        changed = text + _gap(text) + new if place is None else text[: place.start] + new + text[place.end :]
        after = own.parse(changed, path, today=today, seen_on=today)
        added = _check_add([one.offer.server for one in present], after, str(fields["name"]))
        atomic.write_bytes(path, changed.encode("utf-8"))
        return added


def remove(name: str, *, path: Path | None = None) -> int:
    """Cut out a server and nothing else; the line it began at. It need not be in order, nor need the others.

    Raises OwnServersError if there is no such server or the file is no TOML, StoreError if it cannot be written.
    """
    path = path or paths.own_servers_file()
    with _locked(path):
        text = own.read_text(path)
        place = _named(text, path, name) if text is not None else None
        if text is None or place is None:
            raise _unknown(name, text, path)
        changed = text[: place.start] + text[place.end :]
        before, after = own.tables(text, path), own.tables(changed, path)
        if [table for table, block in before if block.line != place.line] != [table for table, _ in after]:
            raise _not_possible(path, place.line)
        atomic.write_bytes(path, changed.encode("utf-8"))
        return place.line


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a server stands in the file's own text, byte-order mark included."""

    name: str
    line: int
    start: int
    end: int

    @classmethod
    def of(cls, name: str, block: Block, text: str) -> _Place:
        shift = len(own.BOM) if text.startswith(own.BOM) else 0
        return cls(name, block.line, block.start + shift, block.end + shift)


def _named(text: str, path: Path, name: str) -> _Place | None:
    """The server of that name. Raises OwnServersError if there are two."""
    wanted = own.same_name(name)
    found = [
        _Place.of(str(table["name"]), block, text)
        for table, block in own.tables(text, path)
        if "name" in table and own.same_name(table["name"]) == wanted
    ]
    if len(found) > 1:
        raise OwnServersError(
            f"{path}: the servers at the lines {found[0].line} and {found[1].line} are both named {brief(name)}.",
            hint="Give one of them another name in the file.",
        )
    return found[0] if found else None


def _unknown(name: str, text: str | None, path: Path) -> OwnServersError:
    present = [str(table.get("name", "")) for table, _ in own.tables(text or "", path)]
    if not present:
        return OwnServersError(
            f"There are no servers in {path}.", hint="`rackrate offers add --help` shows how to add one."
        )
    close = names.nearest(name, present, 1)
    hint = f"Did you mean {brief(close[0])}?" if close else "`rackrate offers list` shows their names."
    return OwnServersError(f"There is no server {brief(name)} in {path}.", hint=hint)


def _not_possible(path: Path, line: int) -> OwnServersError:
    return OwnServersError(
        f"{path}, line {line}: the server's text is not in one piece, so nothing was changed.",
        hint="Edit the file by hand.",
    )


def _check_add(before: list[str], after: tuple[own.OwnServer, ...], name: str) -> own.OwnServer:
    """The new server among those that were there; StoreError rather than a file that says something else."""
    wanted = own.same_name(name)
    others = [one.offer.server for one in after if own.same_name(one.offer.server) != wanted]
    added = [one for one in after if own.same_name(one.offer.server) == wanted]
    if len(added) != 1 or others != [one for one in before if own.same_name(one) != wanted]:
        raise StoreError("The new text of servers.toml does not read as it should, so nothing was changed.")
    return added[0]


def _gap(text: str) -> str:
    """What stands between the file's end and a new table: the line is ended, one line is left empty."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    body = text.removeprefix(own.BOM)
    if not body or body.endswith((line_end * 2, "\n\n")):
        return ""
    return line_end if body.endswith("\n") else line_end * 2


def _toml(fields: Mapping[str, Any]) -> str:
    import tomli_w

    # Written apart from its header: tomli-w puts small tables on one line, where nobody can comment on a field.
    plain = {name: value for name, value in fields.items() if name != "owned"}
    text = f"[[server]]\n{tomli_w.dumps(plain)}"
    if "owned" in fields:
        text += f"[server.owned]\n{tomli_w.dumps(fields['owned'])}"
    return text


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other rackrate changes the file. Raises StoreError if that takes too long or cannot be."""
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("ab")
    except OSError as error:
        raise StoreError(
            f"Cannot write in {path.parent}: {error.strerror or error}.",
            hint="RACKRATE_CONFIG_DIR names another folder for the settings.",
        ) from error
    with file:
        give_up = time.monotonic() + PATIENCE_S
        while not _try_lock(file):
            if time.monotonic() > give_up:
                raise StoreError(f"Another rackrate is changing {path}.", hint="Try again when it has ended.")
            time.sleep(_PAUSE_S)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: io.BufferedWriter) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(file: io.BufferedWriter) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
