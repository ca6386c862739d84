"""The bundled catalogs: models, chips, CPUs, formats, engines, presets, found by any spelling an alias knows.

Files are read on first use and kept; nothing is read at import. Every `x(name)` raises `UnknownNameError` with the
nearest names, every `find_x(name)` returns None instead.
"""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from models import names
from models.chip import Chip
from models.chip_names import candidates, stated_memory
from models.cpu import CPU
from models.engine import Engine, Support, VersionClass
from models.errors import CatalogError, UnknownNameError
from models.llm import LLM, MLA, LinearMixer, MoE
from models.quant import Quant
from models.traffic import Preset

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent / "data"


def _text(file: str) -> str:
    try:
        return (FOLDER / file).read_text(encoding="utf-8")
    except OSError as error:
        raise CatalogError(
            f"The bundled catalog {file} cannot be read ({error}).", hint="Reinstalling rackrate restores it."
        ) from error


def _csv(file: str) -> list[dict[str, str]]:
    # Our own files have no ragged rows (tested): csv.DictReader would cost three times as much of every start.
    header, *rows = csv.reader(_text(file).splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]


def _json(file: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(_text(file))
    return rows


def _number(text: str) -> float | None:
    return float(text) if text else None


def _whole(text: str) -> int | None:
    return int(text) if text else None


# models


def _llm(row: Mapping[str, Any]) -> LLM:
    fields = dict(row)
    fields["layer_groups"] = tuple((mixer, ffn, count) for mixer, ffn, count in row["layer_groups"])
    if mla := row.get("mla"):
        fields["mla"] = MLA(**mla)
    if linear := row.get("linear"):
        dims = tuple((name, value) for name, value in linear.items() if name != "type")
        fields["linear"] = LinearMixer(type=linear["type"], dims=dims)
    if moe := row.get("moe"):
        fields["moe"] = MoE(**moe)
    return LLM(**fields)


@cache
def llms() -> tuple[LLM, ...]:
    """All models, in catalog order."""
    return tuple(_llm(row) for row in _json("llms.json"))


@cache
def _llm_names() -> dict[str, LLM]:
    return {model.name: model for model in llms()}


@cache
def _llm_index() -> dict[str, LLM]:
    by_name = _llm_names()
    index = {names.normalise(row["raw"]): by_name[row["key"]] for row in _csv("model_aliases.csv")}
    index.update({names.normalise(model.hf_id): model for model in llms() if model.hf_id})
    index.update({names.normalise(model.name): model for model in llms()})
    return index


_QUANT_SUFFIX = re.compile(
    r"[-_ ](?:awq(?:[-_]?int4)?|gptq(?:[-_]?int[48])?|gguf|fp8(?:[-_]dynamic|[-_]kv)?|nvfp4|mxfp4|int[48]|bf16|fp16|w4a16|w8a8"
    r"|bnb[-_]4bit|4bit|8bit|(?:ud[-_])?i?q\d(?:[-_][0-9a-z]+)*)$",
    re.IGNORECASE,
)
_VARIANT_SUFFIX = re.compile(r"[-_ ](?:instruct|chat|it|hf)$", re.IGNORECASE)


def find_llm(name: str) -> LLM | None:
    """The model behind a name, alias or Hugging Face id, None if no alias reaches it."""
    text = name.strip()
    if exact := _llm_names().get(text):
        return exact
    index = _llm_index()
    for spelling in (text, text.rsplit("/", 1)[-1]):
        if found := index.get(names.normalise(spelling)):
            return found
    # A quantized copy is its base model: formats are asked for with --quant, not by the model's name.
    bare = text.rsplit("/", 1)[-1]
    for suffix in (_QUANT_SUFFIX, _QUANT_SUFFIX, _VARIANT_SUFFIX):
        shorter = suffix.sub("", bare)
        if shorter != bare:
            bare = shorter
            if found := index.get(names.normalise(bare)):
                return found
    return None


def llm(name: str) -> LLM:
    """The model behind a name, or behind a path to a Hugging Face config.json.

    Raises UnknownNameError for a name no alias reaches, InputError for a config.json that cannot be used.
    """
    if name.endswith(".json") and Path(name).exists():
        from models.hf_config import read_config  # pydantic costs start time: loaded only for a user's own file

        return read_config(name)
    if found := find_llm(name):
        return found
    raise UnknownNameError("model", name, names.nearest(name, [model.name for model in llms()]))


# chips


def _chip(row: Mapping[str, str]) -> Chip:
    memory = _number(row["memory_gib"])
    return Chip(
        name=row["name"],
        vendor=row["vendor"],
        arch=row["arch"],
        compute_capability=_number(row["compute_capability"]),
        memory_gib=math.nan if memory is None else memory,
        memory_type=row["memory_type"],
        memory_bandwidth_gb_s=_number(row["memory_bandwidth_gb_s"]),
        fp32_tflops=_number(row["fp32_tflops"]),
        fp16_tflops=_number(row["fp16_tflops"]),
        bf16_tflops=_number(row["bf16_tflops"]),
        fp8_tflops=_number(row["fp8_tflops"]),
        int8_tops=_number(row["int8_tops"]),
        fp4_tflops=_number(row["fp4_tflops"]),
        interconnect=row["interconnect"],
        link_gb_s=_number(row["link_gb_s"]),
        pcie_gb_s=_number(row["pcie_gb_s"]),
        pcie_gen=_number(row["pcie_gen"]),
        usable_gib=_number(row["usable_gib"]),
        tdp_w=_number(row["tdp_w"]),
        unit=row["unit"],
        launch_year=_whole(row["launch_year"]),
        note=row["note"],
        unverified=tuple(filter(None, row["unverified"].split(";"))),
        source=row["source"],
        source_date=row["source_date"],
    )


@cache
def chips() -> tuple[Chip, ...]:
    """All accelerators, in catalog order."""
    return tuple(_chip(row) for row in _csv("accelerators.csv"))


@cache
def _spellings() -> dict[str, dict[str, list[tuple[str, float | None, str]]]]:
    """By kind: normalised spelling -> its (key, memory in GiB, link) readings; more than one is decided by memory and link."""
    index: dict[str, dict[str, list[tuple[str, float | None, str]]]] = {"gpu": {}, "cpu": {}}
    for row in _csv("hardware_aliases.csv"):
        reading = (row["key"], _number(row["memory_gib"]), row["link"])
        index[row["kind"]].setdefault(names.normalise(row["raw"]), []).append(reading)
    return index


@cache
def _chip_index() -> dict[str, Chip]:
    return {names.normalise(one.name): one for one in chips()}


def _chip_readings(spelling: str) -> tuple[tuple[Chip, float | None, str], ...]:
    key = names.normalise(spelling)
    if direct := _chip_index().get(key):
        return ((direct, None, ""),)
    by_name = _chip_index()
    return tuple(
        (by_name[names.normalise(name)], memory, link) for name, memory, link in _spellings()["gpu"].get(key, ())
    )


def _with_memory(one: Chip, name: str, memory_gib: float | None) -> Chip:
    """Chips that share the machine's RAM get the size that was asked for, or the one in the name."""
    if not math.isnan(one.memory_gib):
        return one
    if memory_gib is None:
        hints = [memory for key, memory, _ in _spellings()["gpu"].get(names.normalise(name), ()) if key == one.name]
        memory_gib = next((hint for hint in hints if hint), stated_memory(name))
    return one if memory_gib is None else replace(one, memory_gib=memory_gib)


def find_chip(name: str, *, memory_gib: float | None = None, link: str | None = None) -> Chip | None:
    """The chip behind a spelling, None if unknown or if memory and link leave more than one."""
    found = candidates(name, memory_gib, link, _chip_readings)
    return _with_memory(found[0], name, memory_gib) if len(found) == 1 else None


def chips_of(name: str) -> list[Chip]:
    """All cards that a spelling can mean: none, one, or those that only a memory size or link tells apart."""
    return candidates(name, None, None, _chip_readings)


def chip(name: str, *, memory_gib: float | None = None, link: str | None = None) -> Chip:
    """The chip behind a spelling ("NVIDIA A100" with memory_gib=80, link="sxm"); memory in GiB per card.

    Raises UnknownNameError: an ambiguous name lists its candidates as the nearest.
    """
    found = candidates(name, memory_gib, link, _chip_readings)
    if len(found) == 1:
        return _with_memory(found[0], name, memory_gib)
    if found:
        raise UnknownNameError("GPU", name, tuple(dict.fromkeys(one.name for one in found)))
    raise UnknownNameError("GPU", name, names.nearest(name, [one.name for one in chips()]))


# CPUs


def _cpu(row: Mapping[str, str]) -> CPU:
    return CPU(
        name=row["name"],
        vendor=row["vendor"],
        codename=row["codename"],
        microarchitecture=row["microarchitecture"],
        isa_class=row["isa_class"],
        cores=_whole(row["cores"]),
        threads=_whole(row["threads"]),
        all_core_ghz=_number(row["all_core_ghz"]),
        memory_channels=_whole(row["memory_channels"]),
        memory_mts=_number(row["memory_mts"]),
        peak_bandwidth_gb_s=_number(row["peak_bandwidth_gb_s"]),
        measured_read_gb_s=_number(row["measured_read_gb_s"]),
        max_sockets=_whole(row["max_sockets"]),
        pcie_gen=_number(row["pcie_gen"]),
        pcie_lanes=_whole(row["pcie_lanes"]),
        simd=row["simd"],
        launch=row["launch"],
        assumed=row["assumed"],
        source=row["source"],
        source_date=row["source_date"],
    )


@cache
def cpus() -> tuple[CPU, ...]:
    """All CPUs, in catalog order; "(model hidden)" entries are classes without a core count."""
    return tuple(_cpu(row) for row in _csv("cpus.csv"))


@cache
def _cpu_names() -> dict[str, CPU]:
    return {one.name: one for one in cpus()}


def cpu_named(name: str) -> CPU:
    """The CPU of exactly that name; raises KeyError."""
    return _cpu_names()[name]


@cache
def _cpu_index() -> dict[str, CPU]:
    by_name = _cpu_names()
    index = {spelling: by_name[readings[0][0]] for spelling, readings in _spellings()["cpu"].items()}
    index.update({names.normalise(one.name): one for one in cpus()})
    return index


@cache
def _cpu_tokens() -> dict[str, tuple[CPU, ...]]:
    """Model token ("6438y+", "e2386g") -> CPUs that carry it."""
    index: dict[str, dict[str, CPU]] = {}
    for one in cpus():
        for token in names.cpu_tokens(one.name):
            index.setdefault(token, {})[one.name] = one
    return {token: tuple(found.values()) for token, found in index.items()}


def find_cpu(name: str) -> CPU | None:
    """The CPU behind a provider's spelling ("2x Intel Xeon Gold 6438Y+", "E-2386G"), None if unknown or ambiguous."""
    if found := _cpu_names().get(name) or _cpu_index().get(names.normalise(name)):
        return found
    bare = names.bare_cpu(name)
    if found := _cpu_index().get(names.normalise(bare)):
        return found
    vendor = names.cpu_vendor(name)
    token = names.cpu_token(bare)
    matches = [one for one in _cpu_tokens().get(token, ()) if not vendor or one.vendor == vendor] if token else []
    return matches[0] if len(matches) == 1 else None


def cpu(name: str) -> CPU:
    """The CPU behind a provider's spelling; raises UnknownNameError."""
    if found := find_cpu(name):
        return found
    raise UnknownNameError("CPU", name, names.nearest(name, [one.name for one in cpus()]))


def hardware(
    name: str, *, memory_gib: float | None = None, link: str | None = None
) -> tuple[Literal["gpu"], Chip] | tuple[Literal["cpu"], CPU]:
    """A GPU or a CPU, whichever the spelling means; raises UnknownNameError with candidates of both kinds."""
    if exact := _cpu_names().get(name):
        return "cpu", exact
    found = candidates(name, memory_gib, link, _chip_readings)
    if len(found) == 1:
        return "gpu", _with_memory(found[0], name, memory_gib)
    if not found and (processor := find_cpu(name)):
        return "cpu", processor
    close = tuple(dict.fromkeys(one.name for one in found)) or names.nearest(
        name, [one.name for one in chips()] + [one.name for one in cpus()]
    )
    raise UnknownNameError("hardware", name, close)


# formats


@cache
def _quant_rows() -> tuple[tuple[Quant, tuple[str, ...]], ...]:
    rows = []
    for row in _csv("quants.csv"):
        quant_ = Quant(
            key=row["key"],
            bytes_per_weight=_number(row["bytes_per_weight"]),
            kernel_class=row["kernel_class"],
            bit_class=row["bit_class"],
            engines=tuple(filter(None, row["engines"].split(";"))),
            bits_per_weight_model=_number(row["bits_per_weight_model"]),
            needs_hardware=row["needs_hardware"],
            unquantized_part=row["unquantized_part"],
            quality_note=row["quality_note"],
            source=row["source"],
            source_date=row["source_date"],
        )
        rows.append((quant_, tuple(filter(None, row["aliases"].split(";")))))
    return tuple(rows)


@cache
def _quant_index(cache_formats: bool) -> dict[str, Quant]:
    index: dict[str, Quant] = {}
    for one, aliases in _quant_rows():
        if (one.kernel_class == "kv") == cache_formats:
            for alias in aliases:
                index.setdefault(names.normalise(alias), one)
    for one, _ in _quant_rows():
        if (one.kernel_class == "kv") == cache_formats:
            index[names.normalise(one.key)] = one
    if cache_formats:
        # A class of cache format is one format: what most engines keep at that width.
        for bits, key in (("16bit", "kv_16bit"), ("8bit", "kv_fp8"), ("4bit", "kv_q4_0")):
            index[names.normalise(bits)] = index[names.normalise(key)]
    return index


def quants() -> tuple[Quant, ...]:
    """All weight formats, then all KV-cache formats."""
    rows = [one for one, _ in _quant_rows()]
    return tuple(sorted(rows, key=lambda one: one.kernel_class == "kv"))


def find_quant(name: str) -> Quant | None:
    """The weight format behind a name, None if unknown; `4bit`, `8bit` and `16bit` are classes, not formats."""
    return _quant_index(False).get(names.normalise(name))


def quant(name: str) -> Quant:
    """The weight format behind a name; raises UnknownNameError."""
    if found := find_quant(name):
        return found
    raise UnknownNameError("quantization", name, names.nearest(name, [one.key for one in _quant_index(False).values()]))


def find_kv_quant(name: str) -> Quant | None:
    """The KV-cache format behind a name or class, None if unknown."""
    return _quant_index(True).get(names.normalise(name))


def kv_quant(name: str) -> Quant:
    """The KV-cache format behind a name (`fp8`, `q8_0`) or class (`16bit`); raises UnknownNameError."""
    if found := find_kv_quant(name):
        return found
    raise UnknownNameError(
        "KV-cache format", name, names.nearest(name, [one.key for one in _quant_index(True).values()])
    )


_CPU_WORDS = re.compile(
    r"\b(?:xeon|epyc|ryzen|threadripper|opteron|core|pentium|celeron|atom|cpu|v?cpus|neoverse|graviton\d*|altra|ampereone|axion|cobalt|cortex|kunpeng"
    r"|yitian|grace|arm)\b",
    re.IGNORECASE,
)
_ARM_WORDS = re.compile(
    r"\b(?:neoverse|graviton\d*|altra|ampereone|axion|cobalt|cortex|kunpeng|yitian|grace|arm|aarch64)\b", re.IGNORECASE
)


def unknown_cpu(name: str) -> CPU | None:
    """A CPU without figures for a name that reads like one, so that its class can answer for it; None for other names."""
    if not _CPU_WORDS.search(name) or re.search(r"\bgpu\b", name, re.IGNORECASE):
        return None
    isa = "neon" if _ARM_WORDS.search(name) else "avx2"
    return CPU(name, "", "", "", isa, *(None,) * 10)


# engines and presets


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _supports(rows: list[dict[str, Any]]) -> tuple[Support, ...]:
    return tuple(Support(**_tuples(row)) for row in rows)


@cache
def _engine_index() -> dict[str, Engine]:
    index: dict[str, Engine] = {}
    keys: dict[str, Engine] = {}
    for row in _json("engines.json"):
        aliases = row.pop("aliases")
        one = Engine(
            **{
                **_tuples(row),
                **{name: _supports(row.get(name, ())) for name in ("support", "kv_formats")},
                "versions": tuple(VersionClass(**item) for item in row.get("versions", ())),
            }
        )
        for spelling in (one.name, *aliases):
            index[names.normalise(spelling)] = one
        keys[names.normalise(one.key)] = one
    return {**index, **keys}


@cache
def engines() -> tuple[Engine, ...]:
    """All serving engines, in catalog order."""
    return tuple(dict.fromkeys(_engine_index().values()))


def find_engine(name: str) -> Engine | None:
    """The engine behind a name, None if unknown."""
    return _engine_index().get(names.normalise(name))


def engine(name: str) -> Engine:
    """The engine behind a name ("TensorRT-LLM", "vllm"); raises UnknownNameError."""
    if found := find_engine(name):
        return found
    raise UnknownNameError("engine", name, names.nearest(name, [one.key for one in engines()]))


@cache
def presets() -> tuple[Preset, ...]:
    """All traffic presets, `chat` first."""
    return tuple(Preset(**{**row, "assumed": tuple(row["assumed"])}) for row in _json("presets.json"))


def preset(name: str) -> Preset:
    """The traffic preset of that name; raises UnknownNameError."""
    key = names.normalise(name)
    for one in presets():
        if names.normalise(one.name) == key:
            return one
    raise UnknownNameError("workload", name, names.nearest(name, [one.name for one in presets()]))


# instance families


@cache
def _families() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["provider"], names.normalise(row["family"])): row for row in _csv("instance_cpu.csv")}


def instance_family(provider: str, server: str) -> dict[str, str] | None:
    """The row of instance_cpu.csv for a provider's instance ("aws", "c7g.4xlarge") or family; None if not known."""
    for family in names.instance_families(provider, server):
        if row := _families().get((provider, names.normalise(family))):
            return row
    return None
