"""What one model costs per token: weights read, weights held, KV elements, attention width, summed over layers.

The sums let the speed formulas run without a loop over layers. Checked against published parameter counts in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.llm import LLM, LinearMixer


@dataclass(frozen=True, slots=True)
class Shape:
    """Sums over a model's layers; every field counts elements (weights, cache entries or head widths), not bytes."""

    layers: int
    hidden: int
    kv_heads: int
    attention: float
    """Attention weights that tensor parallelism splits."""
    attention_replicated: float
    """Attention weights every rank holds (MLA down-projections, sparse indexer)."""
    dense: float
    """Dense feed-forward weights."""
    shared: float
    """Shared-expert weights."""
    moe_layers: int
    experts: int
    experts_per_token: int
    expert: float
    """Weights of one expert of one layer."""
    router: float
    """Router weights over all layers."""
    head: float
    """Output head."""
    embedding: float
    """Input embedding held besides the head (0 when tied)."""
    kv: float
    """KV-cache elements a token, full-attention layers."""
    kv_window: float
    """KV-cache elements a token, sliding-window layers."""
    window: float
    state: float
    """Recurrent state elements a sequence (16-bit elements)."""
    query: float
    """Query width summed over full-attention layers (attention FLOPs)."""
    query_window: float
    mla_layers: int
    linear_layers: int
    sparse_layers: int
    """Layers with a sparse-attention indexer."""
    total: float
    """All weights an engine loads for text and vision, MTP heads left out."""
    text: float
    """Weights without vision and MTP: what a GGUF file of the language model holds."""

    @property
    def is_moe(self) -> bool:
        """Whether tokens are routed to experts."""
        return self.moe_layers > 0

    @property
    def routed(self) -> float:
        """Weights of all routed experts of all layers."""
        return self.moe_layers * self.experts * self.expert

    @property
    def active(self) -> float:
        """Weights one token passes through, output head included, input embedding not."""
        return (
            self.attention
            + self.attention_replicated
            + self.dense
            + self.shared
            + self.router
            + self.moe_layers * self.experts_per_token * self.expert
            + self.head
        )


def _gqa_weights(hidden: int, heads: int, kv_heads: int, head_dim: int, *, gated: bool, k_eq_v: bool) -> float:
    query = hidden * heads * head_dim * (2 if gated else 1)
    key_value = hidden * kv_heads * head_dim * (1 if k_eq_v else 2)
    return query + key_value + heads * head_dim * hidden


def _linear_weights(hidden: int, mixer: LinearMixer, heads: int, head_dim: int) -> float:
    """Projections of one recurrent layer: gated delta net, Mamba-2 or lightning attention."""
    dims = dict(mixer.dims)
    if mixer.type == "gated_deltanet":
        key = dims["key_heads"] * dims["key_head_dim"]
        value = dims["value_heads"] * dims["value_head_dim"]
        conv = dims.get("conv", 4) * (2 * key + value)
        return hidden * (2 * key + 2 * value) + hidden * 2 * dims["value_heads"] + conv + value * hidden
    if mixer.type == "mamba2":
        inner = dims["heads"] * dims["head_dim"]
        groups = 2 * dims.get("groups", 1) * dims["state"]
        conv = dims.get("conv", 4) * (inner + groups)
        return hidden * (2 * inner + groups + dims["heads"]) + conv + inner * hidden
    width = heads * head_dim
    # lightning attention: q, k, v, output gate and output projection
    return 5 * hidden * width


@lru_cache(maxsize=512)
def shape_of(llm: LLM) -> Shape:
    """Sum a model's layers once; cached, since every change of traffic asks again."""
    h = llm.hidden
    mult = 3 if llm.mlp_gated else 2
    attention = replicated = dense = shared = router = query = query_window = 0.0
    moe_layers = mla_layers = linear_layers = sparse_layers = 0
    expert = mult * h * llm.moe.moe_ffn if llm.moe else 0.0
    for mixer, ffn, count in llm.layer_groups:
        if mixer in {"full", "sliding", "parallel"}:
            if llm.mla is not None:
                mla = llm.mla
                rank, rope, nope, v = mla.kv_lora_rank, mla.qk_rope_head_dim, mla.qk_nope_head_dim, mla.v_head_dim
                down = h * (rank + rope) + (h * mla.q_lora_rank if mla.q_lora_rank else 0)
                up = (
                    (mla.q_lora_rank or h) * llm.heads * (nope + rope)
                    + rank * llm.heads * (nope + v)
                    + llm.heads * v * h
                )
                if mla.index_n_heads and mla.index_head_dim:
                    down += (mla.q_lora_rank or h) * mla.index_n_heads * mla.index_head_dim + h * (
                        mla.index_head_dim + mla.index_n_heads
                    )
                    sparse_layers += count
                attention += count * up
                replicated += count * down
                query += count * llm.heads * (nope + rope + v) / 2
                mla_layers += count
            else:
                full = mixer != "sliding"
                head_dim = llm.global_head_dim if full and llm.global_head_dim else llm.head_dim
                kv_heads = llm.global_kv_heads if full and llm.global_kv_heads else llm.kv_heads
                attention += count * _gqa_weights(
                    h, llm.heads, kv_heads, head_dim, gated=llm.out_gate, k_eq_v=full and llm.k_eq_v
                )
                if full:
                    query += count * llm.heads * head_dim
                else:
                    query_window += count * llm.heads * head_dim
        if mixer in {"linear", "parallel"} and llm.linear is not None:
            attention += count * _linear_weights(h, llm.linear, llm.heads, llm.head_dim)
            linear_layers += count
        if ffn in {"dense", "moe+dense"}:
            dense += count * mult * h * llm.ffn
        if ffn in {"moe", "moe+dense"} and llm.moe is not None:
            moe_layers += count
            router += count * h * llm.moe.experts
            shared += count * llm.moe.shared_experts * mult * h * (llm.moe.shared_ffn or llm.moe.moe_ffn)
    head = float(llm.vocab * h)
    embedding = 0.0 if llm.tie_embeddings else head
    computed = attention + replicated + dense + shared + router + head + embedding
    if llm.moe is not None:
        computed += moe_layers * llm.moe.experts * expert
    total = float(llm.params_total - llm.params_mtp) if llm.params_total else computed
    text = float(llm.params_total - llm.params_extra) if llm.params_total else computed
    if llm.moe is not None and moe_layers:
        # Where the published total differs from the shapes (latent experts of Nemotron-3-Super), the experts carry the difference.
        rest = computed - moe_layers * llm.moe.experts * expert
        implied = (text - rest) / (moe_layers * llm.moe.experts)
        if abs(implied / expert - 1) > 0.03 and implied > 0:
            expert = implied
    return Shape(
        layers=llm.layers,
        hidden=h,
        kv_heads=llm.kv_heads,
        attention=attention,
        attention_replicated=replicated,
        dense=dense,
        shared=shared,
        moe_layers=moe_layers,
        experts=llm.moe.experts if llm.moe else 0,
        experts_per_token=llm.moe.experts_per_token if llm.moe else 0,
        expert=expert,
        router=router,
        head=head,
        embedding=embedding,
        kv=float(llm.kv_elements_full),
        kv_window=float(llm.kv_elements_sliding),
        window=float(llm.sliding_window or 0),
        state=llm.state_bytes_per_sequence / 2,
        query=query,
        query_window=query_window,
        mla_layers=mla_layers,
        linear_layers=linear_layers,
        sparse_layers=sparse_layers,
        total=total,
        text=text,
    )
