"""What a filter can ask for: the fields with their columns, units and meanings."""

from __future__ import annotations

import difflib
import re

from models.errors import brief
from pricing.compare import COMPARE_COLUMNS
from pricing.errors import WhereError

SIGNS = re.compile(r"^(?:[€£¥₹]|cn¥)(?=/?(?:h|mo|mtok|full)$)")
"""The dashboard's headings carry the sign of its currency; the figures are in that currency whatever the sign."""

FIELDS: dict[str, tuple[str, str]] = {
    "gpu": ("vram_gib_per_gpu", "gib"),
    "gpus": ("gpu_count", ""),
    "vram": ("vram_gib", "gib"),
    "ram": ("ram_gib", "gib"),
    "cores": ("cores", ""),
    "vcpus": ("vcpus", ""),
    "vcpu": ("vcpus", ""),
    "sockets": ("sockets", ""),
    "price": ("price", ""),
    "$h": ("hourly_cost", ""),
    "$/h": ("hourly_cost", ""),
    "$mo": ("monthly_cost", ""),
    "$/mo": ("monthly_cost", ""),
    "$mtok": ("cost_per_m_output_tokens", ""),
    "$/mtok": ("cost_per_m_output_tokens", ""),
    "$full": ("cost_per_m_output_tokens_full_load", ""),
    "ttft": ("ttft_ms", "ms"),
    "tpot": ("tpot_ms", "ms"),
    "load": ("load_s", "s"),
    "users": ("max_concurrency", ""),
    "tok": ("output_tokens_per_s", ""),
    "tok/s": ("output_tokens_per_s", ""),
    "tok/s·u": ("tokens_per_s_user", ""),
    "tok/s.u": ("tokens_per_s_user", ""),
    "fit": ("memory_used_share", "%"),
    "n": ("servers_needed", ""),
    "rps": ("requests_per_s_at_target", ""),
    "servers": ("servers_needed", ""),
    "age": ("price_age_days", "d"),
    "use": ("utilization", ""),
    "context": ("max_context", ""),
}
"""Short name -> (column, kind of unit)."""
COSTS = frozenset({
    "price", "hourly_cost", "monthly_cost", "cost_per_m_output_tokens", "cost_per_m_total_tokens", "cost_per_m_output_tokens_full_load",
})  # fmt: skip
"""Columns in the currency shown."""
UNITS: dict[str, dict[str, float]] = {
    "gib": {"": 1, "g": 1, "gb": 1, "gib": 1, "t": 1024, "tb": 1024, "tib": 1024},
    "ms": {"": 1, "ms": 1, "s": 1000},
    "s": {"": 1, "s": 1, "ms": 0.001, "min": 60},
    "d": {"": 1, "d": 1, "w": 7, "mo": 30.44, "y": 365.25},
    "%": {"": 0.01, "%": 0.01},
    "": {"": 1, "k": 1e3, "m": 1e6, "%": 0.01},
}
"""Kind of unit -> what each unit is worth."""
NAMES: dict[str, tuple[str, ...]] = {
    "provider": ("provider",),
    "server": ("server",),
    "term": ("term",),
    "tier": ("tier",),
    "chip": ("gpu_model",),
    "processor": ("cpu_model",),
    "hardware": ("gpu_model", "cpu_model"),
    "engine": ("engine_used",),
    "bound": ("bound_by",),
    "basis": ("basis",),
    "currency": ("currency",),
    "source": ("source",),
    "kind": ("kind",),
    "quant": ("quant_used",),
    "id": ("offer_id",),
}
"""Field that holds a text -> its columns."""
NUMBER_HELP: tuple[tuple[str, str], ...] = (
    ("gpu", "memory of one GPU, GiB"),
    ("gpus", "how many GPUs"),
    ("vram", "memory of all GPUs, GiB"),
    ("ram", "host memory, GiB"),
    ("cores", "CPU cores"),
    ("vcpus", "virtual CPUs"),
    ("sockets", "CPUs"),
    ("price", "list price of one server an hour, in the currency shown"),
    ("$h", "cost of all servers an hour; $ is the currency shown, whichever it is"),
    ("$/mo", "cost of all servers a month (also $mo)"),
    ("$/mtok", "cost of a million output tokens (also $mtok)"),
    ("$full", "the same at full load"),
    ("ttft", "time to the first token, ms or s: ttft<1s"),
    ("tpot", "time between tokens, ms"),
    ("load", "loading the weights, s or min"),
    ("users", "most users on one server in the targets"),
    ("n", "servers needed (also servers)"),
    ("fit", "share of the memory used, %"),
    ("tok/s", "output tokens a second of one server"),
    ("tok/s·u", "output tokens a second of each user (also tok/s.u)"),
    ("rps", "most requests a second of one server in the targets"),
    ("use", "share of the servers that the traffic uses, as 80%"),
    ("age", "of the price: d, w, mo, y"),
    ("context", "longest context that fits, tokens"),
)
"""The fields that are compared with a number, and their units."""
TEXT_HELP: tuple[tuple[str, str], ...] = (
    ("provider:", "who sells it; several with commas"),
    ("region:", "region or its beginning: eu-west, fr; eu (Europe, not the Union), us, asia"),
    ("server:", "the provider's name of the machine"),
    ("hardware:", "GPU or CPU; chip: is the GPU, processor: the CPU"),
    ("term:", "on-demand, spot, reserved, monthly, ..."),
    ("tier:", "the provider's class, as secure or community"),
    ("engine:", "vllm, llama.cpp, ...; quant: is the format used"),
    ("bound:", "what limits the speed; basis: measured or estimated"),
    ("source:", "where the price is from; currency: kind: id:"),
)
"""The fields that hold a text."""
KNOWN = (
    "Texts: provider: region: term: chip: server: engine:; "
    "numbers: gpu gpus vram ram cores price $h $/mo $/mtok ttft tpot load users n fit tok/s rps age."
)
"""What is asked for most: all of it would not fit under the filter of a terminal of 80 columns."""
ALIASES = {"where": "region"}
"""Headings of the dashboard that go by another name here."""
EXACT = frozenset({"provider", "term", "currency", "kind", "basis"})
"""Fields whose value is the whole text, not a part of it."""
MORE_COLUMNS = frozenset({"vram_gib", "price", "memory_used_share", "memory_gb_s"})
"""Numbers that are no columns of the CSV."""
TEXT_FIELDS = frozenset({*NAMES, *ALIASES, "region"})


def unknown(token: str, field: str) -> WhereError:
    """The error for a field that does not exist, with the nearest ones that do."""
    near = difflib.get_close_matches(field, [*FIELDS, *NAMES, "region", *COMPARE_COLUMNS], 3, 0.6)
    return WhereError(
        token,
        f"there is no field {brief(field)}.",
        hint=(f"Did you mean {', '.join(near)}? " if near else "") + KNOWN,
    )


def units_of(field: str) -> dict[str, float]:
    """The units that a number field takes."""
    return UNITS[FIELDS.get(SIGNS.sub("$", field.lower()), ("", ""))[1]]
