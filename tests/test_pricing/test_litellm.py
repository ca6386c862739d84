"""LiteLLM's table: per token to per million, and the entries that are no price of tokens."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pricing.answers import Answers
from pricing.errors import FeedError
from pricing.providers.litellm import LiteLLM
from pricing.tokens import TokenPrice, format_tokens, parse_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from pricing.provider import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TABLE = json.loads((Path(__file__).parent / "payloads" / "litellm_prices.json").read_text(encoding="utf-8"))


def parsed(table: Any) -> Fetched:
    return LiteLLM().parse(Answers.of("litellm", prices=table), NOW)


def by_model(fetched: Fetched) -> dict[str, TokenPrice]:
    found = {price.model: price for price in fetched.tokens}
    assert len(found) == len(fetched.tokens)
    return found


def test_prices_per_token_become_dollars_per_million() -> None:
    price = by_model(parsed(TABLE))["deepinfra/meta-llama/Llama-3.3-70B-Instruct"]
    assert (price.input_usd_per_m_tokens, price.output_usd_per_m_tokens) == (0.21, 0.43)
    assert (price.provider, price.llm, price.source) == ("deepinfra", "Llama-3.3-70B", "litellm")
    assert (price.context_tokens, price.max_output_tokens, price.source_date) == (131072, 8192, "2026-11-30")
    assert price.source_url == "https://deepinfra.example/pricing"


def test_the_price_of_cached_input_is_not_the_price() -> None:
    price = by_model(parsed(TABLE))["deepseek/deepseek-v3"]
    assert (price.input_usd_per_m_tokens, price.cached_input_usd_per_m_tokens) == (0.3, 0.03)
    assert price.deprecation_date == "2027-01-31"


def test_what_is_free_tiered_unpriced_or_no_text_model_is_left_out() -> None:
    fetched = parsed(TABLE)
    assert set(by_model(fetched)) == {
        "deepinfra/meta-llama/Llama-3.3-70B-Instruct",
        "deepseek/deepseek-v3",
        "nimbus/some-closed-model",
        "voyage/some-embedder",
        "nowhere/kimi-k2.7-code",
    }
    assert fetched.skipped == {
        "free, priced in tiers or not priced": 3,
        "not a text model": 1,
        "price beyond any model's": 2,
        "without a name or a price": 1,
    }


def test_a_model_of_another_version_is_not_matched() -> None:
    found = by_model(parsed(TABLE))
    assert found["nowhere/kimi-k2.7-code"].llm is None
    assert found["nimbus/some-closed-model"].llm is None


def test_embedders_have_no_output_price_and_a_page_that_is_none_is_not_linked() -> None:
    found = by_model(parsed(TABLE))
    assert found["voyage/some-embedder"].output_usd_per_m_tokens is None
    assert found["nimbus/some-closed-model"].source_url.startswith("https://github.com/")


def test_what_was_read_can_be_kept() -> None:
    tokens = parsed(TABLE).tokens
    assert parse_tokens(format_tokens(tokens), "litellm") == tokens


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([], "no object"),
        ("<html>", "web page"),
        ({}, "holds no prices"),
        ({"sample_spec": {}}, "holds no prices"),
        ({"a": [], "b": "x"}, "not in the known shape"),
        ({"a": {"mode": "chat", "litellm_provider": "a", "input_cost_per_token": "1e-6"}}, "not in the known shape"),
        ({"a": {"mode": "chat", "litellm_provider": "a", "input_cost_per_token": -1e-6}}, "not in the known shape"),
        ({"a": {"mode": "chat", "litellm_provider": "a", "input_cost_per_token": True}}, "not in the known shape"),
    ],
)
def test_other_answers_are_refused(table: Any, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parsed(table)


def test_one_file_is_asked_for(httpserver: HTTPServer, fetch_and_parse: Callable[..., Fetched]) -> None:
    path = "/raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
    httpserver.expect_request(path).respond_with_json(TABLE)
    assert len(fetch_and_parse("litellm").tokens) == 5
    assert len(httpserver.log) == 1


def test_the_captured_table(capture: Callable[[str], bytes]) -> None:
    found = by_model(parsed(capture("litellm/model_prices-1.110.2.json")))
    expected = {
        "gpt-4o": (2.5, 10.0),
        "gpt-4o-mini": (0.15, None),
        "deepseek/deepseek-chat": (0.28, None),
        "cerebras/llama-3.3-70b": (None, 1.2),
        "deepinfra/meta-llama/Llama-3.3-70B-Instruct": (0.23, None),
    }
    for model, (asked_in, asked_out) in expected.items():
        assert asked_in in {None, found[model].input_usd_per_m_tokens}, model
        assert asked_out in {None, found[model].output_usd_per_m_tokens}, model
    assert (found["gpt-4o"].provider, found["gpt-4o"].llm) == ("openai", None)
    for model in (
        "sample_spec",
        "meta_llama/Llama-3.3-70B-Instruct",
        "dashscope/qwen3-30b-a3b",
        "codestral/codestral-2405",
        "aiml/dall-e-2",
    ):
        assert model not in found
    assert len(found) == 213
