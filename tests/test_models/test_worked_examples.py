"""The eight worked examples of the serving formula: an independent program got the same figures from its text."""

from __future__ import annotations

import numpy as np
import pytest

from models import catalog
from models.build import attention_bytes, gpu_case
from models.constants import constants
from models.devices import device_of, link_of
from models.gpu_speed import COMPUTE, ENGINES, GpuSpeed
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


@pytest.mark.parametrize("example", EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_worked_example(
    example: tuple[str, str, str, str, int, str, int, int, int, float, float, float, float],
) -> None:
    """TPOT, closed-loop TTFT and throughput within 0.1 %, or the last printed digit where that is coarser."""
    _, model, quant, chip, gpus, engine, prompt, output, n, kv, tpot_ms, ttft_ms, rate = example
    speed = speed_of(model, quant, chip, gpus, engine, prompt, output, kv)
    tpot = speed.tpot(n).item()
    cycle = (speed.schedule + speed.prefill()).item() + output * tpot
    assert tpot * 1e3 == pytest.approx(tpot_ms, rel=1e-3)
    assert speed.ttft_closed(n).item() * 1e3 == pytest.approx(ttft_ms, rel=1e-3)
    assert n * output / cycle == pytest.approx(rate, rel=1e-3)


def test_steps_of_many_sequences_are_those_of_one_by_one() -> None:
    """An array of cases gives what each case gives alone."""
    speed = speed_of("Qwen3-30B-A3B", "bf16", "A100-80GB-SXM4", 1, "vllm_new", 2048, 512, 2)
    n = np.array([1.0, 3.0, 17.0, 200.0])
    together = speed.tpot(n)
    alone = [speed.tpot(one).item() for one in n]
    assert together.tolist() == pytest.approx(alone, rel=1e-12)


def test_parts_of_a_step_sum_to_tpot() -> None:
    """The breakdown leaves nothing out."""
    from models.bound import step_parts

    speed = speed_of("DeepSeek-R1", "fp8", "H200-141GB-SXM", 8, "sglang", 1024, 1024, 1)
    for n in (1.0, 16.0, 256.0):
        assert step_parts(speed, n).sum(axis=0).item() == pytest.approx(speed.tpot(n).item(), rel=1e-9)
