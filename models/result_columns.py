"""Names of the estimator's figures, in the order of every file that holds them."""

from __future__ import annotations

FIGURES = (
    "weights_gib_per_device",
    "kv_bytes_per_token",
    "kv_pool_gib_per_device",
    "kv_pool_tokens",
    "max_context",
    "max_sequences",
    "ttft_ms",
    "ttft_ms_low",
    "ttft_ms_high",
    "ttft_solo_ms",
    "ttft_p95_ms",
    "tpot_ms",
    "tpot_ms_low",
    "tpot_ms_high",
    "tokens_per_s_user",
    "output_tokens_per_s",
    "output_tokens_per_s_low",
    "output_tokens_per_s_high",
    "total_tokens_per_s",
    "prompt_tokens_per_s",
    "requests_per_s",
    "max_concurrency",
)
"""Numbers; missing is NaN in arrays, None in rows, empty in files."""
LAYOUT = ("tp_used", "replicas", "bound_by", "basis")
ESTIMATE_COLUMNS = ("fits", "fit_reason", *FIGURES, "engine_used", "quant_used", *LAYOUT)
"""Columns of an estimate in a comparison."""
RESULT_COLUMNS = ("fits", "fit_reason", *FIGURES, "engine_used", *LAYOUT, "error")
"""Columns of an estimate of a case."""
