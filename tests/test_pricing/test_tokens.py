"""Token prices as a table of their own: what counts as the same model, the CSV text, and the rows that ship."""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from datetime import date

import pytest

from models import catalog
from pricing.errors import OffersError
from pricing.tokens import TOKEN_COLUMNS, TokenPrice, bundled, format_tokens, parse_tokens, same_llm

PRICE = TokenPrice(
    source="a list",
    provider="deepinfra",
    model="deepinfra/meta-llama/Llama-3.3-70B-Instruct",
    llm="Llama-3.3-70B",
    input_usd_per_m_tokens=0.21,
    output_usd_per_m_tokens=0.43,
    cached_input_usd_per_m_tokens=None,
    context_tokens=131072,
    max_output_tokens=None,
    source_url="https://deepinfra.example/pricing",
    source_date="2026-11-30",
    deprecation_date=None,
)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("deepinfra/meta-llama/Llama-3.3-70B-Instruct", "Llama-3.3-70B"),
        ("together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo", "Llama-3.3-70B"),
        ("us.meta.llama3-3-70b-instruct-v1:0", "Llama-3.3-70B"),
        ("gmi/zai-org/GLM-5-FP8", "GLM-5"),
        ("azure_ai/FW-DeepSeek-V3.2", "DeepSeek-V3.2"),
        ("deepseek-ai/DeepSeek-R1-0528", "DeepSeek-R1"),
        ("bedrock/us-east-1/openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
        ("vertex_ai/qwen/qwen3-235b-a22b-instruct-2507-maas", "Qwen3-235B-A22B"),
    ],
)
def test_other_spellings_of_a_model_are_it(spelling: str, name: str) -> None:
    assert same_llm(spelling) == name


@pytest.mark.parametrize(
    "spelling",
    [
        "moonshotai/Kimi-K2.7-Code",
        "zai-org/GLM-5.2",
        "openai/gpt-oss-safeguard-120b",
        "meta-llama/Llama-Guard-3-8B",
        "nousresearch/Hermes-3-Llama-3.1-70B",
        "nvidia/Llama-3.1-Nemotron-70B-Instruct",
        "Qwen/Qwen3-VL-32B-Instruct",
        "mistralai/Mistral-7B-Instruct-v0.1",
        "vertex_ai/meta/llama-4-maverick-17b-16e-instruct-maas",
        "made-up/model",
    ],
)
def test_a_relative_of_the_same_shape_is_another_model(spelling: str) -> None:
    assert same_llm(spelling) is None


def test_the_text_gives_back_the_same_prices() -> None:
    other = dataclasses.replace(
        PRICE, model="x", llm=None, output_usd_per_m_tokens=None, deprecation_date="2027-01-31", max_output_tokens=8
    )
    text = format_tokens([PRICE, other])
    assert parse_tokens(text, "prices") == (PRICE, other)
    assert text.splitlines()[0] == ",".join(TOKEN_COLUMNS)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("input_usd_per_m_tokens", "free", "not a number"),
        ("input_usd_per_m_tokens", "0", "no price"),
        ("output_usd_per_m_tokens", "nan", "no price"),
        ("output_usd_per_m_tokens", "-1", "no price"),
        ("cached_input_usd_per_m_tokens", "1e309", "no price"),
        ("context_tokens", "128k", "not a number of tokens"),
        ("context_tokens", "9" * 40, "not a number of tokens"),
        ("llm", "Llama-99", "not a model"),
        ("source_url", "file:///etc/passwd", "not an address"),
        ("source_date", "last Friday", "not a date"),
        ("deprecation_date", "2026-13-01", "not a date"),
        ("provider", "", "must not be empty"),
    ],
)
def test_a_cell_that_is_none_is_named(column: str, cell: str, said: str) -> None:
    cells = dict(zip(TOKEN_COLUMNS, format_tokens([PRICE]).splitlines()[1].split(","), strict=True)) | {column: cell}
    text = f"{','.join(TOKEN_COLUMNS)}\n{','.join(cells.values())}\n"
    with pytest.raises(OffersError, match=f"line 2, column {column}.*{said}"):
        parse_tokens(text, "prices")


def test_other_texts_are_refused() -> None:
    good = format_tokens([PRICE])
    for text, said in (
        ("", "line 1"),
        ("a,b\n1,2\n", "line 1"),
        (good + "one,two\n", "line 3: 2 fields"),
        (good + good.splitlines()[1] + "\n", "line 3.*listed twice"),
        (good + '"', "line 3"),
        (good.replace("0.21", "").replace("0.43", ""), "there is no price"),
    ):
        with pytest.raises(OffersError, match=said):
            parse_tokens(text, "prices")


def test_control_characters_do_not_reach_a_terminal() -> None:
    text = format_tokens([PRICE]).replace("deepinfra,", "deep\x1b[31minfra,", 1)
    assert parse_tokens(text, "prices")[0].provider == "deep[31minfra"


# The prices that ship with rackrate.


def test_bundled_prices_are_of_catalog_models_with_a_source_and_a_date() -> None:
    prices = bundled()
    assert len(prices) >= 300
    assert len({price.llm for price in prices}) >= 60
    names = {model.name for model in catalog.llms()}
    for price in prices:
        assert price.llm in names, price.model
        assert same_llm(price.model) == price.llm
        assert price.source_url.startswith("https://")
        assert date.fromisoformat(price.source_date) <= date(2026, 11, 30)
        assert price.deprecation_date is None or price.deprecation_date >= price.source_date


def test_bundled_prices_lie_where_prices_can_lie() -> None:
    outputs = defaultdict(list)
    for price in bundled():
        given = price.input_usd_per_m_tokens, price.output_usd_per_m_tokens
        assert all(0.001 <= value <= 50 for value in given if value is not None), price.model
        if price.cached_input_usd_per_m_tokens and price.input_usd_per_m_tokens:
            assert price.cached_input_usd_per_m_tokens <= price.input_usd_per_m_tokens, price.model
        if price.output_usd_per_m_tokens:
            outputs[price.llm].append(price.output_usd_per_m_tokens)
    for name, values in outputs.items():
        middle = statistics.median(values)
        # A price per thousand or per token among those per million would be off by a thousand.
        assert all(middle / 20 < value < middle * 20 for value in values), name
