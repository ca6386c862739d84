"""OpenRouter's list: texts in dollars per token, free variants, routes without a price."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.openrouter import OpenRouter

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIST = json.loads((Path(__file__).parent / "payloads" / "openrouter_models.json").read_text(encoding="utf-8"))


def parsed(answer: Any) -> Fetched:
    return OpenRouter().parse(Answers.of("openrouter", models=answer), NOW)


def test_texts_per_token_become_dollars_per_million() -> None:
    price = parsed(LIST).tokens[0]
    assert (price.input_usd_per_m_tokens, price.output_usd_per_m_tokens) == (0.12, 0.34)
    assert price.cached_input_usd_per_m_tokens == 0.06
    assert (price.context_tokens, price.max_output_tokens, price.llm) == (131072, 16384, "Llama-3.3-70B")
    assert price.source_url == "https://openrouter.ai/meta-llama/llama-3.3-70b-instruct"


def test_free_variants_routes_and_gifts_are_no_prices() -> None:
    fetched = parsed(LIST)
    assert [price.model for price in fetched.tokens] == ["meta-llama/llama-3.3-70b-instruct", "vendor/renamed-model"]
    assert fetched.skipped == {
        "free variant": 1,
        "the price depends on the route": 1,
        "free or not priced": 1,
        "listed twice": 1,
    }


def test_the_weights_behind_a_name_decide_the_model() -> None:
    price = parsed(LIST).tokens[1]
    assert (price.llm, price.context_tokens, price.max_output_tokens) == ("Qwen3-32B", None, None)


@pytest.mark.parametrize(
    ("pricing", "said"),
    [
        ({"prompt": 1e-7, "completion": 1e-7}, "not in the known shape"),
        ({"prompt": "$0,05", "completion": "$0,10"}, "not in the known shape"),
        ({"prompt": "nan", "completion": "1e-7"}, "not in the known shape"),
        ([], "not in the known shape"),
        ({}, "holds no prices"),
        (None, "holds no prices"),
        ({"prompt": "0.5", "completion": "0.5"}, "holds no prices"),
    ],
)
def test_other_prices_are_not_read_as_one(pricing: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed({"data": [{"id": "a/b", "context_length": 1, "pricing": pricing}]})


@pytest.mark.parametrize("answer", [[], {"data": {}}, {"error": "no"}, "<html>"])
def test_other_answers_are_refused(answer: Any) -> None:
    with pytest.raises(FeedError):
        parsed(answer)


def test_one_list_is_asked_for(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    httpserver.expect_request("/openrouter.ai/api/v1/models").respond_with_json(LIST)
    assert len(fetch_and_parse("openrouter").tokens) == 2


def test_the_captured_list(capture: Callable[[str], bytes]) -> None:
    captured = json.loads(capture("openrouter/derived_catalog-2026-09-06.json"))["models"]

    def per_token(value: float | None) -> str:
        return f"{(value or 0) / 1e6:.12f}"

    rows = [
        {
            "id": row["openrouter_id"],
            "pricing": {
                "prompt": per_token(row["input_per_1m_usd"]),
                "completion": per_token(row["output_per_1m_usd"]),
            },
        }
        for row in captured
    ]
    found = {price.model: price for price in parsed({"data": rows}).tokens}
    assert found["meta-llama/llama-3.3-70b-instruct"].input_usd_per_m_tokens == 0.1
    assert found["meta-llama/llama-3.3-70b-instruct"].output_usd_per_m_tokens == 0.32
    assert found["amazon/nova-lite-v1"].input_usd_per_m_tokens == 0.06
    assert not [model for model in found if model.endswith(":free")]
