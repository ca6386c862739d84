"""What a measured row and its estimate are grouped by: kind of hardware, of model and of load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from models.case_input import number
from models.errors import InputError, UnknownNameError
from models.gpu_speed import ENGINES

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUPS = (
    "metric",
    "class",
    "engine",
    "scenario",
    "load",
    "model_kind",
    "hardware",
    "model",
    "source",
    "source_group",
    "quant",
    "basis",
)
MODEL_KINDS = ("dense", "moe", "mla", "hybrid", "encoder")
LOADS = ("single", "low", "medium", "high", "open loop below capacity", "open loop above capacity")
_LOW, _MEDIUM = 8, 64
"""Most users of a low and of a medium load."""
_SERVED = 0.99
"""A server that answers a smaller share of the requests is above its capacity: waits grow with the length of the test."""


def facts_of(row: Mapping[str, str], answer: Mapping[str, object]) -> dict[str, str]:
    """The value of every group for one row and its estimate."""
    hardware = (row.get("hardware") or "").strip()
    return {
        "metric": row.get("metric") or "",
        "class": _class(answer, hardware),
        "engine": str(answer.get("engine_used") or "none"),
        "scenario": row.get("scenario") or "",
        "load": load_of(row, answer),
        "model_kind": model_kind(row.get("model") or ""),
        "hardware": hardware_name(hardware),
        "model": model_name(row.get("model") or ""),
        "source": row.get("source") or "",
        "source_group": row.get("source_group") or "",
        "quant": row.get("quant") or "",
        "basis": str(answer.get("basis") or "none"),
    }


def _class(answer: Mapping[str, object], hardware: str) -> str:
    try:
        kind, found = catalog.hardware(hardware)
    except UnknownNameError:
        # a CPU that nobody lists is answered as one; anything else has an error, which says which name
        return "cpu" if catalog.unknown_cpu(hardware) else "unknown"
    if kind == "cpu":
        return "cpu"
    if getattr(found, "vendor", "") == "Apple":
        return "apple"
    return "gpu serving" if answer.get("engine_used") in ENGINES else "gpu llama.cpp"


def hardware_name(name: str) -> str:
    """The catalog's name of a chip or CPU, so that its spellings are one group; an unknown one keeps its own."""
    try:
        return str(getattr(catalog.hardware(name)[1], "name", name))
    except UnknownNameError:
        return name


def model_name(name: str) -> str:
    """The catalog's name of a model; an unknown one keeps its own."""
    found = catalog.find_llm(name.strip())
    return found.name if found else name.strip()


def model_kind(name: str) -> str:
    """One of MODEL_KINDS by what the layers are, unknown without a catalog entry."""
    llm = catalog.find_llm(name.strip())
    if llm is None:
        return "unknown"
    if not llm.kv_cache:
        return "encoder"
    return "mla" if llm.mla else "hybrid" if llm.linear else "moe" if llm.moe else "dense"


def load_of(row: Mapping[str, str], answer: Mapping[str, object]) -> str:
    """One of LOADS: by the users at once, or by whether the server keeps up with a request rate."""
    scenario = (row.get("scenario") or "").strip()
    users, rate = _figure(row, "concurrency"), _figure(row, "request_rate_rps")
    if rate and (scenario == "server" or not scenario):
        served = answer.get("requests_per_s")
        above = isinstance(served, float) and served < _SERVED * rate
        return LOADS[5] if above else LOADS[4]
    if scenario == "offline":
        return "high"  # all requests are there at once
    if scenario == "single_stream" or users is None or users <= 1:
        return "single"
    return "low" if users <= _LOW else "medium" if users <= _MEDIUM else "high"


def _figure(row: Mapping[str, str], name: str) -> float | None:
    try:
        return number(row, name)
    except InputError:  # the row's error says so
        return None
