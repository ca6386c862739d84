"""From models, formats and chips to the arrays the speed formulas take."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.gguf_speed import ENGINES as GGUF_ENGINES
from models.gguf_speed import GgufCase
from models.gpu_speed import COMPUTE, GpuCase
from models.quantize import WeightBytes, native_mxfp4, weight_bytes
from models.shape import Shape, shape_of

if TYPE_CHECKING:
    from models.devices import Device
    from models.llm import LLM
    from models.quant import Quant

Array = NDArray[np.float64]
Case = TypeVar("Case", GpuCase, GgufCase)

OUTPUT_HEAD_BYTES = 8.5 / 8
"""llama.cpp streams the output head at most at this many bytes a weight."""


class Picked(Sequence[Any]):
    """A sequence in which few records repeat: the distinct ones, and which of them stands where."""

    def __init__(self, records: Sequence[Any], which: NDArray[np.intp]) -> None:
        self.records, self.which = records, which

    def __len__(self) -> int:
        return len(self.which)

    def __getitem__(self, at: Any) -> Any:
        return self.records[int(self.which[at])]


def column(items: Sequence[Any], name: str) -> Array:
    """One attribute of many records as a float array; of a tuple-valued one, a row a record."""
    if isinstance(items, Picked):
        return column(items.records, name)[items.which]
    return np.array([getattr(item, name) for item in items], dtype=np.float64)


def cut(case: Case, index: NDArray[np.intp]) -> Case:
    """The case with its arrays cut to some entries; numbers stay."""
    arrays = {item.name: getattr(case, item.name) for item in dataclasses.fields(case)}
    some: dict[str, Any] = {
        name: value[index] for name, value in arrays.items() if isinstance(value, np.ndarray) and value.ndim
    }
    return dataclasses.replace(case, **some)


def attention_bytes(llm: LLM, quant: Quant) -> float:
    """Bytes of an attention weight: the format's, but 16 bits where only experts are quantized (gpt-oss)."""
    if native_mxfp4(llm) and quant.bit_class == "4bit":
        return 2.0
    return quant.bytes_per_weight or 2.0


def gpu_case(  # noqa: PLR0913 - the facts of one case, by name
    shapes: Shape | Sequence[Shape],
    *,
    weight_bytes_each: Any,
    attention_bytes_each: Any,
    compute: Any,
    kv_bytes: Any,
    devices: Sequence[Device],
    link: Any,
    link_class: Any,
    gpus: Any,
    data_parallel: Any,
    engine: Any,
    own: tuple[Sequence[str], Any] = (("",), 0),
    input_tokens: Any,
    output_tokens: Any,
    fresh_tokens: Any = None,
) -> GpuCase:
    """Arrays for `GpuSpeed`; `shapes` is one model for all cases or one a case, `devices` one a case."""

    def model(name: str) -> Any:
        return float(getattr(shapes, name)) if isinstance(shapes, Shape) else column(shapes, name)

    compute = np.asarray(compute, dtype=np.intp)
    peaks = column(devices, "peak").reshape(-1, len(COMPUTE))
    slow = column(devices, "slowdown")
    return GpuCase(
        layers=model("layers"),
        hidden=model("hidden"),
        kv_heads=model("kv_heads"),
        attention=model("attention"),
        attention_replicated=model("attention_replicated"),
        dense=model("dense") + model("shared"),
        moe_layers=model("moe_layers"),
        experts=model("experts"),
        experts_per_token=model("experts_per_token"),
        expert=model("expert"),
        head=model("head"),
        kv=model("kv"),
        kv_window=model("kv_window"),
        window=model("window"),
        state=model("state"),
        query=model("query"),
        query_window=model("query_window"),
        mla_layers=model("mla_layers"),
        linear_layers=model("linear_layers"),
        sparse_layers=model("sparse_layers"),
        weight_bytes=weight_bytes_each,
        attention_bytes=attention_bytes_each,
        compute=compute,
        kv_bytes=kv_bytes,
        bandwidth=column(devices, "bandwidth") / slow,
        peak_16bit=column(devices, "peak_16bit") / slow,
        peak_compute=np.take_along_axis(peaks, np.broadcast_to(compute, (len(devices),))[:, None], axis=1)[:, 0] / slow,
        chip=column(devices, "chip").astype(np.intp),
        link=link,
        link_class=link_class,
        memory_class=column(devices, "memory_class").astype(np.intp),
        before_hopper=column(devices, "before_hopper") > 0,
        power_room=column(devices, "power_room"),
        own_code=own[1],
        own_names=tuple(own[0]),
        gpus=gpus,
        data_parallel=data_parallel,
        engine=engine,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        fresh_tokens=fresh_tokens,
    )


class GgufModel:
    """What llama.cpp streams and computes for one model file."""

    def __init__(self, llm: LLM, quant: Quant) -> None:
        shape = shape_of(llm)
        sizes: WeightBytes = weight_bytes(llm, quant, gguf=True)
        per_weight = sizes.per_weight
        body = shape.text - shape.head - shape.embedding - shape.routed
        self.shape = shape
        self.per_weight = per_weight
        self.total_bytes = sizes.total
        self.host_bytes = sizes.host
        self.routed = shape.routed * per_weight
        self.dense = max(body, 0.0) * per_weight + shape.head * min(sizes.per_head_weight, OUTPUT_HEAD_BYTES)
        self.active = shape.active
        self.active_layers = shape.active - shape.head
        self.query = shape.query + shape.query_window
        self.kv_elements = shape.kv + shape.kv_window
        self.state_bytes = shape.state * 2
        self.experts = float(shape.experts)
        self.per_token = float(shape.experts_per_token)
        self.layers = float(shape.layers)
        self.moe = float(shape.is_moe)
        self.sixteen = float(per_weight >= 2.0)


def gguf_case(
    models: GgufModel | Sequence[GgufModel],
    *,
    kv_bytes: Any,
    devices: Sequence[Device],
    gpus: Any,
    input_tokens: Any,
    output_tokens: Any,
    fresh_tokens: Any = None,
    engine: str | Sequence[str] = "llama.cpp",
) -> GgufCase:
    """Arrays for `GgufSpeed`; `models` is one file for all cases or one a case, `engine` one of gguf_speed.ENGINES (others: the first)."""

    def model(name: str) -> Any:
        return float(getattr(models, name)) if isinstance(models, GgufModel) else column(models, name)

    names = [engine] if isinstance(engine, str) else engine
    index = np.array([GGUF_ENGINES.index(name) if name in GGUF_ENGINES else 0 for name in names], dtype=np.intp)
    return GgufCase(
        layers=model("layers"),
        stream_dense=model("dense"),
        stream_routed=model("routed"),
        experts=model("experts"),
        experts_per_token=model("per_token"),
        active=model("active"),
        active_layers=model("active_layers"),
        query=model("query"),
        kv_bytes_per_token=model("kv_elements") * kv_bytes,
        state_bytes=model("state_bytes"),
        sixteen_bit=np.asarray(model("sixteen")) > 0,
        bandwidth=column(devices, "bandwidth"),
        peak=column(devices, "gguf_peak"),
        memory=column(devices, "memory").astype(np.intp),
        gpus=gpus,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        fresh_tokens=fresh_tokens,
        lanes=column(devices, "lanes"),
        kind=column(devices, "gguf_kind").astype(np.intp),
        weight_bytes=model("per_weight"),
        graphs=column(devices, "graphs") > 0,
        clock_ghz=column(devices, "clock_ghz"),
        lanes_per_watt=column(devices, "lanes_per_watt"),
        ecc=column(devices, "ecc") > 0,
        engine=index[0] if isinstance(engine, str) else index,
    )
