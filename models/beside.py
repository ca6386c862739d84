"""Embedding and reranking models on the server of an LLM: the memory they take, and the time of every request.

A request first embeds its query, then reranks the documents found. While a companion computes on a card, the LLM's steps on it wait:
its time of a request is time like that of a prompt, so users, TTFT and TPOT come from the same formulas with a longer prompt time. Every
card carries a copy (a split LLM waits for its slowest card). Computing side by side would hide some of it; it is not counted.
On a CPU server the companions share the LLM's socket. A GPU server's host is no part of an estimate: companions there take nothing of
the cards, and `host_times` says what one host needs.

The times are those of `models.encoder_speed`: four published figures, so that the band is wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models import catalog, memory
from models.derived import derived
from models.encoder_speed import BAND, ENDS, EncoderSpeed, encoder_case
from models.encoders import BATCH, gpu_peak, socket_peak, workspace_gib
from models.errors import WorkloadError
from models.guessed import take_memory
from models.quantize import weight_bytes
from models.solve import Solved, solve
from models.table import MEASURED_ENGINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from models.band_ends import End
    from models.cpu import CPU
    from models.estimates import Estimates
    from models.layout import Layouts
    from models.llm import LLM
    from models.table import ServerTable

Array = NDArray[np.float64]

PLACES = ("gpu", "cpu")
QUANT = "fp16"
"""Companions run in 16 bits, as their servers do by default."""
QUERY_TOKENS = 32
"""Tokens of a question that is embedded (assumed)."""
PASSAGE_TOKENS = 512
"""Tokens of a passage with its question, as a reranker reads it (assumed: the usual size of chunks)."""
PASSAGES = 20
"""Passages found that are reranked for a request (assumed)."""
_HOST_GB_S = 40.0
"""Memory bandwidth of a host nobody described (assumed, below every server): weights of a GB are read in 25 ms, arithmetic takes longer."""


@dataclass(frozen=True, slots=True)
class Companion:
    """One model beside the LLM and what a request asks of it."""

    model: LLM
    documents: int
    """Documents of one request, computed together."""
    tokens: int
    """Of one document; a reranker's holds the query."""
    on: str = "gpu"
    """Where it runs on a GPU server; a CPU server has one place."""

    def __post_init__(self) -> None:
        if self.model.kv_cache:
            raise WorkloadError(
                f"{self.model.name} writes text; beside an LLM run embedding and reranking models.",
                hint="`rackrate catalog models bge` lists some.",
            )
        if self.on not in PLACES:
            raise WorkloadError(f"A model runs on gpu or cpu, not on {self.on}.")
        longest = self.model.max_context
        if longest and self.tokens > longest:
            raise WorkloadError(
                f"{self.model.name} reads at most {longest:,} tokens at once, not {self.tokens:,}.",
                hint="The rest would be cut off unread; give shorter passages, or more of them.",
            )
        if self.documents < 1 or self.tokens < 1:
            raise WorkloadError("A request asks for at least one document of at least one token.")

    @property
    def gib(self) -> float:
        """Weights and workspace on one device."""
        weights = weight_bytes(self.model, catalog.quant(QUANT)).total / memory.GIB
        return weights + float(workspace_gib(self.model, self.documents, self.tokens))


@dataclass(frozen=True, slots=True)
class Spent:
    """What companions take of devices; arrays over the devices, or numbers."""

    busy_s: Array
    """Device time of one request."""
    latency_s: Array
    """What they add to a request's time to first token."""
    gib: float
    """Memory of each device."""


def spent(beside: Sequence[Companion], peak: Any, bandwidth: Any, *, cpu: Any) -> Spent:
    """Time of a request on devices of so many FLOP/s and bytes/s, and the memory they give up."""
    shape = np.broadcast(peak, bandwidth, cpu).shape
    busy, latency = np.zeros(shape), np.zeros(shape)
    for one in beside:
        speed = _speed(one.model, one.documents, one.tokens, (peak, bandwidth, cpu))
        busy = busy + speed.compute_s()
        latency = latency + speed.latency_s()
    return Spent(busy, latency, sum(one.gib for one in beside))


def _speed(llm: LLM, documents: Any, tokens: Any, device: tuple[Any, Any, Any], copies: Any = 1.0) -> EncoderSpeed:
    peak, bandwidth, cpu = device
    return EncoderSpeed(
        encoder_case(
            llm,
            documents=float(documents),
            tokens=float(tokens),
            peak=peak,
            bandwidth=bandwidth,
            cpu=cpu,
            copies=copies,
            weight_bytes=catalog.quant(QUANT).bytes_per_weight or 2.0,
        )
    )


def devices_of(table: ServerTable, servers: NDArray[np.intp]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """(FLOP/s, bytes/s, whether a CPU) of one card or socket of each of these servers; NaN where the catalog does not know."""
    quant = catalog.quant(QUANT)
    peaks = np.full(len(table.chips), np.nan)
    reads = peaks.copy()
    for at, (chip, device) in enumerate(zip(table.chips, table.devices, strict=True)):
        if device is not None:
            peaks[at], reads[at] = gpu_peak(device, chip, quant), device.bandwidth
    peak, read = np.full(len(servers), np.nan), np.full(len(servers), np.nan)
    chip_of = table.chip_index[servers]
    cards = chip_of >= 0
    share = np.minimum(table.gpu_count[servers][cards], 1.0)
    peak[cards], read[cards] = peaks[chip_of[cards]] * share, reads[chip_of[cards]] * share
    sockets = ~table.is_gpu[servers]
    if sockets.any():
        columns = table.cpu_columns(MEASURED_ENGINE)
        read[sockets] = columns["stream"][servers[sockets]]
        for at in np.flatnonzero(sockets).tolist():
            server = table.servers[int(servers[at])]
            shared = 0.5 if server.shared_cpu else 1.0
            peak[at] = socket_peak(server.cpu, float(columns["cores"][servers[at]])) * shared
    return peak, read, sockets


class _Shared:
    """A speed whose requests pass companions on the same devices first."""

    beside_busy: Array
    beside_latency: Array

    def steady(self, sequences: Any) -> tuple[Array, Array, Array]:
        """See the formulas; each of the others' requests stops the steps once for as long as its companions compute."""
        tpot, ttft, prompt = super().steady(sequences)  # type: ignore[misc]
        others = np.maximum(np.asarray(sequences, dtype=np.float64) - 1, 0)
        stopped = self.beside_busy * others / self.o  # type: ignore[attr-defined]
        return tpot + stopped, ttft + self.beside_latency, prompt + self.beside_busy

    def queue_unit(self) -> Array:
        """See the formulas: a queue for prompts and companions together (M/D/1)."""
        result: Array = super().queue_unit() + self.beside_busy / 2  # type: ignore[misc]
        return result

    def queued(self, prefill_load: Any) -> Array:
        """See the formulas."""
        rho = np.clip(prefill_load, 0.0, 0.98)
        result: Array = super().queued(prefill_load) + self.beside_busy * (rho / (2 * (1 - rho)))  # type: ignore[misc]
        return result


def solve_beside(result: Estimates, layouts: Layouts, end: End | None = None) -> Solved:
    """`solve` with the workload's companions: less memory, longer requests, and bands as wide as an encoder's."""
    peak, read, cpu = devices_of(result.table, layouts.server)
    busy, latency, gib = (np.zeros(len(layouts.server)) for _ in range(3))
    pace = ENDS[end]
    for one in result.workload.beside:
        here = cpu | (one.on == "gpu")
        took = spent((one,), peak, read, cpu=cpu)
        busy += np.where(here, took.busy_s / pace, 0.0)
        latency += np.where(here, took.latency_s / pace, 0.0)
        gib += np.where(here, one.gib, 0.0)
    layouts.speed = derived(layouts.speed, _Shared, beside_busy=busy, beside_latency=latency)
    take_memory(layouts, gib)
    solved = solve(result, layouts)
    at, added = layouts.server[solved.pick], latency[solved.pick] * 1e3
    ttft = result.ttft_ms[at]
    for name, factor in (("ttft_ms_low", 1 / BAND[1]), ("ttft_ms_high", 1 / BAND[0])):
        figures = getattr(result, name)
        figures[at] = figures[at] * (1 - added / ttft) + added * factor
    return solved


# a GPU server's host


def host_times(beside: Sequence[Companion], cpu: CPU | None, cores: Any) -> Spent:
    """What the companions that run on a host's cores take: every request is one after the other."""
    here = [one for one in beside if one.on == "cpu"]
    return spent(here, socket_peak(cpu, cores), _HOST_GB_S * 1e9, cpu=True)


def host_wait_s(requests_per_s: Any, busy_s: Any) -> Array:
    """Mean wait of a request for those before it on a host that takes one after the other (M/D/1); inf where they are too many."""
    rho = query_share(requests_per_s, busy_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Array = np.where(rho < 1, busy_s * rho / (2 * (1 - rho)), np.where(np.isnan(rho), np.nan, np.inf))
    return result


# a corpus


def ingestion_s(llm: LLM, documents: float, tokens: float, device: tuple[Any, Any, Any], copies: Any = 1.0) -> Array:
    """Seconds in which copies of an embedding model on such devices, with nothing else to do, embed a corpus.

    Documents longer than the model reads are split: every token is embedded once.
    """
    longest = float(llm.max_context or tokens)
    parts = np.ceil(tokens / longest)
    speed = _speed(llm, BATCH, tokens / parts, device, copies)
    result: Array = documents * parts / speed.documents_per_s()
    return result


def query_share(requests_per_s: Any, busy_s: Any) -> Array:
    """Share of a device's time that its requests' companions take; above 1 they alone are too many."""
    result: Array = np.asarray(requests_per_s, dtype=np.float64) * busy_s
    return result


def reranks(llm: LLM) -> bool:
    """Whether an encoder judges passages, by its name; the others embed."""
    return "rerank" in llm.name.lower()


def known_model(name: str) -> LLM:
    """A model of the catalog that embeds or reranks. Raises UnknownNameError, WorkloadError."""
    found = catalog.llm(name)
    Companion(found, 1, 1)
    return found
