"""A model read from its config.json is the model the catalog holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models import catalog
from models.errors import InputError
from models.hf_config import from_config, read_config

LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "attention_bias": False,
    "torch_dtype": "bfloat16",
}
QWEN3_MOE = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "intermediate_size": 6144,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "sliding_window": None,
    "use_sliding_window": False,
}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "head_dim": 128,
    "intermediate_size": 18432,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "n_shared_experts": 1,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3,
    "moe_layer_freq": 1,
    "num_nextn_predict_layers": 1,
    "tie_word_embeddings": False,
    "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"},
}
GEMMA3 = {
    "model_type": "gemma3",
    "torch_dtype": "bfloat16",
    "text_config": {
        "model_type": "gemma3_text",
        "hidden_size": 5376,
        "num_hidden_layers": 62,
        "num_attention_heads": 32,
        "num_key_value_heads": 16,
        "head_dim": 128,
        "intermediate_size": 21504,
        "sliding_window": 1024,
    },
    "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
}
GEMMA3_4B = {
    "model_type": "gemma3",
    "text_config": {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "num_hidden_layers": 34,
        "intermediate_size": 10240,
        "sliding_window": 1024,
    },
    "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
}
GPT_OSS = {
    "model_type": "gpt_oss",
    "hidden_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": 2880,
    "vocab_size": 201088,
    "max_position_embeddings": 131072,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "attention_bias": True,
    "tie_word_embeddings": False,
    "quantization_config": {"quant_method": "mxfp4"},
}
QWEN2 = {
    "model_type": "qwen2",
    "hidden_size": 3584,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "intermediate_size": 18944,
    "vocab_size": 152064,
    "max_position_embeddings": 32768,
    "tie_word_embeddings": False,
    "use_sliding_window": False,
    "sliding_window": 131072,
}
MIXTRAL = {
    "model_type": "mixtral",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "sliding_window": None,
    "tie_word_embeddings": False,
}
GEMMA2 = {
    "model_type": "gemma2",
    "hidden_size": 3584,
    "num_hidden_layers": 42,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 256,
    "intermediate_size": 14336,
    "vocab_size": 256000,
    "max_position_embeddings": 8192,
    "sliding_window": 4096,
}
PHI3 = {
    "model_type": "phi3",
    "hidden_size": 3072,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "intermediate_size": 8192,
    "vocab_size": 32064,
    "max_position_embeddings": 4096,
    "sliding_window": 2047,
    "tie_word_embeddings": False,
}
QWEN3_NEXT = {
    "model_type": "qwen3_next",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "intermediate_size": 5120,
    "vocab_size": 151936,
    "max_position_embeddings": 262144,
    "num_experts": 512,
    "num_experts_per_tok": 10,
    "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512,
    "decoder_sparse_step": 1,
    "full_attention_interval": 4,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 128,
    "linear_num_value_heads": 32,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "tie_word_embeddings": False,
}
GLM = {
    "model_type": "glm4_moe",
    "hidden_size": 4096,
    "num_hidden_layers": 46,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 10944,
    "vocab_size": 151552,
    "max_position_embeddings": 131072,
    "n_routed_experts": 128,
    "num_experts_per_tok": 8,
    "n_shared_experts": 1,
    "moe_intermediate_size": 1408,
    "first_k_dense_replace": 1,
    "num_nextn_predict_layers": 1,
    "attention_bias": True,
    "tie_word_embeddings": False,
}
DEEPSEEK_LITE = {
    "model_type": "deepseek_v2",
    "hidden_size": 2048,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "intermediate_size": 10944,
    "vocab_size": 102400,
    "max_position_embeddings": 163840,
    "kv_lora_rank": 512,
    "q_lora_rank": None,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "n_shared_experts": 2,
    "moe_intermediate_size": 1408,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "tie_word_embeddings": False,
}
LLAMA4 = {
    "model_type": "llama4",
    "text_config": {
        "model_type": "llama4_text",
        "hidden_size": 5120,
        "num_hidden_layers": 48,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 8192,
        "intermediate_size_mlp": 16384,
        "vocab_size": 202048,
        "max_position_embeddings": 10485760,
        "num_local_experts": 16,
        "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 1,
        "attention_chunk_size": 8192,
        "tie_word_embeddings": False,
    },
    "vision_config": {"hidden_size": 1408, "num_hidden_layers": 34, "intermediate_size": 5632},
}

KNOWN = [
    ("Llama-3.1-8B", LLAMA),
    ("Qwen3-30B-A3B", QWEN3_MOE),
    ("DeepSeek-V3", DEEPSEEK),
    ("Gemma-3-27B", GEMMA3),
    ("Gemma-3-4B", GEMMA3_4B),
    ("gpt-oss-20b", GPT_OSS),
    ("Qwen2.5-7B", QWEN2),
    ("Mixtral-8x7B", MIXTRAL),
    ("Gemma-2-9B", GEMMA2),
    ("Phi-3-mini-4k", PHI3),
    ("Qwen3-Next-80B-A3B", QWEN3_NEXT),
    ("GLM-4.5-Air", GLM),
    ("DeepSeek-V2-Lite", DEEPSEEK_LITE),
    ("Llama-4-Scout-17B-16E", LLAMA4),
]


@pytest.mark.parametrize(("name", "config"), KNOWN, ids=[name for name, _ in KNOWN])
def test_config_describes_the_catalog_model(name: str, config: dict[str, Any]) -> None:
    expected = catalog.llm(name)
    model = from_config(config, name=name)
    assert model.params_total == pytest.approx(expected.params_total, rel=0.005)
    assert model.params_extra == pytest.approx(expected.params_extra, rel=0.1, abs=1e6)
    for field in (
        "kv_elements_full",
        "kv_elements_sliding",
        "sliding_window",
        "state_bytes_per_sequence",
        "layers",
        "hidden",
        "heads",
        "kv_heads",
        "head_dim",
        "vocab",
        "tie_embeddings",
        "attention_kind",
        "mla",
        "moe",
        "linear",
        "out_gate",
        "mlp_gated",
        "max_context",
        "native_dtype",
    ):
        assert getattr(model, field) == getattr(expected, field), field
    assert sorted(model.layer_groups) == sorted(expected.layer_groups)


def test_sliding_window_of_all_layers() -> None:
    model = from_config({**LLAMA, "model_type": "mistral", "sliding_window": 4096}, name="windowed")
    assert model.layer_groups == (("sliding", "dense", 32),)
    assert (model.kv_elements_full, model.kv_elements_sliding, model.sliding_window) == (0, 65_536, 4096)


def test_catalog_reads_a_path(tmp_path: Any) -> None:
    folder = tmp_path / "My-8B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    model = catalog.llm(str(folder / "config.json"))
    assert (model.name, model.kv_elements_full) == ("My-8B", 65_536)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("[]", "holds no object"),
        ("{}", "no model_type"),
        ('{"model_type": "mamba2"}', "type 'mamba2' are not known"),
        (json.dumps({"model_type": "llama", "hidden_size": 4096}), "num_hidden_layers"),
        (json.dumps({**LLAMA, "hidden_size": "wide"}), "hidden_size"),
        (json.dumps({**LLAMA, "num_hidden_layers": -1}), "num_hidden_layers"),
        (json.dumps({**LLAMA, "layer_types": ["full_attention"]}), "layer_types"),
        (json.dumps({**LLAMA, "intermediate_size": None}), "intermediate_size"),
        (json.dumps({**QWEN3_MOE, "moe_intermediate_size": None}), "experts"),
        (json.dumps({**DEEPSEEK, "v_head_dim": None}), "latent attention"),
        (
            json.dumps({**LLAMA, "num_key_value_heads": 5}),
            "num_attention_heads (32) in the config.json is not a multiple",
        ),
        (json.dumps({**QWEN3_MOE, "num_experts_per_tok": 129}), "129 experts, but has 128"),
    ],
)
def test_unusable_file_is_one_clear_sentence(tmp_path: Any, text: str, says: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert says in caught.value.message
    assert "\n" not in caught.value.message


def test_a_byte_order_mark_and_a_folder_are_read(tmp_path: Any) -> None:
    folder = tmp_path / "My-Llama"
    folder.mkdir()
    (folder / "config.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(LLAMA).encode())
    assert read_config(folder) == read_config(folder / "config.json")
    assert read_config(folder).name == "My-Llama"


def test_what_is_no_text_is_told_in_plain_words(tmp_path: Any) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe{\x00}")
    with pytest.raises(InputError, match="is not a text file in UTF-8"):
        read_config(path)


def test_missing_file_is_an_input_error(tmp_path: Any) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_config(tmp_path / "absent.json")
