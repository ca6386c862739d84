"""A language model's architecture: what its weights, KV cache and FLOPs follow from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MLA:
    """Multi-head latent attention: one compressed KV vector a token instead of keys and values a head."""

    kv_lora_rank: int
    q_lora_rank: int | None
    qk_rope_head_dim: int
    qk_nope_head_dim: int
    v_head_dim: int
    index_n_heads: int | None = None
    """Heads of the sparse-attention indexer (DeepSeek-V3.2, GLM-5); None where attention is dense."""
    index_head_dim: int | None = None


@dataclass(frozen=True, slots=True)
class LinearMixer:
    """A recurrent or linear-attention mixer (gated delta net, Mamba-2, ...): a constant state a sequence."""

    type: str
    dims: tuple[tuple[str, int], ...]
    """The mixer's own dimensions as (name, value) pairs, e.g. ("key_heads", 16)."""


@dataclass(frozen=True, slots=True)
class MoE:
    """Mixture of experts: every token reads `experts_per_token` of `experts` feed-forward blocks."""

    experts: int
    experts_per_token: int
    moe_ffn: int
    shared_experts: int = 0
    shared_ffn: int | None = None
    latent: int | None = None
    """Width the routed experts work in where it is not the hidden size (Nemotron 3 Super)."""


@dataclass(frozen=True, slots=True)
class LLM:
    """One language model (or encoder) of the catalog; counts are elements, not bytes."""

    name: str
    hf_id: str | None
    family: str
    params_total: int
    """Stored parameters, MTP heads and vision towers included."""
    params_extra: int
    """Of those, parameters that do not run for text (vision, MTP)."""
    params_active: int | None
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    tie_embeddings: bool
    max_context: int | None
    attention_kind: str
    """gqa, mha or mla."""
    layer_groups: tuple[tuple[str, str, int], ...]
    """(mixer, feed-forward, how many layers): mixer full|sliding|linear|parallel|none, feed-forward dense|moe|moe+dense|none."""
    sliding_window: int | None = None
    mla: MLA | None = None
    linear: LinearMixer | None = None
    moe: MoE | None = None
    mlp_gated: bool = True
    out_gate: bool = False
    """Gated attention: the query projection is twice as wide."""
    kv_cache: bool = True
    """False for encoders (embedding, reranker)."""
    kv_shared_full: int = 0
    kv_shared_sliding: int = 0
    """Layers that reuse an earlier layer's KV cache (Gemma 3n)."""
    global_head_dim: int | None = None
    global_kv_heads: int | None = None
    """Head size and KV heads of the full-attention layers where they differ from the sliding ones (Gemma 4)."""
    k_eq_v: bool = False
    """Full-attention layers keep one tensor for keys and values (Gemma 4)."""
    kv_elements_full: int = 0
    """KV-cache elements a token over all full-attention layers, as checked against the published figure."""
    kv_elements_sliding: int = 0
    state_bytes_per_sequence: int = 0
    """Recurrent state of one sequence in bytes."""
    native_dtype: str = "bf16"
    license: str | None = None
    release_date: str | None = None
    params_mtp: int = 0
    """Of `params_extra`, the multi-token-prediction heads: stored, but not loaded by default."""
    source: str = ""
    source_date: str = ""
    path: str | None = None
    """The user's own config.json that it was read from."""
