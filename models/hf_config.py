"""A model from its Hugging Face config.json: shape, layer kinds and parameter count of a model no catalog holds.

Only this module needs pydantic, so it is imported when a user gives a file, not before.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from models.errors import InputError
from models.llm import LLM, MLA, LinearMixer, MoE

_FAMILIES = {
    "llama": "llama",
    "llama4_text": "llama",
    "llama4": "llama",
    "mistral": "mistral",
    "mistral3": "mistral",
    "ministral3": "mistral",
    "ministral": "mistral",
    "mixtral": "mistral",
    "qwen2": "qwen",
    "qwen2_moe": "qwen",
    "qwen2_5_vl": "qwen",
    "qwen2_5_vl_text": "qwen",
    "qwen2_vl": "qwen",
    "qwen3": "qwen",
    "qwen3_moe": "qwen",
    "qwen3_vl_text": "qwen",
    "qwen3_vl_moe_text": "qwen",
    "qwen3_next": "qwen",
    "gemma": "gemma",
    "gemma2": "gemma",
    "gemma3": "gemma",
    "gemma3_text": "gemma",
    "phi3": "phi",
    "phimoe": "phi",
    "deepseek_v2": "deepseek",
    "deepseek_v3": "deepseek",
    "deepseek_v32": "deepseek",
    "kimi_k2": "kimi",
    "gpt_oss": "gpt-oss",
    "glm": "glm",
    "glm4": "glm",
    "glm4_moe": "glm",
    "glm_moe_dsa": "glm",
    "granite": "granite",
    "granitemoe": "granite",
    "olmo2": "olmo",
    "olmoe": "olmo",
    "cohere": "cohere",
    "cohere2": "cohere",
    "starcoder2": "starcoder",
    "exaone4": "exaone",
    "smollm3": "smollm",
    "ernie4_5": "ernie",
    "ernie4_5_moe": "ernie",
    "hunyuan_v1_dense": "hunyuan",
    "internlm2": "internlm",
    "internlm3": "internlm",
    "seed_oss": "seed",
    "apertus": "apertus",
    "nemotron": "nemotron",
}
"""model_type -> family; types that are not here have layers this module does not know."""

_GEMMA3 = {
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 262_208,
    "max_position_embeddings": 131_072,
    "sliding_window": 4096,
}
# What transformers fills in when a config.json leaves the field out (5.x defaults, 2026-11-30).
_DEFAULTS: dict[str, dict[str, Any]] = {
    "gemma": {"head_dim": 256},
    "gemma2": {"head_dim": 256, "sliding_window": 4096},
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gpt_oss": {"head_dim": 64, "sliding_window": 128},
    "llama4_text": {"head_dim": 128, "attention_chunk_size": 8192, "num_local_experts": 16, "num_experts_per_tok": 1},
    "qwen3_next": {"head_dim": 256},
}
_TIED = {"gemma", "gemma2", "gemma3", "gemma3_text", "cohere", "cohere2"}
_QKV_BIAS = {"qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen2_5_vl_text", "gpt_oss", "starcoder2"}
_QK_NORM = {
    "qwen3",
    "qwen3_moe",
    "qwen3_vl_text",
    "qwen3_vl_moe_text",
    "qwen3_next",
    "gemma3",
    "gemma3_text",
    "exaone4",
}
_NOT_GATED = {"starcoder2", "nemotron", "apertus"}
_NORMS = {"gemma2": 4, "gemma3": 4, "gemma3_text": 4, "glm4": 4, "cohere": 1, "cohere2": 1}
_PATTERN = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6, "cohere2": 4, "gpt_oss": 2, "llama4_text": 4}
"""Every n-th layer sees the whole context, the others a window."""
_EXPERT_IS_FFN = {"mixtral", "gpt_oss", "granitemoe", "olmoe", "phimoe", "llama4_text"}
_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def _either(*spellings: str) -> Any:
    return Field(default=None, validation_alias=AliasChoices(*spellings))


class _Config(BaseModel):
    """The fields of a config.json that memory and speed follow from."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    model_type: str
    hidden_size: int = Field(gt=0, le=1_000_000)
    num_hidden_layers: int = Field(gt=0, le=10_000)
    num_attention_heads: int = Field(gt=0, le=10_000)
    num_key_value_heads: int | None = Field(default=None, gt=0, le=10_000)
    head_dim: int | None = Field(default=None, gt=0, le=100_000)
    intermediate_size: int | None = Field(default=None, gt=0, le=10_000_000)
    intermediate_size_mlp: int | None = None
    vocab_size: int = Field(gt=0, le=100_000_000)
    max_position_embeddings: int | None = Field(default=None, gt=0)
    tie_word_embeddings: bool | None = None
    attention_bias: bool | None = None
    use_qk_norm: bool = False
    attn_output_gate: bool = False

    sliding_window: int | None = None
    use_sliding_window: bool = True
    sliding_window_pattern: int | None = _either("sliding_window_pattern", "_sliding_window_pattern")
    attention_chunk_size: int | None = None
    layer_types: list[str] | None = None
    full_attention_interval: int | None = None

    kv_lora_rank: int | None = None
    q_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    qk_nope_head_dim: int | None = None
    v_head_dim: int | None = None
    index_n_heads: int | None = None
    index_head_dim: int | None = None

    experts: int | None = _either("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
    experts_per_token: int | None = _either("num_experts_per_tok", "moe_k", "num_experts_per_token")
    moe_intermediate_size: int | None = None
    shared_experts: int | None = _either("n_shared_experts", "moe_num_shared_experts", "num_shared_experts")
    shared_expert_intermediate_size: int | None = None
    first_dense: int | None = _either("first_k_dense_replace", "moe_layer_start_index")
    moe_layer_freq: int | list[int] | None = None
    decoder_sparse_step: int | None = None
    interleave_moe_layer_step: int | None = None
    mlp_only_layers: list[int] | None = None
    num_nextn_predict_layers: int = 0

    linear_num_key_heads: int | None = None
    linear_key_head_dim: int | None = None
    linear_num_value_heads: int | None = None
    linear_value_head_dim: int | None = None
    linear_conv_kernel_dim: int = 4

    torch_dtype: str | None = _either("torch_dtype", "dtype")
    quantization_config: dict[str, Any] | None = None


def read_config(path: str | Path) -> LLM:
    """The model a Hugging Face config.json (or the folder that holds it) describes; parameters follow from the shape.

    Raises InputError when the file is missing, is no JSON, is no config of a text model, or has layers that are not known.
    """
    file = Path(path)
    if file.is_dir():
        file /= "config.json"
    try:
        # utf-8-sig: editors of Windows write a byte-order mark.
        raw = json.loads(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text file in UTF-8.") from error
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror or 'it cannot be opened'}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not valid JSON.") from error
    if not isinstance(raw, dict):
        raise InputError(f"{file} is not a model's config.json: it holds no object.")
    llm = from_config(raw, name=_name(raw, file), source=f"{file.name} given by the user")
    return replace(llm, path=str(file.absolute()))


def from_config(raw: dict[str, Any], *, name: str, source: str = "config.json") -> LLM:
    """The model a parsed config.json describes; raises InputError as `read_config` does."""
    text = raw.get("text_config", raw)
    text = {
        **{
            key: raw[key]
            for key in ("tie_word_embeddings", "torch_dtype", "dtype", "quantization_config")
            if key in raw
        },
        **(text if isinstance(text, dict) else {}),
    }
    kind = str(text.get("model_type") or raw.get("model_type") or "")
    if not kind:
        raise InputError(
            f"{name}: the config.json has no model_type.", hint="Give the config.json of the model itself."
        )
    if kind not in _FAMILIES:
        raise InputError(
            f"{name}: models of type {kind!r} are not known from their config.json.",
            hint="`rackrate catalog models` lists the models that are built in.",
        )
    present = {key: value for key, value in text.items() if value is not None}
    try:
        config = _Config.model_validate({**_DEFAULTS.get(kind, {}), **present, "model_type": kind})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(f"{name}: {field} in the config.json cannot be used: {first['msg'].lower()}.") from error
    _check(config, name)
    return _model(config, raw, name, source)


def _check(config: _Config, name: str) -> None:
    """Refuse shapes that no engine can run. Raises InputError."""
    heads, kv_heads = config.num_attention_heads, config.num_key_value_heads or config.num_attention_heads
    if heads % kv_heads:
        raise InputError(
            f"{name}: num_attention_heads ({heads}) in the config.json is not a multiple of num_key_value_heads ({kv_heads})."
        )
    if config.experts and config.experts_per_token and config.experts_per_token > config.experts:
        raise InputError(
            f"{name}: the config.json sends each token to {config.experts_per_token} experts, but has {config.experts}."
        )


def _name(raw: dict[str, Any], file: Path) -> str:
    stated = str(raw.get("_name_or_path") or "").rstrip("/").rsplit("/", 1)[-1]
    folder = file.resolve().parent.name
    return stated or (folder if file.name == "config.json" and folder else file.stem)


def _mixers(config: _Config) -> tuple[list[str], int | None]:
    """Each layer's mixer (full, sliding, linear) and the window of the sliding ones."""
    layers, kind = config.num_hidden_layers, config.model_type
    window = config.attention_chunk_size if kind.startswith("llama4") else config.sliding_window
    if config.layer_types:
        named = {
            "full_attention": "full",
            "sliding_attention": "sliding",
            "chunked_attention": "sliding",
            "linear_attention": "linear",
        }
        unknown = sorted(set(config.layer_types) - set(named))
        if unknown or len(config.layer_types) != layers:
            raise InputError(
                f"layer_types in the config.json is not usable: {len(config.layer_types)} entries for {layers} "
                f"layers{', unknown ' + ', '.join(unknown) if unknown else ''}."
            )
        return [named[one] for one in config.layer_types], window
    if kind == "qwen3_next":
        every = config.full_attention_interval or 4
        return ["linear" if (i + 1) % every else "full" for i in range(layers)], None
    pattern = config.sliding_window_pattern or _PATTERN.get(kind)
    if window and pattern:
        first_slides = kind == "gpt_oss"
        return [
            ("sliding" if (i % 2 == 0) == first_slides else "full")
            if pattern == 2 and first_slides
            else ("full" if (i + 1) % pattern == 0 else "sliding")
            for i in range(layers)
        ], window
    # Phi-3 lists a window on every layer that engines do not use; Qwen lists one that is switched off.
    if window and config.use_sliding_window and kind in ("mistral", "mixtral", "starcoder2"):
        return ["sliding"] * layers, window
    return ["full"] * layers, None


def _moe_layers(config: _Config) -> list[bool]:
    layers = range(config.num_hidden_layers)
    if not config.experts or config.experts == 1:
        return [False for _ in layers]
    frequency = config.moe_layer_freq
    if isinstance(frequency, list):
        return [bool(frequency[i]) if i < len(frequency) else False for i in layers]
    step = config.interleave_moe_layer_step or config.decoder_sparse_step or frequency or 1
    dense = set(config.mlp_only_layers or ())
    first = config.first_dense or 0
    # Llama 4 counts from its first layer's successor, as decoder_sparse_step does.
    return [i >= first and i not in dense and (i + 1) % step == 0 for i in layers]


def _moe(config: _Config) -> MoE | None:
    if not config.experts or config.experts == 1:
        return None
    width = config.moe_intermediate_size or (config.intermediate_size if config.model_type in _EXPERT_IS_FFN else None)
    if not width or not config.experts_per_token:
        raise InputError("The config.json names experts but not their width or how many a token uses.")
    shared = config.shared_experts or 0
    shared_width = shared * width if shared else config.shared_expert_intermediate_size
    if config.model_type.startswith("llama4"):
        shared, shared_width = 1, width
    if shared_width and not shared:
        shared = 1
    return MoE(
        experts=config.experts,
        experts_per_token=config.experts_per_token,
        moe_ffn=width,
        shared_experts=shared,
        shared_ffn=shared_width if shared else None,
    )


def _mla(config: _Config) -> MLA | None:
    if config.kv_lora_rank is None:
        return None
    if config.qk_rope_head_dim is None or config.qk_nope_head_dim is None or config.v_head_dim is None:
        raise InputError("The config.json has kv_lora_rank without the head sizes of latent attention.")
    return MLA(
        kv_lora_rank=config.kv_lora_rank,
        q_lora_rank=config.q_lora_rank,
        qk_rope_head_dim=config.qk_rope_head_dim,
        qk_nope_head_dim=config.qk_nope_head_dim,
        v_head_dim=config.v_head_dim,
        index_n_heads=config.index_n_heads,
        index_head_dim=config.index_head_dim,
    )


def _attention_params(config: _Config, mla: MLA | None, kv_heads: int, head_dim: int, gated: bool) -> int:
    h, heads = config.hidden_size, config.num_attention_heads
    if mla is not None:
        head = mla.qk_nope_head_dim + mla.qk_rope_head_dim
        query = (
            h * mla.q_lora_rank + mla.q_lora_rank + mla.q_lora_rank * heads * head
            if mla.q_lora_rank
            else h * heads * head
        )
        latent = h * (mla.kv_lora_rank + mla.qk_rope_head_dim) + mla.kv_lora_rank
        up = mla.kv_lora_rank * heads * (mla.qk_nope_head_dim + mla.v_head_dim)
        index = 0
        if mla.index_n_heads and mla.index_head_dim:
            index = (mla.q_lora_rank or h) * mla.index_n_heads * mla.index_head_dim + h * (
                mla.index_head_dim + mla.index_n_heads
            )
        return query + latent + up + index + heads * mla.v_head_dim * h
    query, key_value = heads * head_dim, kv_heads * head_dim
    weights = h * (query * (2 if gated else 1) + 2 * key_value) + query * h
    if config.model_type in _QKV_BIAS or config.attention_bias:
        weights += query + 2 * key_value
    if config.model_type in _QK_NORM or config.use_qk_norm:
        weights += 2 * head_dim
    return weights


def _linear_params(h: int, linear: LinearMixer) -> int:
    dims = dict(linear.dims)
    key, value = dims["key_heads"] * dims["key_head_dim"], dims["value_heads"] * dims["value_head_dim"]
    return (
        h * (2 * key + 2 * value)
        + h * 2 * dims["value_heads"]
        + (2 * key + value) * dims["conv"]
        + 2 * dims["value_heads"]
        + dims["value_head_dim"]
        + value * h
    )


def _vision_params(raw: dict[str, Any], hidden: int) -> int:
    """Weights of a plain vision transformer, from its widths; about 1 % off, and it does not run for text."""
    vision = raw.get("vision_config")
    if not isinstance(vision, dict):
        return 0
    width = vision.get("hidden_size") or vision.get("embed_dim")
    depth = vision.get("num_hidden_layers") or vision.get("depth") or vision.get("num_layers")
    if not isinstance(width, int) or not isinstance(depth, int):
        return 0
    ffn = vision.get("intermediate_size")
    return depth * (4 * width * width + 2 * width * (ffn if isinstance(ffn, int) else 4 * width)) + width * hidden


def _model(config: _Config, raw: dict[str, Any], name: str, source: str) -> LLM:
    h, heads, layers, kind = config.hidden_size, config.num_attention_heads, config.num_hidden_layers, config.model_type
    kv_heads = config.num_key_value_heads or heads
    head_dim = config.head_dim or h // heads
    mla, moe = _mla(config), _moe(config)
    linear = None
    mixers, window = _mixers(config)
    is_moe = _moe_layers(config)
    ffn = config.intermediate_size_mlp or config.intermediate_size or 0
    if not ffn and not all(is_moe):
        raise InputError("The config.json has dense layers but no intermediate_size.")
    gated = kind not in _NOT_GATED
    out_gate = kind == "qwen3_next" or config.attn_output_gate
    if "linear" in mixers:
        linear = _linear(config)

    attention = _attention_params(config, mla, kv_heads, head_dim, out_gate)
    matrices = 3 if gated else 2
    dense = matrices * h * ffn
    routed = shared = router = 0
    if moe is not None:
        routed = moe.experts * matrices * h * moe.moe_ffn
        shared = matrices * h * (moe.shared_ffn or 0) + (h if kind in ("qwen2_moe", "qwen3_next") else 0)
        router = h * moe.experts
        if kind == "gpt_oss":
            routed += moe.experts * (2 * moe.moe_ffn + h)
    tied = config.tie_word_embeddings if config.tie_word_embeddings is not None else kind in _TIED
    embedding = config.vocab_size * h
    linear_layers = mixers.count("linear")
    moe_layers = sum(is_moe)
    text = (
        embedding * (1 if tied else 2)
        + h
        + layers * _NORMS.get(kind, 2) * h
        + (layers - linear_layers) * attention
        + (linear_layers * _linear_params(h, linear) if linear else 0)
        + (layers - moe_layers) * dense
        + moe_layers * (routed + shared + router)
    )
    # A multi-token-prediction layer repeats one layer and, in most checkpoints seen, embedding and head.
    extra_layer = (
        attention
        + (routed + shared + router if moe else dense)
        + 2 * h * h
        + (0 if kind == "glm_moe_dsa" else 2 * embedding)
    )
    extra = config.num_nextn_predict_layers * extra_layer + _vision_params(raw, h)
    active = text - moe_layers * (routed - routed // moe.experts * moe.experts_per_token) if moe else None

    groups = Counter((mixer, "moe" if expert else "dense") for mixer, expert in zip(mixers, is_moe, strict=True))
    full, sliding = mixers.count("full"), mixers.count("sliding")
    per_layer = mla.kv_lora_rank + mla.qk_rope_head_dim if mla else 2 * kv_heads * head_dim
    state = 0
    if linear:
        dims = dict(linear.dims)
        convolved = 2 * dims["key_heads"] * dims["key_head_dim"] + dims["value_heads"] * dims["value_head_dim"]
        recurrent = dims["value_heads"] * dims["value_head_dim"] * dims["key_head_dim"]
        # The recurrent matrix is kept in 32 bit, the convolution's tail in 16 bit.
        state = linear_layers * (4 * recurrent + 2 * convolved * (dims["conv"] - 1))
    return LLM(
        name=name,
        hf_id=None,
        family=_FAMILIES[kind],
        params_total=text + extra,
        params_extra=extra,
        params_active=active,
        layers=layers,
        hidden=h,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        ffn=ffn,
        vocab=config.vocab_size,
        tie_embeddings=tied,
        max_context=config.max_position_embeddings,
        attention_kind="mla" if mla else ("mha" if kv_heads == heads else "gqa"),
        layer_groups=tuple((mixer, feed, count) for (mixer, feed), count in groups.items()),
        sliding_window=window if sliding else None,
        mla=mla,
        linear=linear,
        moe=moe,
        mlp_gated=gated,
        out_gate=out_gate,
        kv_elements_full=full * per_layer,
        kv_elements_sliding=sliding * per_layer,
        state_bytes_per_sequence=state,
        native_dtype=_native_dtype(config),
        source=source,
    )


def _linear(config: _Config) -> LinearMixer:
    sizes = {
        "key_heads": config.linear_num_key_heads,
        "key_head_dim": config.linear_key_head_dim,
        "value_heads": config.linear_num_value_heads,
        "value_head_dim": config.linear_value_head_dim,
        "conv": config.linear_conv_kernel_dim,
    }
    dims = tuple((key, value) for key, value in sizes.items() if value)
    if len(dims) < len(sizes):
        raise InputError("The config.json has linear-attention layers without their head sizes.")
    return LinearMixer(type="gated_deltanet", dims=dims)


def _native_dtype(config: _Config) -> str:
    method = str((config.quantization_config or {}).get("quant_method", ""))
    if method in ("fp8", "mxfp4", "nvfp4"):
        return method
    return _DTYPES.get(config.torch_dtype or "", "bf16")
