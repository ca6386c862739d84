"""llama.cpp on CPUs: steps, prompts and batches."""

from __future__ import annotations

import numpy as np
import pytest

from models import catalog
from models.build import GgufModel
from models.constants import constants
from models.cpu_rates import cpu_rates
from models.cpu_speed import CpuCase, CpuSpeed


def _speed(
    model: str = "Llama-3.1-8B",
    quant: str = "q4_k_m",
    cpu: str = "AMD EPYC 9554",
    cores: float = 64,
    tokens: float = 512,
) -> CpuSpeed:
    rates = cpu_rates(catalog.cpu(cpu), cores=cores)
    assert rates is not None
    file = GgufModel(catalog.llm(model), catalog.quant(quant))
    return CpuSpeed(
        CpuCase(
            layers=file.layers,
            stream_dense=file.dense,
            stream_routed=file.routed,
            experts=file.experts,
            experts_per_token=file.per_token,
            active=file.active,
            active_layers=file.active_layers,
            query=file.query,
            kv_bytes_per_token=file.kv_elements * 2,
            state_bytes=file.state_bytes,
            moe=file.moe > 0,
            cores=rates.cores,
            rate=rates.stream,
            prefill_rate=rates.prefill,
            decode_rate=rates.decode,
            input_tokens=tokens,
            output_tokens=128.0,
            sync=rates.sync,
        ),
        constants().cpu,
    )


def test_a_step_lies_between_the_longer_of_reading_and_multiplying_and_their_sum() -> None:
    """The cores overlap the two in part."""
    speed = _speed()
    for n in (1.0, 4.0, 16.0):
        work = speed.step(n) - n * speed.kv_per_sequence - speed.overhead
        read, compute = speed.stream(n), n * speed.decode_compute
        assert max(read, compute) < work < read + compute


def test_batches_share_the_reading() -> None:
    """Four sequences take less than four times as long, and more than one."""
    speed = _speed()
    assert speed.step(1.0) < speed.step(4.0) < 4 * speed.step(1.0)


def test_a_prompt_pass_of_a_large_mixture_reads_all_its_experts() -> None:
    """A short prompt costs at least the reading of the experts it meets."""
    speed = _speed("Qwen3-235B-A22B", tokens=64)
    assert speed.prefill() > speed.stream(64)


def test_twice_the_prompt_takes_about_twice_as_long() -> None:
    """A little more: attention grows with the context."""
    ratio = float(_speed(tokens=4096).prefill() / _speed(tokens=2048).prefill())
    assert 1.95 < ratio < 2.5


def test_many_prompts_keep_more_cores_busy() -> None:
    """Ten processes with a prompt each finish before one process with ten."""
    speed = _speed()
    assert 10 / constants().cpu["pf_many"] * speed.prefill() < speed.prefill(10.0) < 10 * speed.prefill()


def test_without_waiting_stated_an_x86_servers_is_taken() -> None:
    """Callers that know no rates record still get a floor a layer."""
    k = constants().cpu
    case = CpuCase(32.0, 4e9, 0.0, 1.0, 1.0, 8e9, 7e9, 1e5, 1e5, 0.0, False, 16.0, 1e11, 1e12, 1e12, 128.0, 128.0)
    assert CpuSpeed(case, k).overhead == pytest.approx(32 * (k["sync0_intel"] + 16 * k["sync1"]) * 1e-6)


@pytest.mark.parametrize("model", ["Llama-3.1-8B", "Llama-3.3-70B-Instruct"])
def test_more_cores_are_not_slower_for_models_that_are_served(model: str) -> None:
    """Waiting threads grow with the cores, but less than streaming gains, up to half a socket."""
    steps = np.array([float(_speed(model, cores=cores).step(1.0)) for cores in (4, 8, 16, 24, 32)])
    assert (np.diff(steps) < 0).all()
