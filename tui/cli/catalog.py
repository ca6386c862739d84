"""`rackrate catalog`: the names rackrate knows, with their facts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from models import catalog
from tui.cli.output import chosen_format, emit, say
from tui.cli.table import Column, figure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from models.engine import Support


def _billions(value: object) -> str:
    return figure(value / 1e9) if isinstance(value, (int, float)) and value else figure(None)


def _length(value: object) -> str:
    return f"{value / 1024:.0f}k" if isinstance(value, int) and value >= 10_000 else figure(value)


def _year(value: object) -> str:
    """A year or a date is no quantity: no thousands separator."""
    return figure(None) if value in {None, ""} else str(value)


def _any(value: object) -> str:
    """No list of vendors is no limit."""
    return figure(value) if value else "any"


MODELS = (
    Column("name", "Model", 1),
    Column("params_total", "Params B", 2, _billions),
    Column("params_active", "Active B", 4, _billions),
    Column("layers", "Layers", 6),
    Column("attention_kind", "Attention", 7),
    Column("kv_elements_full", "KV elements/token", 8),
    Column("max_context", "Context", 3, _length),
    Column("native_dtype", "Native", 9),
    Column("license", "Licence", 5),
    Column("release_date", "Released", 6, _year),
)
HARDWARE = (
    Column("name", "Accelerator", 1),
    Column("vendor", "Vendor", 6),
    Column("arch", "Architecture", 7),
    Column("memory_gib", "Memory GB", 2),
    Column("memory_bandwidth_gb_s", "GB/s", 3),
    Column("bf16_tflops", "BF16 TFLOPS", 4),
    Column("fp8_tflops", "FP8 TFLOPS", 5),
    Column("interconnect", "Link", 6),
    Column("tdp_w", "W", 8),
    Column("launch_year", "Year", 7, _year),
)
CPUS = (
    Column("name", "CPU", 1),
    Column("microarchitecture", "Microarchitecture", 7),
    Column("isa_class", "ISA", 4),
    Column("cores", "Cores", 2),
    Column("memory_channels", "Channels", 3),
    Column("memory_mts", "MT/s", 4),
    Column("peak_bandwidth_gb_s", "Peak GB/s", 2),
    Column("measured_read_gb_s", "Measured GB/s", 6),
    Column("max_sockets", "Sockets", 8),
    Column("launch", "Launched", 9, _year),
)
QUANTS = (
    Column("key", "Format", 1),
    Column("use", "For", 2),
    Column("bit_class", "Class", 3),
    Column("bytes_per_weight", "Bytes/weight", 2),
    Column("bits_per_weight_model", "Bits/weight, whole model", 5),
    Column("engines", "Engines", 4),
    Column("needs_hardware", "Needs", 6, wrap=True),
)
ENGINES = (
    Column("key", "Engine", 1),
    Column("kinds", "Runs on", 2),
    Column("vendors", "Vendors", 4, _any),
    Column("min_compute_capability", "Compute capability from", 6),
    Column("memory_utilization", "Share of memory", 4),
    Column("sequences", "Sequences", 5),
    Column("chunk", "Chunk tokens", 7),
    Column("cuda_graphs", "Graphs", 9),
    Column("constants", "Speeds of", 5),
    Column("tuning", "Measured as", 9),
    Column("changed_in", "Versions that differ", 8),
    Column("formats", "Formats", 3, wrap=True),
)
WORKLOADS = (
    Column("name", "Workload", 1),
    Column("input_tokens", "Tokens in", 2),
    Column("output_tokens", "Tokens out", 2),
    Column("prefix_hit", "Prefix hit", 5),
    Column("ttft_ms", "TTFT ms", 3),
    Column("tpot_ms", "TPOT ms", 3),
    Column("requests_per_s", "Requests/s", 4),
    Column("assumed", "Assumed", 6),
    Column("source", "Source", 7, wrap=True),
)
PROVIDERS = (
    Column("provider", "Provider", 1),
    Column("feed", "Feed", 4),
    Column("offers", "Offers", 3),
    Column("cpu_offers", "CPU", 6),
    Column("gpu_offers", "GPU", 6),
    Column("newest", "Newest price", 3, _year),
    Column("terms", "Terms", 7),
    Column("key", "Key", 2),
    Column("verified", "Checked on", 5, _year),
    Column("cannot", "Does not tell", 8, wrap=True),
)


TOKENS = (
    Column("model", "Model", 1),
    Column("provider", "Provider", 2),
    Column("input_usd_per_m_tokens", "USD/M in", 1),
    Column("output_usd_per_m_tokens", "USD/M out", 1),
    Column("cached_input_usd_per_m_tokens", "Cached in", 4),
    Column("context_tokens", "Context", 5, _length),
    Column("llm", "In our catalog", 3),
    Column("source", "List", 6),
    Column("source_date", "Seen", 4, _year),
)


def _flat(items: Sequence[Any]) -> list[dict[str, object]]:
    return [asdict(item) for item in items]


def _quants() -> list[dict[str, object]]:
    return [{**row, "use": "KV cache" if row["kernel_class"] == "kv" else "weights"} for row in _flat(catalog.quants())]


def _pair(small: int | None, large: int | None) -> str | None:
    """A default, and the one of large cards where it differs."""
    return None if small is None else figure(small) if large in {None, small} else f"{figure(small)} / {figure(large)}"


def _where(row: Support) -> str:
    """The chips a row of kernels speaks of."""
    upto = f" to below {row.cc_below:g}" if row.cc_below else ""
    bounds = f" {row.cc_from or 0:g}{upto}{'' if upto else ' and later'}" if row.cc_from or row.cc_below else ""
    return ", ".join(row.archs or row.vendors) + bounds


def _kernels(rows: Sequence[Support]) -> list[str]:
    """A sentence a row: chips, formats, how, source."""
    return [
        f"{_where(row)}: {', '.join(row.formats)}{f' ({row.how})' if row.how else ''} [{row.source}, {row.source_date}]"
        for row in rows
    ]


def _short(form: str) -> str:
    """A llama.cpp format as one of many: engines read them all or none."""
    return "GGUF" if catalog.quant(form).kernel_class == "gguf" else form


def _engines() -> list[dict[str, object]]:
    """Engines with their lists as sentences, so that every form of output can hold them."""
    return [
        {
            **asdict(one),
            "support": _kernels(one.support),
            "kv_formats": _kernels(one.kv_formats),
            "versions": [f"{v.start} ({v.since}): {v.changes} [{v.source}, {v.source_date}]" for v in one.versions],
            "sequences": _pair(one.max_sequences, one.max_sequences_large),
            "chunk": _pair(one.chunk_tokens, one.chunk_tokens_large),
            "changed_in": [v.start for v in one.versions],
            "formats": list(dict.fromkeys(_short(form) for row in one.support for form in row.formats)),
        }
        for one in catalog.engines()
    ]


def _providers() -> list[dict[str, object]]:
    from tui.cli.providers import provider_rows

    return provider_rows()


def _tokens() -> list[dict[str, object]]:
    from pricing.store import Store

    store = Store()
    found = _flat(store.tokens())
    for message in store.messages:
        say(message)
    return found


LISTS: dict[str, tuple[Callable[[], list[dict[str, object]]], tuple[Column, ...]]] = {
    "models": (lambda: _flat(catalog.llms()), MODELS),
    "hardware": (lambda: _flat(catalog.chips()), HARDWARE),
    "cpus": (lambda: _flat(catalog.cpus()), CPUS),
    "quants": (_quants, QUANTS),
    "engines": (_engines, ENGINES),
    "workloads": (lambda: _flat(catalog.presets()), WORKLOADS),
    "providers": (_providers, PROVIDERS),
    "tokens": (_tokens, TOKENS),
}


HOLDS = {
    "models": "language models, for --model",
    "hardware": "GPUs and other accelerators, for the column hardware of `rackrate estimate`",
    "cpus": "CPUs, for the same column",
    "quants": "weight and KV-cache formats, for --quant and --kv-quant",
    "engines": "inference engines, for --engine",
    "workloads": "traffic presets, for --workload",
    "providers": "who sells, for --provider, and whose prices `rackrate refresh` can fetch",
    "tokens": "what others ask for a million tokens of a model: the price to buy instead of hosting",
}


def run(args: argparse.Namespace) -> int:
    """Print the entries that hold every searched word in any of their names; without a list's name, the lists."""
    if args.what is None:
        lists = [{"command": f"rackrate catalog {name}", "holds": text} for name, text in HOLDS.items()]
        emit(lists, (Column("command", "Command", 1), Column("holds", "Lists", 2, wrap=True)), chosen_format(args))
        return 0
    read, columns = LISTS[args.what]
    rows = read()
    wanted = " ".join(args.search).lower().split()
    found = [row for row in rows if all(word in _searched(row) for word in wanted)]
    if not found:
        say(f"No {args.what} entry holds {' and '.join(wanted)}; there are {len(rows):,} entries.")
    form = chosen_format(args)
    if found or form != "table":
        emit(found, columns, form)
    if found and form == "table":
        say(f"{len(found):,} of {len(rows):,} entries.")
    return 0


SEARCHED = (
    "name",
    "key",
    "hf_id",
    "family",
    "provider",
    "vendor",
    "arch",
    "codename",
    "microarchitecture",
    "title",
    "bit_class",
    "model",
    "llm",
)


def _searched(row: Mapping[str, object]) -> str:
    return " ".join(str(row.get(key) or "") for key in SEARCHED).lower()
