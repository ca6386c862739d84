"""What every row of the bundled catalogs must satisfy; used by the tests, never while the program runs."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

COLLECTED = date(2026, 11, 30)
"""The day the catalogs were collected: no source can be younger."""


def _not_future(text: str) -> str:
    if not re.fullmatch(r"\d{4}(-\d{2}(-\d{2})?)?", text):
        raise ValueError(f"{text!r} is no date")
    if text > COLLECTED.isoformat():
        raise ValueError(f"{text} lies after the day of collection")
    return text


def _empty_is_none(value: object) -> object:
    return None if value == "" else value


EMPTY = BeforeValidator(_empty_is_none)
Day = Annotated[str, AfterValidator(_not_future)]
Count = Annotated[int, Field(gt=0, le=10_000_000)]
MaybeCount = Annotated[Annotated[int, Field(gt=0, le=10_000_000)] | None, EMPTY]
MaybeRate = Annotated[Annotated[float, Field(gt=0, le=200_000)] | None, EMPTY]


class Row(BaseModel):
    """A catalog row: no unknown field, a source and its date."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field(min_length=3)
    source_date: Day


class MLARow(BaseModel):
    """Latent attention of a model row."""

    model_config = ConfigDict(extra="forbid")

    kv_lora_rank: Count
    q_lora_rank: int | None
    qk_rope_head_dim: Count
    qk_nope_head_dim: Count
    v_head_dim: Count
    index_n_heads: int | None = None
    index_head_dim: int | None = None


class MoERow(BaseModel):
    """Experts of a model row."""

    model_config = ConfigDict(extra="forbid")

    experts: int = Field(ge=2, le=4096)
    experts_per_token: int = Field(ge=1, le=64)
    moe_ffn: Count
    shared_experts: int = Field(default=0, ge=0)
    shared_ffn: int | None = None
    latent: int | None = None

    @model_validator(mode="after")
    def _fewer_than_all(self) -> MoERow:
        if self.experts_per_token > self.experts:
            raise ValueError("a token uses more experts than there are")
        if bool(self.shared_experts) != bool(self.shared_ffn):
            raise ValueError("shared experts without their width, or the other way round")
        return self


Mixer = Literal["full", "sliding", "linear", "parallel", "none"]
FeedForward = Literal["dense", "moe", "moe+dense", "none"]


class LLMRow(Row):
    """One model of llms.json."""

    name: str = Field(min_length=2)
    hf_id: str | None
    family: str = Field(min_length=2)
    params_total: int = Field(gt=10_000_000, lt=5_000_000_000_000)
    params_extra: int = Field(ge=0)
    params_mtp: int = Field(default=0, ge=0)
    params_active: int | None = Field(gt=0)
    layers: int = Field(gt=0, le=512)
    hidden: int = Field(gt=0, le=65_536)
    heads: int = Field(gt=0, le=1024)
    kv_heads: int = Field(gt=0, le=1024)
    head_dim: int = Field(gt=0, le=1024)
    ffn: int = Field(ge=0, le=1_000_000)
    vocab: int = Field(gt=1000, le=1_000_000)
    tie_embeddings: bool
    max_context: int = Field(ge=128, le=100_000_000)
    attention_kind: Literal["gqa", "mha", "mla"]
    layer_groups: list[tuple[Mixer, FeedForward, Count]] = Field(min_length=1)
    sliding_window: int | None = None
    mla: MLARow | None = None
    linear: dict[str, str | int] | None = None
    moe: MoERow | None = None
    mlp_gated: bool = True
    out_gate: bool = False
    kv_cache: bool = True
    kv_shared_full: int = Field(default=0, ge=0)
    kv_shared_sliding: int = Field(default=0, ge=0)
    global_head_dim: int | None = None
    global_kv_heads: int | None = None
    k_eq_v: bool = False
    kv_elements_full: int = Field(ge=0)
    kv_elements_sliding: int = Field(default=0, ge=0)
    state_bytes_per_sequence: int = Field(default=0, ge=0)
    native_dtype: Literal["bf16", "fp16", "fp8", "mxfp4", "int4"]
    license: str | None = None
    release_date: Day | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> LLMRow:
        if sum(count for _, _, count in self.layer_groups) != self.layers:
            raise ValueError("the layer groups do not add up to the layers")
        if self.heads % self.kv_heads:
            raise ValueError("query heads are no multiple of KV heads")
        if (self.attention_kind == "mla") != (self.mla is not None):
            raise ValueError("latent attention without its sizes, or the other way round")
        if (self.moe is not None) != any("moe" in feed for _, feed, _ in self.layer_groups):
            raise ValueError("experts without layers that have them, or the other way round")
        if bool(self.sliding_window) != any(mixer == "sliding" for mixer, _, _ in self.layer_groups):
            raise ValueError("a window without sliding layers, or the other way round")
        if self.params_extra >= self.params_total:
            raise ValueError("more parameters set aside than there are")
        return self


class ChipRow(Row):
    """One accelerator of accelerators.csv."""

    name: str = Field(min_length=2)
    vendor: Literal["NVIDIA", "AMD", "Intel", "Apple", "Google", "AWS", "Huawei", "Qualcomm"]
    arch: str
    compute_capability: Annotated[Annotated[float, Field(ge=3, le=15)] | None, EMPTY]
    memory_gib: Annotated[Annotated[float, Field(ge=1, le=2048)] | None, EMPTY]
    memory_type: str
    memory_bandwidth_gb_s: Annotated[Annotated[float, Field(ge=20, le=30_000)] | None, EMPTY]
    fp32_tflops: MaybeRate
    fp16_tflops: MaybeRate
    bf16_tflops: MaybeRate
    fp8_tflops: MaybeRate
    int8_tops: MaybeRate
    fp4_tflops: MaybeRate
    interconnect: str
    link_gb_s: Annotated[Annotated[float, Field(ge=1, le=10_000)] | None, EMPTY]
    pcie_gb_s: Annotated[Annotated[float, Field(ge=1, le=256)] | None, EMPTY]
    pcie_gen: Annotated[Annotated[float, Field(ge=1, le=7)] | None, EMPTY]
    usable_gib: Annotated[Annotated[float, Field(gt=0)] | None, EMPTY]
    tdp_w: Annotated[Annotated[float, Field(gt=0, le=3000)] | None, EMPTY]
    unit: str = Field(min_length=3)
    launch_year: Annotated[Annotated[int, Field(ge=2010, le=2026)] | None, EMPTY]
    note: str
    unverified: str

    @model_validator(mode="after")
    def _holds_together(self) -> ChipRow:
        if (
            self.usable_gib
            and self.memory_gib
            and not 0.85 * self.memory_gib <= self.usable_gib <= 1.02 * self.memory_gib
        ):
            raise ValueError("usable memory is not a little below the nominal one")
        # Dense rates double with every halving of the number format; four times as much means a sparse figure.
        if self.bf16_tflops and self.fp8_tflops and not 0.9 <= self.fp8_tflops / self.bf16_tflops <= 2.6:
            raise ValueError("the fp8 peak is no dense figure beside the bf16 peak")
        unknown = set(filter(None, self.unverified.split(";"))) - set(type(self).model_fields)
        if unknown:
            raise ValueError(f"unverified names no field: {unknown}")
        return self


class CPURow(Row):
    """One CPU of cpus.csv."""

    name: str = Field(min_length=3)
    vendor: str = Field(min_length=2)
    codename: str
    microarchitecture: str
    isa_class: Literal["avx2", "avx512", "amx", "neon", "sve", "pre_avx2", ""]
    cores: Annotated[Annotated[int, Field(gt=0, le=512)] | None, EMPTY]
    threads: Annotated[Annotated[int, Field(gt=0, le=1024)] | None, EMPTY]
    all_core_ghz: Annotated[Annotated[float, Field(ge=0.5, le=6.5)] | None, EMPTY]
    memory_channels: Annotated[Annotated[int, Field(ge=1, le=64)] | None, EMPTY]
    memory_mts: Annotated[Annotated[float, Field(ge=800, le=13_000)] | None, EMPTY]
    peak_bandwidth_gb_s: Annotated[Annotated[float, Field(ge=10, le=2000)] | None, EMPTY]
    measured_read_gb_s: Annotated[Annotated[float, Field(ge=1, le=2000)] | None, EMPTY]
    max_sockets: Annotated[Annotated[int, Field(ge=1, le=8)] | None, EMPTY]
    pcie_gen: Annotated[Annotated[float, Field(ge=1, le=7)] | None, EMPTY]
    pcie_lanes: MaybeCount
    simd: str
    launch: str
    assumed: str

    @model_validator(mode="after")
    def _threads(self) -> CPURow:
        if self.cores and self.threads and not self.cores <= self.threads <= 4 * self.cores:
            raise ValueError("threads do not fit the cores")
        return self


class QuantRow(Row):
    """One number format of quants.csv."""

    key: str = Field(min_length=2)
    aliases: str
    bytes_per_weight: Annotated[Annotated[float, Field(ge=0.15, le=4)] | None, EMPTY]
    kernel_class: Literal["bf16", "f8", "w8", "w4", "f4", "gguf", "kv"]
    bit_class: Literal["16bit", "8bit", "6bit", "5bit", "4bit", "3bit", "2bit"]
    engines: str = Field(min_length=2)
    bits_per_weight_model: Annotated[Annotated[float, Field(ge=1, le=32)] | None, EMPTY]
    needs_hardware: str
    unquantized_part: str
    quality_note: str


class SupportRow(Row):
    """Formats an engine has kernels for on a kind of chip."""

    vendors: list[Literal["NVIDIA", "AMD", "Intel", "Apple", "CPU"]] = Field(min_length=1)
    archs: list[str] = []
    cc_from: float | None = Field(default=None, ge=5, le=15)
    cc_below: float | None = Field(default=None, ge=5, le=15)
    formats: list[str] = Field(min_length=1)
    how: str = ""


class VersionRow(Row):
    """A release that changed an engine's behaviour."""

    start: str = Field(min_length=1)
    since: Day
    changes: str = Field(min_length=10)


class EngineRow(Row):
    """One engine of engines.json."""

    key: str = Field(min_length=2)
    name: str = Field(min_length=2)
    kinds: list[Literal["cpu", "gpu"]] = Field(min_length=1)
    vendors: list[str]
    min_compute_capability: float | None
    memory_utilization: float = Field(ge=0.5, le=1)
    max_sequences: Count
    max_sequences_large: Count | None = None
    constants: str | None = None
    tuning: Literal["default", "tuned"] = "default"
    chunk_tokens: Count | None = None
    chunk_tokens_large: Count | None = None
    cuda_graphs: bool | None = None
    support: list[SupportRow] = []
    kv_formats: list[SupportRow] = []
    versions: list[VersionRow] = []
    aliases: list[str]


class PresetRow(Row):
    """One traffic profile of presets.json."""

    name: str = Field(min_length=3)
    title: str = Field(min_length=3)
    input_tokens: Count
    output_tokens: Count
    ttft_ms: float | None = Field(gt=0)
    tpot_ms: float | None = Field(gt=0)
    prefix_hit: float = Field(ge=0, lt=1)
    requests_per_s: float = Field(gt=0)
    assumed: list[Literal["input_tokens", "output_tokens", "ttft_ms", "tpot_ms", "prefix_hit", "requests_per_s"]]
    ttft_at: Literal["mean", "p95"] = "mean"


class InstanceRow(Row):
    """One instance family of instance_cpu.csv."""

    provider: str = Field(pattern=r"^[a-z]+$")
    family: str = Field(min_length=1)
    cpu_model: str = Field(min_length=1)
    max_sockets: MaybeCount
    cores_per_socket: MaybeCount
    vcpu_per_core: Annotated[Annotated[float, Field(ge=0.5, le=8)] | None, EMPTY]
    memory_channels: MaybeCount
    memory_mts: MaybeRate
    measured_cpu: str
    measured_read_gb_s: Annotated[Annotated[float, Field(gt=0, le=5000)] | None, EMPTY]
    measured_at_vcpus: MaybeCount
    confidence: str = Field(min_length=3)


class AliasRow(BaseModel):
    """One spelling of hardware_aliases.csv; memory in GiB and link decide where a spelling has several readings."""

    model_config = ConfigDict(extra="forbid")

    raw: str = Field(min_length=1)
    kind: Literal["gpu", "cpu"]
    key: str = Field(min_length=2)
    memory_gib: Annotated[Annotated[float, Field(gt=0, le=2048)] | None, EMPTY]
    link: Literal["", "pcie", "sxm", "nvl"]


class ModelAliasRow(BaseModel):
    """One spelling of model_aliases.csv."""

    model_config = ConfigDict(extra="forbid")

    raw: str = Field(min_length=2)
    key: str = Field(min_length=2)
    quant_in_name: str
