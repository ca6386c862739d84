"""Embedding and reranking models: documents and tokens a second from arithmetic, a host cost per request, a floor of weight reads.

No KV cache and no decode: every token of a batch is computed once, attention runs both ways. All inputs broadcast; seconds, bytes, FLOP/s.

Four figures stand behind it (michaelfeil/infinity docs/docs/benchmarking.md, 2024; requests of 256 sentences and 115,000 tokens):
bge-large on L4 0.54 requests/s with text-embeddings-inference (33 % of the 16-bit peak) and 0.17 with sentence-transformers (10 %),
bge-large on MI210 0.75 (31 %), bge-small on eight Cascade Lake cores 0.08 in fp32 (61 % of 32 FLOP a cycle). All else is extrapolated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.shape import shape_of

if TYPE_CHECKING:
    from models.llm import LLM

Array = NDArray[np.float64]

GPU_SHARE = 0.32
"""Share of the dense 16-bit peak (L4 0.33, MI210 0.31)."""
CPU_SHARE = 0.6
"""Share of cores x clock x 32 FLOP (Cascade Lake 0.61; llama.cpp's prompts reach 0.61 of the same peak over many x86 CPUs)."""
CPU_FLOP_PER_CYCLE = 32.0
"""Two 256-bit fused multiply-adds in fp32; wider units and AMX are inside the band."""
READ_SHARE = 0.8
"""Share of the bandwidth at which weights are read."""
LAUNCH_S = 50e-6
"""GPU time of a layer's launches: small batches are bound by it."""
REQUEST_S = 0.002
"""Tokenizing, HTTP, queueing of a request: below the 4.5 ms that 220 requests/s of MiniLM on one Python process leave
(blog.searchlayer.tech, 2025-12)."""
DOCUMENT_S = 20e-6
"""Tokenizing and pooling of one document inside a request."""
BAND = (0.3, 1.8)
"""Measured over estimated rate: unfused Python servers reach a third (0.10 against 0.32), fused 8-bit engines more. Not fitted."""
BASIS = "extrapolated"
ENDS = {"low": BAND[0], "high": BAND[1], None: 1.0}
"""Rates at an end of the band over the estimate."""


@dataclass(slots=True)
class EncoderCase:
    """Inputs of an encoder on one device or several copies; arrays broadcast against each other."""

    weights: Any
    """Weights every token passes through (elements): no embedding table."""
    layers: Any
    query: Any
    """Query width summed over layers."""
    weight_bytes: Any
    """Bytes of one weight."""
    tokens: Any
    """Tokens of one document; of query and document together for a reranker."""
    documents: Any
    """Documents of one request, computed together."""
    peak: Any
    """FLOP/s of one device at the precision used."""
    bandwidth: Any
    cpu: Any = False
    copies: Any = 1.0
    """Devices that each run the whole model."""


def cpu_peak(cores: Any, ghz: Any) -> Array:
    """FLOP/s of CPU cores in the unit that CPU_SHARE is a share of."""
    result: Array = np.asarray(cores, dtype=np.float64) * np.asarray(ghz) * 1e9 * CPU_FLOP_PER_CYCLE
    return result


def encoder_case(
    llm: LLM,
    *,
    tokens: Any,
    documents: Any,
    peak: Any,
    bandwidth: Any,
    cpu: Any = False,
    copies: Any = 1.0,
    weight_bytes: Any = 2.0,
) -> EncoderCase:
    """Arrays for one model; longer documents are cut at the model's context, as encoders do."""
    shape = shape_of(llm)
    longest = float(llm.max_context or np.inf)
    return EncoderCase(
        weights=max(shape.active - shape.head, 1.0),
        layers=float(shape.layers),
        query=shape.query + shape.query_window,
        weight_bytes=weight_bytes,
        tokens=np.minimum(np.asarray(tokens, dtype=np.float64), longest),
        documents=documents,
        peak=peak,
        bandwidth=bandwidth,
        cpu=cpu,
        copies=copies,
    )


class EncoderSpeed:
    """Rates of encoders; `low` and `high` scale any rate to its band."""

    def __init__(self, case: EncoderCase) -> None:
        cpu = np.asarray(case.cpu)
        self.tokens = np.asarray(case.tokens, dtype=np.float64)
        self.documents = np.asarray(case.documents, dtype=np.float64)
        self.copies = np.asarray(case.copies, dtype=np.float64)
        rate = case.peak * np.where(cpu, CPU_SHARE, GPU_SHARE)
        # Attention looks both ways: every token at all tokens, scores and values.
        self.token_s: Array = (2 * case.weights + 4 * case.query * self.tokens) / rate
        self.read_s: Array = np.asarray(case.weights * case.weight_bytes / (case.bandwidth * READ_SHARE))
        self.launch_s: Array = np.where(cpu, 0.0, case.layers * LAUNCH_S)
        self.low, self.high = BAND
        self.basis = BASIS

    def compute_s(self) -> Array:
        """Device time of one request: arithmetic, at least one read of the weights and the launches of every layer."""
        work = self.documents * self.tokens * self.token_s
        result: Array = np.maximum(work, np.maximum(self.read_s, self.launch_s))
        return result

    def latency_s(self) -> Array:
        """One request alone."""
        result: Array = self.compute_s() + REQUEST_S + self.documents * DOCUMENT_S
        return result

    def documents_per_s(self) -> Array:
        """Saturated by several clients: the host prepares requests while the device computes, so the slower of the two counts."""
        host = REQUEST_S + self.documents * DOCUMENT_S
        result: Array = self.copies * self.documents / np.maximum(self.compute_s(), host)
        return result

    def tokens_per_s(self) -> Array:
        """Tokens of all documents."""
        result: Array = self.documents_per_s() * self.tokens
        return result

    def hours(self, documents: Any) -> Array:
        """Hours to take in a collection of `documents`."""
        result: Array = np.asarray(documents, dtype=np.float64) / self.documents_per_s() / 3600
        return result
