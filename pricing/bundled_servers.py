"""The distinct machines of the bundled offers in a form that is quick to read.

Finding them reads every spelling of every chip and CPU; `data/servers.json` names the entries of the catalogs that were
found. It counts for the bundled offers alone, and only while the catalogs are those it was made of.
"""

from __future__ import annotations

import binascii
import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog, cpu_measured, prepared
from models.server import Server
from pricing import bundled, paths
from pricing.machines import distinct
from pricing.offer_list import OfferList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from models.chip import Chip
    from pricing.offer import Offer

    Array = np.ndarray[Any, Any]

PACKED = "servers.json"
_FIELDS = tuple(field.name for field in fields(Server))
_CATALOGS = ("accelerators.csv", "cpus.csv", "hardware_aliases.csv", "instance_cpu.csv")
_PLACES = np.dtype("<u2")


def machines(offers: Sequence[Offer]) -> tuple[tuple[Server, ...], Array]:
    """What `distinct` says of the bundled offers as `load_bundled` gives them."""
    try:
        # Offers that were not packed come from files that were changed since.
        if isinstance(offers, OfferList) and (found := prepared.read(paths.bundled(PACKED), _sources(), _offers_sum())):
            servers, index = _unpacked(json.loads(found))
            if len(index) == len(offers):
                return servers, index
    except (OSError, ValueError, LookupError, TypeError):  # torn
        pass
    return distinct(offers)


def prepare() -> bytes:
    """What the packed file has to hold; the packed offers come first."""
    servers, index = distinct(bundled.read_bundled())
    chips = list(dict.fromkeys(server.chip for server in servers if server.chip))
    cpus = list(dict.fromkeys(server.cpu for server in servers if server.cpu))
    columns: dict[str, list[Any]] = {name: [getattr(server, name) for server in servers] for name in _FIELDS}
    for name, entries in (("chip", chips), ("cpu", cpus)):
        place: dict[Any, int] = {entry: at for at, entry in enumerate(entries)}
        columns[name] = [None if entry is None else place[entry] for entry in columns[name]]
    made = {
        "chips": [(chip.name, chip.memory_gib) for chip in chips],
        "cpus": [cpu.name for cpu in cpus],
        "servers": columns,
        "at": binascii.b2a_base64(index.astype(_PLACES).tobytes(), newline=False).decode("ascii"),
    }
    text = json.dumps(made, separators=(",", ":"), allow_nan=False)
    return prepared.content(f"{text}\n".encode(), _sources(), _offers_sum())


def _unpacked(packed: dict[str, Any]) -> tuple[tuple[Server, ...], Array]:
    by_name = {chip.name: chip for chip in catalog.chips()}
    chips = [_of_memory(by_name[name], memory_gib) for name, memory_gib in packed["chips"]]
    cpus = [catalog.cpu_named(name) for name in packed["cpus"]]
    columns = packed["servers"]
    for name, entries in (("chip", chips), ("cpu", cpus)):
        columns[name] = [None if at is None else entries[at] for at in columns[name]]
    servers = tuple(map(Server, *(columns[name] for name in _FIELDS)))
    index = np.frombuffer(binascii.a2b_base64(packed["at"]), dtype=_PLACES).astype(np.intp)
    return servers, index


def _of_memory(chip: Chip, memory_gib: float) -> Chip:
    """Chips that share the machine's RAM have another size in each offer."""
    return chip if chip.memory_gib == memory_gib else replace(chip, memory_gib=memory_gib)


def _sources() -> list[Path]:
    return [*(catalog.FOLDER / name for name in _CATALOGS), cpu_measured.FILE]


def _offers_sum() -> str:
    """What the packed offers say that they were made of."""
    with paths.bundled(bundled.PACKED).open("rb") as file:
        return file.readline().decode("ascii")
