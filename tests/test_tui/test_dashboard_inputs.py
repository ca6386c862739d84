"""Every input of the workload can be shown, typed and stepped."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import catalog
from models.errors import RackrateError
from models.traffic import Workload
from tui.input_steps import scale_prompt, step_quant, step_traffic
from tui.input_text import show_traffic, show_traffic_narrow
from tui.inputs import BY_ID, FIELDS, read


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.id)
def test_what_is_shown_can_be_typed(field, llama):
    assert field.show(read(field, llama, field.show(llama))) == field.show(llama)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.id)
@pytest.mark.parametrize("direction", [1, -1])
def test_stepping_ends_at_an_end(field, direction, llama):
    before, seen = llama, []
    for _ in range(400):
        after = field.step(before, direction)
        seen.append(field.show(after))
        if after == before:
            break
        before = after
    else:
        pytest.fail("stepping never ends")
    assert len(set(seen[:-1])) == len(seen[:-1])


@pytest.mark.parametrize(
    ("field", "text", "check"),
    [
        ("input_tokens", "4096", ("input_tokens", 4096)), ("input_tokens", "128k", ("input_tokens", 128_000)),
        ("input_tokens", "1,155", ("input_tokens", 1155)), ("output_tokens", " 512 ", ("output_tokens", 512)),
        ("traffic", "12", ("requests_per_s", 12)), ("traffic", "30 req/min", ("requests_per_s", 0.5)),
        ("traffic", "32 users", ("concurrency", 32)), ("ttft_ms", "450 ms", ("ttft_ms", 450)), ("ttft_ms", "2", ("ttft_ms", 2000)),
        ("ttft_ms", "450", ("ttft_ms", 450)), ("ttft_ms", "none", ("ttft_ms", None)), ("tpot_ms", "20", ("tpot_ms", 50)),
        ("tpot_ms", "50 ms", ("tpot_ms", 50)), ("tpot_ms", "", ("tpot_ms", None)), ("quant", "FP8", ("quant", "fp8")),
        ("quant", "4-bit", ("quant", "4bit")), ("prefix_hit", "60%", ("prefix_hit", 0.6)), ("kv_quant", "fp8", ("kv_quant", "fp8")),
        ("input_tokens", "1e6", ("input_tokens", 1_000_000)), ("traffic", "1e6 users", ("concurrency", 1_000_000)),
        ("traffic", "100k users", ("concurrency", 100_000)), ("traffic", "2k/s", ("requests_per_s", 2000)),
        ("prefix_hit", "0.5 %", ("prefix_hit", 0.005)), ("prefix_hit", "1", ("prefix_hit", 0.01)),
        ("engine", "vLLM", ("engine", "vllm")), ("preset", "rag", ("input_tokens", 4096)),
    ],
)  # fmt: skip
def test_typed_values(field, text, check, llama):
    name, value = check
    assert getattr(read(BY_ID[field], llama, text), name) == value


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("model", "no-such-model"), ("quant", "q99"), ("kv_quant", "zz"), ("engine", "zz"), ("preset", "zz"), ("input_tokens", "0"),
        ("input_tokens", "-4"), ("input_tokens", "many"), ("output_tokens", "1e99"), ("traffic", "0"), ("traffic", "1.5 users"),
        ("traffic", "3 horses"), ("ttft_ms", "soon"), ("ttft_ms", "0"), ("prefix_hit", "150"), ("tpot_ms", "5 apples"),
    ],
)  # fmt: skip
def test_impossible_values_are_refused_in_the_words_of_the_screen(field, text, llama):
    with pytest.raises(RackrateError) as caught:
        read(BY_ID[field], llama, text)
    assert "--" not in str(caught.value)
    assert len(str(caught.value)) > 10


@given(st.sampled_from(FIELDS), st.text(max_size=30))
def test_no_text_breaks_a_field(field, text):
    workload = Workload(model=catalog.llm("Llama-3.1-8B"))
    with suppress(RackrateError):  # the only error the screen expects
        assert read(field, workload, text).model is not None


def test_changing_a_length_leaves_the_preset(llama):
    changed = read(BY_ID["input_tokens"], llama, "9999")
    assert changed.preset is None
    assert BY_ID["preset"].show(changed) == "own"


def test_preset_brings_its_traffic_only_where_the_old_one_was_a_presets(llama):
    assert read(BY_ID["preset"], llama, "internal").requests_per_s == 0.1
    assert read(BY_ID["preset"], llama.changed(requests_per_s=7.0), "internal").requests_per_s == 7.0
    assert read(BY_ID["preset"], llama.changed(concurrency=9), "internal").concurrency == 9


@pytest.mark.parametrize(
    ("start", "down"),
    [("8bit", ["4bit", "4bit"]), ("16bit", ["8bit", "4bit"]), ("q8_0", ["q6_k", "q5_k_m"]), ("bf16", ["fp8", "awq"])],
)
def test_precision_steps(start, down, llama):
    work, seen = llama.changed(quant=start), []
    for _ in range(2):
        work = step_quant(work, -1)
        seen.append(work.quant)
    assert seen == down
    assert catalog.find_quant(step_quant(work, 1).quant) or step_quant(work, 1).quant == "8bit"


def test_scaling_stays_inside_what_can_be_estimated(llama):
    work = llama
    for _ in range(80):
        work = scale_prompt(step_traffic(work, 1), 2)
    for _ in range(160):
        work = scale_prompt(step_traffic(work, -1), 0.5)
    assert work.requests_per_s > 0
    assert work.input_tokens == 1
    users = llama.changed(concurrency=1)
    assert step_traffic(users, -1).concurrency == 1


@pytest.mark.parametrize(
    ("traffic", "shown", "narrow"),
    [
        ({"concurrency": 100_000}, "100k users", "100k u"),
        ({"concurrency": 1}, "1 user", "1 u"),
        ({"requests_per_s": 838.9}, "839 req/s", "839/s"),
        ({"requests_per_s": 1e6}, "1M req/s", "1M/s"),
        ({"requests_per_s": 1500.0}, "1,500 req/s", "1,500/s"),
        ({"requests_per_s": 0.5}, "0.5 req/s", "0.5/s"),
    ],
)
def test_traffic_is_short_and_both_forms_can_be_typed(traffic, shown, narrow, llama):
    work = llama.changed(**traffic)
    assert (show_traffic(work), show_traffic_narrow(work)) == (shown, narrow)
    for text in (shown, narrow):
        assert show_traffic(read(BY_ID["traffic"], llama, text)) == shown


def test_traffic_steps_come_back(llama):
    work, down = llama, []
    while (after := step_traffic(work, -1)) != work:
        work = after
        down.append(work.requests_per_s)
    for expected in [*reversed(down[:-1]), 1]:
        work = step_traffic(work, 1)
        assert work.requests_per_s == expected


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("input_tokens", "-5", "The prompt length is -5; it must lie between 1 and 10,000,000."),
        ("traffic", "1e9 req/s", "The traffic is 1,000,000,000; it must lie between 0.000001 and 10,000,000."),
        ("tpot_ms", "-5", "more than 0 tokens per second"),
        ("prefix_hit", "0.5", "write 50 for 50 %"),
        ("prefix_hit", "-5", "0 to 100 %"),
    ],
)
def test_a_number_out_of_range_is_told_the_range(field, text, said, llama):
    with pytest.raises(RackrateError) as caught:
        read(BY_ID[field], llama, text)
    assert said in str(caught.value)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.id)
@pytest.mark.parametrize("char", ["x", "9"])
def test_a_pasted_file_is_not_repeated(field, char, llama):
    with pytest.raises(RackrateError) as caught:
        read(field, llama, char * 20_000)
    assert len(str(caught.value)) < 300


def test_the_hint_says_what_a_bare_number_means(llama):
    assert "5 = 5 req/s" in BY_ID["traffic"].hint_for(llama)
    assert "5 = 5 users" in BY_ID["traffic"].hint_for(llama.changed(concurrency=32))
    assert read(BY_ID["traffic"], llama.changed(concurrency=32), "5").concurrency == 5


@pytest.mark.parametrize("field", ["input_tokens", "output_tokens"])
@pytest.mark.parametrize("text", ["1.5", "1.5 tokens", "0.4tok", "1234.5"])
def test_there_is_no_part_of_a_token(llama, field, text):
    with pytest.raises(RackrateError, match="whole number of tokens"):
        read(BY_ID[field], llama, text)
    assert getattr(read(BY_ID[field], llama, "1.5k"), field) == 1500


def test_the_traffic_says_what_a_user_is(llama):
    assert "each asks again as soon as it is answered" in BY_ID["traffic"].hint_for(llama)
