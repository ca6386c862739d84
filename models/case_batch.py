"""Cases of one kind as arrays: speed formulas for any constants, and the figures each scenario measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.build import GgufModel, attention_bytes, column, cut, gguf_case, gpu_case
from models.cpu_speed import CpuCase, CpuSpeed
from models.devices import link_of
from models.engine_limits import max_sequences
from models.errors import known
from models.gguf_speed import GgufCase, GgufSpeed
from models.gpu_speed import COMPUTE, ENGINES, GpuSpeed, own_name
from models.local_score import generation, is_local_score, mean_rates
from models.quantize import compute_class
from models.serving import open_loop
from models.shape import shape_of
from models.tail import ttft_p95

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from models.case_input import Case
    from models.case_room import CaseRoom
    from models.constants import Constants
    from models.cpu_rates import CpuRates
    from models.devices import Device
    from models.gpu_speed import GpuCase
    from models.streaming import StreamSpeed

Array = NDArray[np.float64]

_STATIC_START_S = 0.002
_TAIL_FROM = 100
_SHARE_GPT_TOKENS = 300
_BURST_FROM = 500
"""One burst of at least `_TAIL_FROM` prompts with ShareGPT-like lengths (below `_SHARE_GPT_TOKENS`) has a tail of long answers; so has one
that exceeds the room, or of `_BURST_FROM` prompts: benchmarks send those at once. Equal lengths end together: half the tail."""


def _gguf_models(cases: Sequence[Case]) -> list[GgufModel]:
    cache: dict[tuple[int, int], GgufModel] = {}
    models = []
    for case in cases:
        key = (id(case.llm), id(case.quant))
        if key not in cache:
            cache[key] = GgufModel(known(case.llm), known(case.quant))
        models.append(cache[key])
    return models


def _serving_case(cases: Sequence[Case], devices: Sequence[Device]) -> GpuCase:
    shapes = [shape_of(known(case.llm)) for case in cases]
    links = [link_of(known(case.chip)) for case in cases]
    own = [own_name(case.engine, known(case.llm).name, known(case.quant).bit_class) for case in cases]
    place = {name: i for i, name in enumerate(dict.fromkeys(own))}
    found = gpu_case(
        shapes,
        weight_bytes_each=np.array([known(case.quant).bytes_per_weight or 2.0 for case in cases]),
        attention_bytes_each=np.array([attention_bytes(known(case.llm), known(case.quant)) for case in cases]),
        compute=[COMPUTE.index(compute_class(known(case.quant), known(case.chip))) for case in cases],
        kv_bytes=np.array([case.kv_bytes for case in cases]),
        devices=devices,
        link=np.array([link[0] for link in links]),
        link_class=np.array([link[1] for link in links]),
        gpus=np.array([case.tp for case in cases], dtype=float),
        data_parallel=np.array([case.data_parallel for case in cases]),
        engine=np.array([ENGINES.index(case.engine) for case in cases]),
        own=(list(place), np.array([place[name] for name in own], dtype=np.intp)),
        input_tokens=np.array([case.input_tokens for case in cases]),
        output_tokens=np.array([case.output_tokens for case in cases]),
    )
    share = _share(cases)
    found.bandwidth, found.peak_16bit = found.bandwidth * share, found.peak_16bit * share
    found.peak_compute = found.peak_compute * share
    return found


def _share(cases: Sequence[Case]) -> Array:
    """A slice of a card has its share of bandwidth and arithmetic."""
    return np.minimum(np.array([case.count for case in cases], dtype=np.float64), 1.0)


def _gguf_case(cases: Sequence[Case], devices: Sequence[Device]) -> GgufCase:
    found = gguf_case(
        _gguf_models(cases),
        kv_bytes=np.array([case.kv_bytes for case in cases]),
        devices=devices,
        gpus=np.maximum(np.array([case.count for case in cases]), 1.0),
        input_tokens=np.array([case.input_tokens for case in cases]),
        output_tokens=np.array([case.output_tokens for case in cases]),
        engine=[generation(case) for case in cases],
    )
    share = _share(cases)
    found.bandwidth, found.peak, found.lanes = found.bandwidth * share, found.peak * share, found.lanes * share
    return found


def _cpu_case(cases: Sequence[Case], rates: Sequence[CpuRates]) -> CpuCase:
    models = _gguf_models(cases)
    return CpuCase(
        layers=column(models, "layers"),
        stream_dense=column(models, "dense"),
        stream_routed=column(models, "routed"),
        experts=column(models, "experts"),
        experts_per_token=column(models, "per_token"),
        active=column(models, "active"),
        active_layers=column(models, "active_layers"),
        query=column(models, "query"),
        kv_bytes_per_token=column(models, "kv_elements") * np.array([case.kv_bytes for case in cases]),
        state_bytes=column(models, "state_bytes"),
        moe=column(models, "moe") > 0,
        cores=column(rates, "cores"),
        rate=column(rates, "stream"),
        prefill_rate=column(rates, "prefill"),
        decode_rate=column(rates, "decode"),
        sync=column(rates, "sync"),
        input_tokens=np.array([case.input_tokens for case in cases]),
        output_tokens=np.array([case.output_tokens for case in cases]),
    )


class Batch:
    """Cases that one set of formulas answers: serving engines on GPUs, llama.cpp on GPUs, or CPUs."""

    def __init__(
        self,
        kind: str,
        cases: Sequence[Case],
        rooms: Sequence[CaseRoom],
        devices: Sequence[Device],
        rates: Sequence[CpuRates],
    ) -> None:
        """`devices` belong to the kinds serving and gguf, `rates` to cpu, one a case."""
        self.kind = kind
        if kind == "serving":
            self._serving = _serving_case(cases, devices)
            caps = [
                max_sequences(case.engine, device.memory_gib, known(case.chip).name)
                for case, device in zip(cases, devices, strict=True)
            ]
        else:
            self._streaming = _gguf_case(cases, devices) if kind == "gguf" else _cpu_case(cases, rates)
            caps = [1024] * len(cases)
        score = [i for i, case in enumerate(cases) if kind == "gguf" and is_local_score(case)]
        self.local = np.array(score, dtype=np.intp)
        """Rows that are LocalScore's mean over nine pairs of lengths."""
        self._notes = [cases[i].raw.get("note", "") for i in score]
        self.scenario = np.array([case.scenario for case in cases])
        # Pipeline stages work on different sequences: each token passes all of them, so they serve like as many replicas.
        self.replicas = np.array([case.replicas * (case.pp if kind == "serving" else 1) for case in cases])
        room = np.array([r.sequences if np.isnan(r.run_room) else r.run_room for r in rooms])
        stages = np.array([case.pp if kind == "serving" else 1 for case in cases])
        self.limit = np.minimum(np.maximum(room / stages, 1.0), np.array(caps, dtype=np.float64))
        asked = np.array([np.nan if case.concurrency is None else case.concurrency for case in cases]) / self.replicas
        rate = np.array([np.nan if case.rate is None else case.rate for case in cases]) / self.replicas
        n = np.where(np.isnan(asked), np.where(self.scenario == "offline", self.limit, 1.0 / self.replicas), asked)
        n = np.where(self.scenario == "single_stream", 1.0 / self.replicas, n)
        # Fewer streams than replicas leave some of them idle.
        self.busy = np.minimum(n, 1.0)
        self.asked = np.maximum(n, 1.0)
        self.rate = rate
        self.bench = (self.scenario == "bench") | (self.scenario == "static")
        self.open = (self.scenario == "server") & ~np.isnan(rate)
        self.saturated = np.zeros(len(cases), dtype=bool)
        """Cases whose request rate is above what the server answers, known once `figures` ran: TTFT grows with the length of the test."""
        self.tail = np.where((self.scenario == "single_stream") & (self.asked <= 1), 1.0, np.nan)
        """TTFT that 95 of 100 requests stay below over the mean, at a rate or one at a time; known once `figures` ran."""
        self.running = np.where(self.bench, self.asked, np.minimum(self.asked, self.limit))
        # A server's own benchmark counts its prompts; llama-bench reports generation alone.
        self.counted = np.array([case.engine == "vllm-cpu" for case in cases]) & (self.asked > 1)

    def speed(self, constants: Constants) -> GpuSpeed | StreamSpeed:
        """The formulas of these cases with some constants."""
        if self.kind == "serving":
            return GpuSpeed(self._serving, constants.gpu)
        if isinstance(self._streaming, GgufCase):
            if len(self.local):
                self._local_rates = mean_rates(cut(self._streaming, self.local), constants.gguf, self._notes)
            return GgufSpeed(self._streaming, constants.gguf)
        return CpuSpeed(self._streaming, constants.cpu)

    def figures(self, speed: GpuSpeed | StreamSpeed) -> Mapping[str, Array]:
        """TTFT, TPOT and throughput of every case in the way its scenario measures them; seconds, tokens/s of all replicas."""
        n, running = self.asked, self.running
        prefill, tpot = speed.prefill(), speed.tpot(running)
        cycle = speed.schedule + prefill + speed.o * tpot
        ttft = speed.ttft_closed(running) + np.maximum(n / running - 1, 0) * cycle / 2
        output = running * speed.o / cycle
        if isinstance(speed, GpuSpeed):
            mixed = speed.s < _SHARE_GPT_TOKENS
            # Beyond the room the tail comes in gradually: all of it where twice as many were sent as run.
            beyond = np.where(n >= _BURST_FROM, 1.0, np.clip(n / running - 1, 0.0, 1.0))
            share = np.where(mixed, 1.0, beyond / 2)
            burst = (n >= _TAIL_FROM) & (self.scenario == "online")
            output = np.where(burst, output / (1 + share * speed.tail), output)
        prompt = np.zeros_like(output)
        for some, answer in (
            (self.scenario == "offline", self._offline),
            (self.bench, self._apart),
            (self.open, self._open),
        ):
            index = np.flatnonzero(some)
            if len(index):
                part = answer(speed.take(index), index)
                ttft[index], tpot[index], output[index] = part[:3]
                prompt[index] = part[3]
        working = self.replicas * np.where(self.open, 1.0, self.busy)
        if len(self.local):
            rates = self._local_rates
            prompt[self.local], output[self.local] = rates
            tpot[self.local] = 1 / rates[1]
        return {
            "ttft": ttft,
            "tpot": tpot,
            "output": output * working,
            "prompt": prompt * working,
            "solo": speed.ttft_steady(1.0) + np.zeros_like(ttft),
            "limit": self.limit * self.replicas,
            "total": output * working * (speed.s + speed.o) / speed.o,
            "requests": output * working / speed.o,
            "bench": self.bench.astype(float),
            "input": speed.s,
        }

    def _offline(self, speed: GpuSpeed | StreamSpeed, index: NDArray[np.intp]) -> tuple[Array, ...]:
        """As fast as possible: everything that fits runs."""
        n = self.running[index]
        spent = speed.step(n) + speed.interference_time(n, n / speed.o)
        return speed.ttft_closed(n), speed.tpot(n), n / spent, 0.0 * n

    def _apart(self, speed: GpuSpeed | StreamSpeed, index: NDArray[np.intp]) -> tuple[Array, ...]:
        """Static batch and llama-bench: prompt and generation apart."""
        n, static, counted = self.asked[index], self.scenario[index] == "static", self.counted[index]
        start = np.where(static, _STATIC_START_S, 0.0)
        step, batch = speed.step(n), speed.prefill(n)
        whole = n * speed.o / (start + batch + speed.o * step)
        cycle = speed.schedule + speed.prefill() + speed.o * speed.tpot(n)
        output = np.where(static, whole, np.where(counted, n * speed.o / cycle, n / step))
        return batch + start, step, output, n * speed.s / batch

    def _open(self, speed: GpuSpeed | StreamSpeed, index: NDArray[np.intp]) -> tuple[Array, ...]:
        """A request rate."""
        load = open_loop(speed, self.rate[index], self.limit[index])
        self.saturated[index] = load.saturated
        self.tail[index] = np.where(load.saturated, np.nan, ttft_p95(speed, load) / load.ttft)
        return load.ttft, load.tpot, load.requests_per_s * speed.o, 0.0 * load.ttft
