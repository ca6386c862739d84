"""Eight worked examples of the serving formula, computed a second time in plain numbers, and near what the first form gave."""

from __future__ import annotations

import math

import numpy as np
import pytest

from models import catalog
from models.build import attention_bytes, gpu_case
from models.constants import constants
from models.devices import device_of, link_of
from models.errors import known
from models.gpu_speed import COMPUTE, ENGINES, LINKS, GpuSpeed
from models.quantize import compute_class
from models.shape import shape_of

EXAMPLES = [
    # id, model, format, chip, GPUs, engine, input, output, sequences, KV bytes, TPOT ms, closed-loop TTFT ms, output tokens/s
    ("E1", "Llama-3.1-8B", "bf16", "H100-80GB-SXM5", 1, "vllm_new", 1024, 1024, 1, 2, 6.88, 58.3, 144.3),
    ("E2", "Llama-3.1-8B", "bf16", "H100-80GB-SXM5", 1, "vllm_new", 1024, 1024, 64, 2, 13.74, 177.6, 4637.8),
    ("E3", "Llama-3.1-70B", "fp8", "H100-80GB-SXM5", 4, "vllm_new", 1024, 1024, 64, 2, 20.72, 347.4, 3075.7),
    ("E4", "DeepSeek-R1", "fp8", "H200-141GB-SXM", 8, "sglang", 1024, 1024, 64, 1, 35.20, 1024.0, 1806.3),
    ("E5", "gpt-oss-120b", "mxfp4", "B200-180GB-SXM", 1, "trt_new", 1024, 1024, 16, 1, 6.65, 98.2, 2379.5),
    ("E6", "Qwen3-30B-A3B", "bf16", "A100-80GB-SXM4", 1, "vllm_new", 2048, 512, 16, 2, 30.88, 253.4, 514.1),
    ("E7", "Llama-3.1-8B", "awq", "L4", 1, "vllm_new", 1024, 256, 8, 2, 37.68, 514.6, 205.4),
    ("E8", "Llama-3.1-70B", "fp8", "MI300X", 2, "vllm_new", 1024, 512, 32, 2, 34.70, 624.4, 911.4),
]


def speed_of(
    model: str, quant: str, chip: str, gpus: int, engine: str, prompt: int, output: int, kv: float
) -> GpuSpeed:
    """One case of the closed form."""
    llm, form, card = catalog.llm(model), catalog.quant(quant), catalog.chip(chip)
    device = device_of(card)
    assert device is not None
    link, link_class, _ = link_of(card)
    return GpuSpeed(
        gpu_case(
            shape_of(llm),
            weight_bytes_each=form.bytes_per_weight,
            attention_bytes_each=attention_bytes(llm, form),
            compute=COMPUTE.index(compute_class(form, card)),
            kv_bytes=kv,
            devices=[device],
            link=link,
            link_class=link_class,
            gpus=gpus,
            data_parallel=False,
            engine=ENGINES.index(engine),
            input_tokens=prompt,
            output_tokens=output,
        ),
        constants().gpu,
    )


def plainly(
    example: tuple[str, str, str, str, int, str, int, int, int, float, float, float, float],
) -> tuple[float, float]:
    """TPOT and closed-loop TTFT in seconds, one scalar line after the other, from the catalog and the constants."""
    _, model, quant, chip, g, engine, prompt, output, n, kv, _, _, _ = example
    k = constants().gpu
    llm, form, card = catalog.llm(model), catalog.quant(quant), catalog.chip(chip)
    shape, device = shape_of(llm), known(device_of(card))
    compute = compute_class(form, card)
    amd, blackwell = card.vendor == "AMD", chip.startswith("B200")
    memory = (
        "gddr" if chip == "L4" else "hbm_ampere" if chip.startswith("A100") else "hbm_blackwell" if blackwell else "hbm"
    )
    read = device.bandwidth * (k["em_amd"] if amd else k[f"em_{memory}"])
    packed = {"bf16": 1.0, "f8": k["em_f8"], "f4": k["em_f4"], "w8": k["em_f8"], "w4": k["em_w4"]}[compute]
    factor = (k["cf_amd"] if amd else k["cf_nvidia_hbm_blackwell"] if blackwell else 1.0) * device.power_room ** k[
        "power"
    ]
    mfu = {"bf16": "mfu_bf", "f8": "mfu_f8", "f4": "mfu_f4", "w8": "mfu_w4", "w4": "mfu_w4"}[compute]
    rate = device.peak[COMPUTE.index(compute)] * k[mfu] * factor
    rate_16 = device.peak_16bit * k["mfu_bf"] * factor
    b, ba = known(form.bytes_per_weight), attention_bytes(llm, form)
    attention_read, attention_rate = (read, rate_16) if ba == 2 else (read * packed, rate)
    dense = shape.dense + shape.shared
    weights = (shape.attention / g + shape.attention_replicated) * ba / attention_read + dense * b / (g * read * packed)
    per_token = 2 * ((shape.attention / g + shape.attention_replicated) / attention_rate + dense / (g * rate))
    four = compute in {"f4", "w4", "w8"}
    expert_read = shape.moe_layers * shape.expert * b / (g * read * packed * k["em_moe_4bit" if four else "em_moe"])
    slow = k["moe_cf_w4" if compute in {"w4", "w8"} else "moe_cf"]
    expert_token = 2 * shape.moe_layers * shape.experts_per_token * shape.expert / (g * rate * slow)

    def gemm(tokens: float) -> float:
        active = (
            shape.experts * (1 - (1 - shape.experts_per_token / max(shape.experts, 1)) ** tokens)
            if shape.experts
            else 0
        )
        return math.hypot(weights, per_token * tokens) + math.hypot(active * expert_read, expert_token * tokens)

    kv_read = device.bandwidth * (k["ekv_amd"] if amd else k["ekv"])
    shards = 1 if llm.mla else min(g, shape.kv_heads)
    context = prompt + output / 2
    token = shape.kv * kv / (shards * kv_read)
    if llm.mla:
        token = max(token, 13.6 * shape.query / (g * rate_16 * k["mla_rate"]))
    cache = token * context + shape.kv_window * kv / (shards * kv_read) * min(context, shape.window)
    link, code, _ = link_of(card)
    kind = LINKS[code]
    reduces = 2 * shape.layers if g > 1 else 0
    reduce = reduces * 2 * (g - 1) / g * shape.hidden * 2 / (link * k[f"lb_{kind}"]) if g > 1 else 0.0
    own = engine if f"router_{engine}" in k else None
    fixed = shape.layers * k[f"layer_{engine}"] + shape.moe_layers * k[f"router_{own}" if own else "router"]
    fixed = (fixed + shape.mla_layers * k[f"mla_{own}" if own else "mla"] + reduces * k[f"ar_us_{kind}"]) * 1e-6
    head, head_token = 2 * shape.head / (g * read), 2 * shape.head / (g * rate_16)
    step = gemm(n) + max(head, n * head_token) + n * (cache + reduce) + fixed + n * k["seq"] * 1e-6
    reach = prompt / 2
    attention = 4 * prompt * (shape.query * reach + shape.query_window * min(reach, shape.window))
    attention *= (1 + k["att_half"] / prompt) / (g * device.peak_16bit * k["mfu_att"] * factor)
    poorly = k["fa2"] if card.compute_capability and card.compute_capability < 9 and engine == "vllm_new" else 1.0
    arriving = max(n - 1, 0) / output
    mixed = shape.layers * k["mixed"] * 1e-6 * poorly
    # None of the examples has more than one chunk of prompts a step.
    assert arriving * prompt < 8192
    shared = k["c_int"] * arriving * (gemm(prompt + n) - gemm(n) + mixed)
    tpot = step + shared + k["c_int"] * arriving * (attention * poorly + reduce * prompt)
    prefill = gemm(prompt) + head + attention + reduce * prompt + fixed
    tokens = k["tok"] * 1e-6 * prompt
    steps = k["wait"]
    if engine == "sglang" and shape.experts:
        steps += k["poll"] * 10 * (3 if blackwell and n >= 16 else 1)
    burst = k["burst_sglang" if engine == "sglang" else "burst"] * n * (prefill + tokens)
    return tpot, k[f"sched_{engine}"] * 1e-3 + tokens + prefill + burst + min(n - 1, 1) * steps * tpot


@pytest.mark.parametrize("example", EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_worked_example(
    example: tuple[str, str, str, str, int, str, int, int, int, float, float, float, float],
) -> None:
    """The arrays give what plain arithmetic gives, and the fit of 2026 stays within the bands of the first one."""
    _, model, quant, chip, gpus, engine, prompt, output, n, kv, tpot_ms, _, _ = example
    speed = speed_of(model, quant, chip, gpus, engine, prompt, output, kv)
    tpot, ttft = plainly(example)
    assert speed.tpot(n).item() == pytest.approx(tpot, rel=1e-9)
    assert speed.ttft_closed(n).item() == pytest.approx(ttft, rel=1e-9)
    assert 0.6 < speed.tpot(n).item() * 1e3 / tpot_ms < 1.6


def test_steps_of_many_sequences_are_those_of_one_by_one() -> None:
    """An array of cases gives what each case gives alone."""
    speed = speed_of("Qwen3-30B-A3B", "bf16", "A100-80GB-SXM4", 1, "vllm_new", 2048, 512, 2)
    n = np.array([1.0, 3.0, 17.0, 200.0])
    together = speed.tpot(n)
    alone = [speed.tpot(one).item() for one in n]
    assert together.tolist() == pytest.approx(alone, rel=1e-12)


def test_parts_of_a_step_sum_to_tpot() -> None:
    """The breakdown leaves nothing out."""
    from models.bound import step_breakdown

    speed = speed_of("DeepSeek-R1", "fp8", "H200-141GB-SXM", 8, "sglang", 1024, 1024, 1)
    for n in (1.0, 16.0, 256.0):
        assert step_breakdown(speed, n).sum(axis=0).item() == pytest.approx(speed.tpot(n).item(), rel=1e-9)
