"""Measurements of cloud instance types: the bundled table from the inspection's rows, and the table as rows for the fit."""

from __future__ import annotations

import csv
import gzip
import io
from collections import defaultdict
from typing import TYPE_CHECKING

from models import catalog
from models.cpu_measured import MODELS, PROVIDERS, MeasuredCpu, read
from models.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from models.cpu import CPU

SOURCE_GROUP = "SpareCores/sc-inspector-data"
_FACTS = ("provider", "server", "cpu", "vcpus", "threads", "sockets", "numa_nodes", "bare_metal", "read_gb_s", "date")
_TESTS = {("128", "0"): "pp512", ("512", "0"): "pp512", ("0", "16"): "tg128", ("0", "128"): "tg128"}
"""(prompt, output) tokens -> column; the shorter test stands in where the benchmark did not reach the longer one."""
_PACKING = {"aws", "azure", "gcp", "alibaba"}
"""Clouds whose AMD VMs sit on as few chiplets as their cores need."""
_SMALL_WEIGHT, _WEIGHT = "0.3", "0.5"
"""Models below 1B weigh less than a row of a measurements file in the fit, and so do the others: one build, one method."""
_SMALL = ("smollm_135m", "qwen_0_5b")
_ARM = {
    ("aws", "Neoverse-N1"): "AWS Graviton2",
    ("aws", "Neoverse-V1"): "AWS Graviton3",
    ("aws", "Neoverse-V2"): "AWS Graviton4",
    ("aws", "Neoverse-V3"): "AWS Graviton5",
    ("gcp", "Neoverse-V2"): "Google Axion",
    ("azure", "Neoverse-N2"): "Microsoft Azure Cobalt 100",
    ("alibaba", "Neoverse-N2"): "Alibaba Yitian 710",
}
_HIDDEN = {
    "AMD EPYC-Rome": "AMD EPYC Rome (model hidden)",
    "AMD EPYC-Milan": "AMD EPYC Milan (model hidden)",
    "AMD EPYC-Genoa": "AMD EPYC Genoa (model hidden)",
    "AMD EPYC-Turin": "AMD EPYC Turin (model hidden)",
    "Intel Xeon (Cascadelake)": "Intel Xeon Cascade Lake (model hidden)",
    "Intel Xeon (Skylake, IBRS)": "Intel Xeon Skylake-SP (model hidden)",
    "Intel Xeon (Skylake, IBRS, no TSX)": "Intel Xeon Skylake-SP (model hidden)",
    "Intel Xeon Platinum 8269CY T 3.10GHz": "Intel Xeon Platinum 8269CY",
}


def pack(rows: Iterable[Mapping[str, str]]) -> bytes:
    """The bundled table, gzip, the same bytes for the same rows.

    Args:
        rows: llama-bench rows of the inspection data: server ("vendor/type"), cpu, vcpus, n_threads, model, n_prompt, n_gen,
            tokens_per_s, ...
    """
    columns = {model: name for name, model in MODELS.items()}
    table: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        test = _TESTS.get((row["n_prompt"], row["n_gen"]))
        if test is None or row["model"] not in columns:
            continue
        vendor, server = row["server"].split("/", 1)
        provider = PROVIDERS.get(vendor, vendor)
        entry = table.setdefault(
            (provider, server),
            {
                "provider": provider,
                "server": server,
                "cpu": row["cpu"],
                "vcpus": row["vcpus"],
                "threads": row["n_threads"],
                "sockets": row["sockets"] or "1",
                "numa_nodes": row["numa_nodes"] or "1",
                "bare_metal": row["bare_metal"] or "0",
                "read_gb_s": row["bw_mem_rd_gbs"],
                "date": row["date"],
            },
        )
        name = f"{columns[row['model']]}_{test}"
        full = row["n_prompt"] == "512" or row["n_gen"] == "128"
        if full or name not in entry:
            entry[name] = f"{float(row['tokens_per_s']):.4g}"
    names = [*_FACTS, *(f"{name}_{test}" for name in MODELS for test in ("pp512", "tg128"))]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table[key] for key in sorted(table))
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)


def cpu_of(record: MeasuredCpu) -> CPU | None:
    """The catalog's CPU of a measured instance type; None where the VM hides it."""
    name = _ARM.get((record.provider, record.cpu), _HIDDEN.get(record.cpu, record.cpu))
    if record.cpu == "Neoverse-N1" and name == record.cpu:
        name = "Ampere Altra Q80-30"
    try:
        kind, found = catalog.hardware(name)
    except UnknownNameError:
        return None
    return found if kind == "cpu" else None  # type: ignore[return-value]


def instance_rows(path: Path | None = None) -> list[dict[str, str]]:
    """The table as rows of a measurements file, thinned: of the instance types with the same cores the middle one."""
    groups: dict[tuple[object, ...], list[tuple[float, dict[str, str]]]] = defaultdict(list)
    for record in read() if path is None else read(path):
        cpu = cpu_of(record)
        if cpu is None:
            continue
        packed = record.provider in _PACKING and cpu.vendor == "AMD" and not record.bare_metal
        same = (cpu.microarchitecture, round(cpu.peak_bandwidth_gb_s or 0, -1), record.threads, record.sockets, packed)
        for run in record.runs:
            for metric, value in (
                ("tokens_per_s_per_user", run.tokens_per_s),
                ("prompt_tokens_per_s", run.prompt_tokens_per_s),
            ):
                if value:
                    row = _row(record, cpu, run.model, metric, value)
                    row["packed"] = "1" if packed else ""
                    groups[(*same, run.model, metric)].append((value, row))
    return [sorted(group, key=lambda each: each[0])[len(group) // 2][1] for group in groups.values()]


def _row(record: MeasuredCpu, cpu: CPU, model: str, metric: str, value: float) -> dict[str, str]:
    prompt = metric == "prompt_tokens_per_s"
    return {
        "id": f"{record.provider}/{record.server}",
        "source": record.source,
        "source_date": record.date,
        "model": MODELS[model],
        "quant": "q4_K_M",
        "engine": "llama.cpp",
        "engine_version": "b4753 (2025)",
        "hardware": cpu.name,
        "count": str(record.sockets),
        "cores_used": str(record.threads),
        "input_tokens": "512" if prompt else "",
        "output_tokens": "" if prompt else "128",
        "concurrency": "1",
        "scenario": "bench",
        "metric": metric,
        "value": f"{value:g}",
        "repeats": "1",
        "source_group": SOURCE_GROUP,
        "weight": _SMALL_WEIGHT if model in _SMALL else _WEIGHT,
    }
