"""The memory of an estimate as terms: weights, KV cache, what the engine takes, against what the cards offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models import memory
from models.devices import device_of
from models.engine_limits import planner_of
from models.errors import known
from models.gpu_speed import CHIPS
from models.layout import kv_bytes
from models.quantize import weight_bytes
from models.shape import shape_of
from models.terms import Factor, Sum, Term

if TYPE_CHECKING:
    from models.engine_choice import Choice
    from models.layout import Layouts
    from models.server import Server
    from models.solve import Solved
    from models.traffic import Workload

GIB = memory.GIB


def memory_sum(workload: Workload, server: Server, choice: Choice, layouts: Layouts, solved: Solved) -> Sum:
    """Bytes that one server needs: weights, cache of the running sequences, what the engine takes."""
    at = int(solved.pick[0])
    devices = float(layouts.devices[at] * solved.replicas[0])
    sequences = max(float(solved.load.sequences[0]), 1.0)
    total, pool, weights = (float(values[at]) for values in (layouts.total, layouts.pool, layouts.weights_each))
    cache = sequences * float(layouts.each[at]) * devices * GIB
    terms = (
        _weights(workload, choice, weights * devices * GIB, float(solved.replicas[0])),
        _cache(workload, choice, cache, sequences * float(solved.replicas[0])),
        Term("overhead", (total - pool - weights) * devices * GIB,
             parts=_overhead(workload, server, choice, layouts, at, devices), joined="sum"),
    )  # fmt: skip
    return Sum("memory", sum(term.value for term in terms), terms)


def _weights(workload: Workload, choice: Choice, value: float, replicas: float) -> Term:
    """Parameters x average bits / 8; the average holds scales and the parts that stay in 16 bits."""
    llm, quant = workload.model, known(choice.quant)
    shape = shape_of(llm)
    sizes = weight_bytes(llm, quant, gguf=choice.gguf)
    count = shape.text if choice.gguf else shape.total
    over = [Factor(count, "billion", "weights"), Factor(value / replicas / count * 8, "bits")]
    if replicas > 1:
        over.append(Factor(replicas, "count", "replicas"))
    kept = (
        f"; {sizes.per_head_weight * 8:.3g} bits in the output head"
        if sizes.per_head_weight != sizes.per_weight
        else ""
    )
    return Term(
        "weights", value, tuple(over), (Factor(8.0, "count"),), note=f"{quant.key}: {sizes.per_weight * 8:.4g} bits a weight{kept}"
    )  # fmt: skip


def _cache(workload: Workload, choice: Choice, value: float, sequences: float) -> Term:
    """2 x layers x KV heads x head size x bytes x tokens x sequences, where the model keeps a plain cache."""
    llm, size = workload.model, kv_bytes(workload, choice)
    tokens = workload.input_tokens + workload.output_tokens
    kept = float(np.ceil(tokens / memory.BLOCK_TOKENS)) * memory.BLOCK_TOKENS
    each = value / sequences
    plain = 2 * llm.layers * llm.kv_heads * llm.head_dim
    copies = each / (plain * size * kept) if plain else 0.0
    blocks = f"{tokens:,} tokens in blocks of {memory.BLOCK_TOKENS}"
    if plain and llm.kv_elements_full == plain and abs(copies - round(copies)) < 1e-6 and copies:
        names = ((2.0, "keys and values"), (llm.layers, "layers"), (llm.kv_heads, "KV heads"), (llm.head_dim, "wide"))
        over = [Factor(float(count), "count", label) for count, label in names]
        over += [Factor(size, "bytes"), Factor(kept, "count", "tokens")]
        if round(copies) > 1:
            over.append(Factor(round(copies), "count", "copies"))
        note = blocks
    else:
        over = [Factor(each, "bytes", "a sequence")]
        kind = "one latent" if llm.mla else "windows" if llm.sliding_window else "states" if llm.linear else "copies"
        note = f"{llm.kv_elements_full + llm.kv_elements_sliding:,} elements a token, with {kind}; {blocks}"
    return Term("KV cache", value, (*over, Factor(sequences, "count", "sequences")), note=note)


def _overhead(
    workload: Workload, server: Server, choice: Choice, layouts: Layouts, at: int, devices: float
) -> tuple[Term, ...]:
    """What the engine takes beside weights and cache, by its own planner."""
    scale = devices * GIB
    if server.kind == "cpu":
        parts = [("compute buffers", memory.CPU_COMPUTE_GIB), ("operating system", memory.OS_RESERVE_GIB)]
    elif choice.gguf:
        parts = [("compute buffer, driver", memory.GGUF_COMPUTE_GIB)]
    else:
        planner = planner_of(choice.engine)
        if planner.kind != "vllm":
            return ()
        chip = known(server.chip)
        device = known(device_of(chip))
        nominal = server.vram_gib_per_gpu or device.memory_gib
        cards = memory.Cards(nominal, layouts.total[at], device.chip == CHIPS.index("amd"), device.small_chunk)
        tp = float(layouts.tp[at])
        parts = [
            (
                "left free",
                float(layouts.total[at]) * (1 - planner.utilization),
            ),
            ("activations", float(memory.activation_gib(workload.model, cards, planner, tp))),
            ("driver, NCCL", float(memory.non_torch_gib(cards, planner, tp))),
            ("CUDA graphs", float(memory.graph_gib(workload.model, cards, planner))),
        ]
    return tuple(Term(name, gib * scale) for name, gib in parts if gib)
