"""The filter expression: every form, and one sentence for every mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pricing.errors import WhereError
from pricing.where import compile_where, terms_of, word_of
from pricing.where_fields import FIELDS, NAMES, NUMBER_HELP, TEXT_HELP

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.compare import Comparison
    from pricing.offer import Offer


@pytest.fixture
def comparison(make_offer: Callable[..., Offer], make_comparison: Callable[..., Comparison]) -> Comparison:
    def figures(estimates: Any, market: Any) -> None:
        for at, server in enumerate(market.servers):
            estimates.ttft_ms[at] = np.nan if server.kind == "cpu" else 250.0 * server.gpu_count

    return make_comparison(
        [
            make_offer(server="small", ram_gib=16.0),
            make_offer(
                server="four",
                gpu_count=4.0,
                price_per_hour=4.0,
                provider="gcp",
                region="europe-west4",
                region_group="eu",
            ),
            make_offer(
                server="h100",
                gpu_model="H100-80GB-SXM5",
                vram_gib_per_gpu=80.0,
                price_per_hour=3.0,
                term="spot",
                tier="secure",
                source_date=None,
            ),
            make_offer(server="odd", gpu_model="Card of 2029", vram_gib_per_gpu=512.0),
            make_offer(
                server="box",
                kind="cpu",
                provider="hetzner",
                region="fsn1",
                region_group="eu",
                cpu_model="AMD EPYC 9354",
                cores=32.0,
                ram_gib=128.0,
                price_per_hour=None,
                price_per_month=200.0,
                term="monthly",
            ),
        ],
        change=figures,
    )


def passing(comparison: Comparison, text: str) -> str:
    mask = compile_where(text).mask(comparison)
    return " ".join(offer.server for offer, shown in zip(comparison.market.offers, mask, strict=True) if shown)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", "small four h100 odd box"),
        ("h100", "h100"),
        ("EPYC", "box"),
        ('"europe-west4 eu"', "four"),
        ("cpu", "box"),
        ("gpu", "small four h100 odd"),
        ("!gpu", "box"),
        ("spot", "h100"),
        ("!spot gpu", "small four odd"),
        ("monthly", "box"),
        ("undated", "h100"),
        ("fresh", "small four odd box"),
        ("unknown", "odd"),
        ("gpu>=80", "h100 odd"),
        ("gpu>=80gb", "h100 odd"),
        ("gpu=24", "small four"),
        ("gpus>1", "four"),
        ("vram>=96", "four odd"),
        ("!gpu>=80", "small four box"),
        ("ram>=100", "box"),
        ("ram!=16", "box"),
        ("cores>=32", "box"),
        ("price<2", "small odd"),
        ("$mo<900", "small odd box"),
        ("$mo<$900", "small odd box"),
        ("$h>=4", "four"),
        ("ttft<1s", "small h100 odd"),
        ("ttft<=1000ms gpus>1", "four"),
        ("ttft_ms<300", "small h100 odd"),
        ("provider:hetzner", "box"),
        ("provider:hetzner,gcp", "four box"),
        ("region:eu", "four box"),
        ("region:europe-west4", "four"),
        ("!region:eu", "small h100 odd"),
        ("term:spot,monthly", "h100 box"),
        ("tier:secure", "h100"),
        ("chip:h100", "h100"),
        ("hardware:epyc", "box"),
        ("engine:vllm gpu>=80", "h100 odd"),
        ("age<2mo", "small four odd box"),
        ("GPU>=80 !SPOT", "odd"),
        ("gpu_model:l4", "small four"),
        ("gpu > 24", "h100 odd"),
        ("gpu >=80 gpus= 1 !spot", "odd"),
        ("ram != 16 cpu", "box"),
        ('"gpu > 24"', ""),
        ("$/mo<900", "small odd box"),
        ("€/mo < 900", "small odd box"),
        ("CN¥/mo<900", "small odd box"),
        ("where:eu", "four box"),
    ],
)
def test_every_form(comparison: Comparison, text: str, left: str) -> None:
    assert passing(comparison, text) == left


@pytest.mark.parametrize(
    ("text", "term", "said"),
    [
        ("cpu gpuu>=24", "gpuu>=24", "gpu"),
        ("gpu>=", "gpu>=", "missing"),
        ("gpu>=many", "gpu>=many", "not a number"),
        ("gpu>=nan", "gpu>=nan", "not a number"),
        ("gpu>=-5", "gpu>=-5", "not a number"),
        ("ttft<1y", "ttft<1y", "unit"),
        ("ttft<1e", "ttft<1e", "not a number|unit"),
        ("provider:", "provider:", "missing"),
        ("colour:red", "colour:red", "no field"),
        ("term:weekly", "term:weekly", "no term"),
        ("!", "!", "nothing after"),
        ('cpu "open', '"open', "not closed"),
        ("x" * 3000, "xxxxxxxxxxxxxxxxxxxx…", "longer than"),
    ],
)
def test_a_mistake_names_the_term(text: str, term: str, said: str) -> None:
    with pytest.raises(WhereError) as caught:
        compile_where(text)
    assert caught.value.term == term
    assert any(part in str(caught.value) for part in said.split("|")), str(caught.value)


def test_the_headings_of_the_dashboard_work(comparison: Comparison) -> None:
    for text, column, limit in (
        ("N<=1", "servers_needed", 1.0), ("users<=10", "max_concurrency", 10.0), ("fit<=50", "memory_used_share", 0.5),
        ("$/mtok<=1", "cost_per_m_output_tokens", 1.0), ("tok/s·u <= 50", "tokens_per_s_user", 50.0),
        ("TTFT<=1s", "ttft_ms", 1000.0), ("tok/s<=99", "output_tokens_per_s", 99.0), ("load<=20", "load_s", 20.0),
    ):  # fmt: skip
        if column == "memory_used_share":
            values = comparison.estimates.memory_used_share[comparison.market.server_index]
        else:
            values = comparison.column(column).astype(float)
        expected = values <= limit
        assert (compile_where(text).mask(comparison) == expected).all(), text


def test_every_field_of_the_help_works(comparison: Comparison) -> None:
    for name, _ in NUMBER_HELP:
        compile_where(f"{name}>=1").mask(comparison)
    for name, _ in TEXT_HELP:
        compile_where(f"{name}{'spot' if name == 'term:' else 'x'}").mask(comparison)
    assert {FIELDS[name][0] for name, _ in NUMBER_HELP} == {column for column, _ in FIELDS.values()}
    said = " ".join(f"{name} {meaning}" for name, meaning in TEXT_HELP)
    assert all(f"{name}:" in said for name in (*NAMES, "region"))


@pytest.mark.parametrize("text", ["colour:red", "horses>=5", "gpuu>=5"])
def test_a_wrong_name_lists_what_exists(text: str) -> None:
    with pytest.raises(WhereError) as caught:
        compile_where(text)
    assert all(name in str(caught.value) for name in ("$/mtok", "fit", "provider:", "region:", "term:", "chip:"))
    assert len(str(caught.value)) < 320


def test_numbers_and_texts_are_not_mixed_up() -> None:
    with pytest.raises(WhereError, match="Write provider:something"):
        compile_where("provider=5")
    with pytest.raises(WhereError, match="Write users>=10"):
        compile_where("users:5")


def test_a_text_column_is_not_compared_with_a_number(comparison: Comparison) -> None:
    with pytest.raises(WhereError, match="server is text"):
        compile_where("server>5").mask(comparison)


def test_the_culprit_is_the_term_that_hides_most(comparison: Comparison) -> None:
    where = compile_where("gpu gpu>=9999")
    assert not where.mask(comparison).any()
    assert where.culprit(comparison, np.ones(len(comparison), dtype=bool))[0] == "gpu>=9999"


def test_text_is_never_a_pattern(comparison: Comparison) -> None:
    assert passing(comparison, ".*") == ""
    assert passing(comparison, "[bold]") == ""


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("ram >= 64 gb", ["ram>=64gb"]),
        ("ram>=64 gb h100", ["ram>=64gb", "h100"]),
        ("ttft < 1 s cpu", ["ttft<1s", "cpu"]),
        ("age<30 d", ["age<30d"]),
        ("gpus>=2 gb", ["gpus>=2", "gb"]),
        ("gpu>=24 t4", ["gpu>=24", "t4"]),
        ('"ram >= 64 gb"', ['"ram >= 64 gb"']),
        ("!ram>=64 gb", ["!ram>=64gb"]),
        ("h100 | a100", ["h100|a100"]),
        ('"a | b" | c', ['"a | b"|c']),
        ("ram>=64 gb|gpu", ["ram>=64gb|gpu"]),
        ("provider:acme s", ["provider:acme", "s"]),
    ],
)
def test_a_unit_behind_a_space_belongs_to_its_number(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_a_bar_is_or(comparison: Comparison) -> None:
    def mask(text: str) -> np.ndarray:
        return compile_where(text).mask(comparison)

    assert (mask("gpu|cpu")).all()
    assert (mask("gpu>=40|ram>=200") == (mask("gpu>=40") | mask("ram>=200"))).all()
    assert (mask("!gpu>=40|cpu") == ~(mask("gpu>=40") | mask("cpu"))).all()
    assert (mask("cpu|!spot") == (mask("cpu") | ~mask("spot"))).all()


@pytest.mark.parametrize("text", ["|", "a|", "|a", "a||b", "!|a"])
def test_a_bar_stands_between_two(text: str) -> None:
    with pytest.raises(WhereError, match="bar"):
        compile_where(text)


def test_a_word_is_told_from_other_terms() -> None:
    assert [word_of(token) for token in ("h100", '"two words"', "gpu", "gpu>=1", "!a", "provider:a")] == [
        "h100",
        "two words",
        None,
        None,
        None,
        None,
    ]
