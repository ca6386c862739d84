"""Traces as public ones are written, and files that are none."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest

from models.errors import InputError
from pricing import trace_file
from pricing.trace import read_trace

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "timestamp,input_tokens,output_tokens\n"
AZURE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
2023-11-16 18:17:50.0000000,879,55
"""
BURST = """Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type
5,1,0.1,ChatGPT,472,18,490,Conversation log
45,2,0.2,ChatGPT,1087,230,1317,Conversation log
118,3,0.2,GPT-4,417,276,693,API log
"""
MOONCAKE = """{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}
{"timestamp": 30535, "input_length": 6472, "output_length": 26, "hash_ids": [46]}
{"timestamp": 87482, "input_length": 100, "output_length": 10, "hash_ids": []}
"""
LATE = """{{"timestamp": {}, "input_length": 5, "output_length": 6, "hash_ids": [1]}}

{{"hash_ids": [], "output_length": 6, "timestamp": {}, "input_length": 5}}
"""
OWN = """timestamp,input_tokens,output_tokens
2026-11-30T12:00:00Z,100,10
2026-11-30T13:00:00+01:00,200,20
2026-11-30T12:01:00Z,300,30
"""


@pytest.mark.parametrize(
    ("name", "text", "span", "prompts"),
    [
        ("azure.csv", AZURE, 123.31941, (374 + 396 + 879) / 3),
        ("burst.csv", BURST, 113.0, (472 + 1087 + 417) / 3),
        ("mooncake.jsonl", MOONCAKE, 60.0, (6955 + 6472 + 100) / 3),
        ("own.csv", OWN, 60.0, 200.0),
        ("bom.jsonl", "\ufeff" + MOONCAKE, 60.0, (6955 + 6472 + 100) / 3),
        ("bom.csv", "\ufeff" + OWN, 60.0, 200.0),
        ("millis.csv", "ts,prompt_tokens,completion_tokens\n1700000000000,5,6\n1700000060000,5,6\n", 60.0, 5.0),
        (
            "nanos.csv",
            "ts,prompt_tokens,completion_tokens\n1700000000000000000,5,6\n1700000060000000000,5,6\n",
            60.0,
            5.0,
        ),
        ("micros.csv", "ts,prompt_tokens,completion_tokens\n1700000000000000,5,6\n1700000060000000,5,6\n", 60.0, 5.0),
        ("epoch.csv", "ts,prompt_tokens,completion_tokens\n1700000000,5,6\n1700000060,5,6\n", 60.0, 5.0),
        (
            "zones.csv",
            "ts,prompt_tokens,completion_tokens\n2026-11-30T12:00+02:00,5,6\n2026-11-30T12:01+02:00,5,6\n",
            60.0,
            5.0,
        ),
        ("late.jsonl", LATE.format(40_000_000, 43_600_000), 3600.0, 5.0),
        ("epoch.jsonl", LATE.format(1_700_000_000, 1_700_000_060), 60.0, 5.0),
        ("epoch-ms.ndjson", LATE.format(1_700_000_000_000, 1_700_000_060_000), 60.0, 5.0),
    ],
)
def test_public_shapes(tmp_path: Path, name: str, text: str, span: float, prompts: float) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_trace(str(tmp_path / name))
    assert found.span_s == pytest.approx(span, rel=1e-6)
    assert found.input_mean == pytest.approx(prompts)


@pytest.mark.parametrize(("name", "text"), [("azure.csv.gz", AZURE), ("mooncake.jsonl.gz", MOONCAKE)])
def test_a_packed_trace(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert read_trace(str(tmp_path / name)).requests == 3


@pytest.mark.parametrize("separator", ";\t|")
def test_other_separators_are_found(tmp_path: Path, separator: str) -> None:
    (tmp_path / "trace.csv").write_text(OWN.replace(",", separator))
    assert read_trace(str(tmp_path / "trace.csv")).input_mean == 200.0


def test_a_packed_file_is_known_by_its_bytes_and_json_by_its_bracket(tmp_path: Path) -> None:
    (tmp_path / "packed.csv").write_bytes(gzip.compress(AZURE.encode()))
    (tmp_path / "lines.json").write_text(MOONCAKE)
    assert read_trace(str(tmp_path / "packed.csv")).requests == 3
    assert read_trace(str(tmp_path / "lines.json")).span_s == 60.0


def test_a_column_of_whole_prompts_is_read_over(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(f"prompt,{HEAD}{'a' * 200_000},0,5,6\nb,60,5,6\n")
    assert read_trace(str(tmp_path / "trace.csv")).span_s == 60.0


TIMES = '{{"{0}": 0{1}, "input_tokens": 5, "output_tokens": 6}}\n{{"{0}": 3600{1}, "input_tokens": 5, "output_tokens": 6}}\n'


@pytest.mark.parametrize(
    ("text", "span", "unit"),
    [
        (TIMES.format("timestamp", ""), 3600.0, "seconds"),
        (TIMES.format("timestamp", ".0"), 3600.0, "seconds"),
        (TIMES.format("arrival_time", ""), 3600.0, "seconds"),
        (TIMES.format("timestamp_ms", ""), 3.6, "milliseconds"),
        ("arrival_time,input_tokens,output_tokens\n0,5,6\n3600,5,6\n", 3600.0, "seconds"),
        ("timestamp_ms,input_tokens,output_tokens\n0,5,6\n3600,5,6\n", 3.6, "milliseconds"),
        ("timestamp,input_length,output_length,hash_ids\n0,5,6,[]\n3600,5,6,[]\n", 3.6, "milliseconds"),
        (MOONCAKE, 60.0, "milliseconds"),
        (LATE.format(1_700_000_000_000, 1_700_000_060_000), 60.0, "milliseconds since 1970"),
        (HEAD + "1700000000000,5,6\n1700000060000,5,6\n", 60.0, "milliseconds since 1970"),
        (OWN, 60.0, "dates"),
    ],
)
def test_numbers_are_one_unit_in_both_formats_and_it_is_said(tmp_path: Path, text: str, span: float, unit: str) -> None:
    (tmp_path / "trace.txt").write_text(text)
    found = read_trace(str(tmp_path / "trace.txt"))
    assert (found.span_s, found.times_read_as) == (span, unit)
    assert f"times read as {unit}" in found.demand.note


def test_lengths_that_say_nothing_are_told(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(HEAD + "0,5,0\n60,5,0\n")
    note = read_trace(str(tmp_path / "trace.csv")).demand.note
    assert "all answers have 0 tokens" in note
    assert "prompts" not in note


def test_order_does_not_matter(tmp_path: Path) -> None:
    head, *rows = AZURE.splitlines(keepends=True)
    (tmp_path / "up.csv").write_text(AZURE)
    (tmp_path / "down.csv").write_text("".join([head, *reversed(rows)]))
    assert read_trace(str(tmp_path / "up.csv")) == read_trace(str(tmp_path / "down.csv"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n1,2\n", "has no column for a time"),
        ("timestamp,input_tokens\n1,2\n", "answer tokens"),
        (HEAD, "has no requests"),
        (HEAD + "1,5,5\n", "two different times"),
        (HEAD + "1,5,5\n1,5,5\n", "two different times"),
        (HEAD + "1,5,5\n2,-5,5\n", "line 3: input_tokens cannot be '-5'"),
        (HEAD + "1,5,5\n2,5,\n", "line 3 has no output_tokens"),
        (HEAD + "1,5,5\n2,5\n", "line 3 has no output_tokens"),
        (HEAD + "1,5,5\n2,5,many\n", "line 3: output_tokens cannot be 'many'"),
        (HEAD + "1,5,5\n2,1e300,5\n", "line 3: input_tokens"),
        (HEAD + "monday,5,5\n2026-11-30,5,5\n", "line 2: 'monday' is not a time"),
        (HEAD + "1,5,5\n,5,5\n", "line 3 has no timestamp"),
        (HEAD + "1,5,5\n\n\n2,x,5\n", "line 5: input_tokens cannot be 'x'"),
        ("\n" + HEAD + '"1",5,5\n2,"5\n6",5\n3,-1,5\n', "line 4: input_tokens"),
        (HEAD + "1,TRUE,5\n2,FALSE,5\n", "line 2: input_tokens cannot be 'True'"),
        (HEAD + "1,20000000,5\n2,5,5\n", "line 2: input_tokens cannot be"),
        (HEAD + "0,5,5\n1e18,5,5\n", "32 years apart"),
        (HEAD + "0,5,5\n1e300,5,5\n", "line 3: '1e.300' is not a number of seconds"),
        (HEAD + "2026-11-30 10:00,5,5\n2026-11-30T11:00:00+02:00,5,5\n", "line 3: .* has a time zone, unlike"),
        (HEAD + "2026-11-30T10:00Z,5,5\n2026-11-30T11:00:00,5,5\n", "line 3: .* has no time zone, unlike"),
        (HEAD + "2026-11-30,5,5\n30.11.2026,5,5\n", "line 3: '30.11.2026' is not a time"),
        (HEAD + '1,5,5\n"2,5,5\n', "line 3: a quote is opened and not closed"),
        (HEAD + "1,2,3,4,5\n2,2,3\n", "line 2: 2 more values"),
        (HEAD + "1,2,3\n\n2,2,3,4\n", "line 4: 1 more value than"),
        (HEAD + "0,5,5\n3,5,5\nx,y,z\n", "line 4: 'x' is not a number of seconds"),
        (HEAD + "0,5,5\n2026-11-30,5,5\n", "line 3: '2026-11-30' is not a number of seconds"),
        (HEAD + "2026-11-30,5,5\n1767225620,5,5\n", "line 3: '1767225620' is a number, unlike the dates before"),
        (HEAD.replace(",", ";") + "0,5;5;5\n", "line 2: '0,5' .* Write a decimal point"),
        (HEAD + "9" * 140_000 + ",5,5\n", "line 2: '9+…' is not a time"),
        (HEAD.strip() + ",input_tokens\n1,5,5,6\n", "two columns named input_tokens"),
        (HEAD.strip() + ",Timestamp\n1,5,5,6\n", "two columns named timestamp"),
        ("\x00\x01\x02\x03" * 50, "no column"),
        ("<html><body>Not found</body></html>", "no column"),
    ],
)
def test_files_that_are_no_trace_get_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words) as caught:
        read_trace(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no requests"),
        ('"abc"\n', "line 1 is not an object"),
        ("[1, 2]\n", "holds a JSON list; a trace has one object a line"),
        ('[{"timestamp": 1,\n"input_length": 5}]', "holds a JSON list"),
        (MOONCAKE + "[1]\n", "line 4 is not an object"),
        (MOONCAKE + "{bad\n", "line 4 is not JSON"),
        (MOONCAKE + "[" * 100_000 + "\n", "line 4 is not JSON"),
        ('{"timestamp": 1}\n', "no column for prompt tokens"),
        (MOONCAKE + '\n{"timestamp": 1, "input_length": -5, "output_length": 4}\n', "line 5: input_length cannot be"),
        (MOONCAKE + '{"timestamp": 1, "input_length": 5}\n', "line 4 has no output_length"),
        (
            MOONCAKE + '{"timestamp": 1, "input_length": {"a": 1}, "output_length": 4}\n',
            "line 4: input_length cannot be",
        ),
        (
            MOONCAKE + '{"timestamp": 1, "input_length": 1' + "0" * 400 + ', "output_length": 4}\n',
            "line 4: input_length",
        ),
        (MOONCAKE + '{"timestamp": [1], "input_length": 5, "output_length": 4}\n', "line 4: .\\[1\\]. is not"),
        (MOONCAKE + '{"timestamp": true, "input_length": 5, "output_length": 4}\n', "line 4: 'True' is not"),
        (MOONCAKE + '{"timestamp": 1, "input_length": true, "output_length": 4}\n', "input_length cannot be 'True'"),
        (MOONCAKE + '{"timestamp": null, "input_length": 5, "output_length": 4}\n', "line 4 has no timestamp"),
        ('{"timestamp": 1, "input_length": 5, "output_length": 4, "timestamp": 2}\n', "two columns named timestamp"),
        (MOONCAKE + '{"timestamp": NaN, "input_length": 5, "output_length": 4}\n', "line 4 has no timestamp"),
    ],
)
def test_json_lines_that_are_no_trace_name_their_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "trace.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words) as caught:
        read_trace(str(tmp_path / "trace.jsonl"))
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(HEAD.encode() + b"\xff\xfe\xe9,1,1\n\xff,1,1\n")
    (tmp_path / "torn.csv.gz").write_bytes(gzip.compress(AZURE.encode())[:40])
    broken = bytearray(gzip.compress((HEAD + "1,5,5\n" * 5000).encode()))
    broken[30:40] = b"\xff" * 10
    (tmp_path / "broken.csv.gz").write_bytes(broken)
    (tmp_path / "latin.jsonl").write_bytes(b'{"timestamp": "\xff\xfe"}\n')
    (tmp_path / "plain.csv.gz").write_text(AZURE)
    names = {
        "latin.csv": "is not a text file in UTF-8",
        "torn.csv.gz": "damaged or cut short",
        "broken.csv.gz": "damaged or cut short",
        "latin.jsonl": "is not a text file in UTF-8",
        "plain.csv.gz": "is not packed by gzip",
        "missing.csv": "does not exist",
        ".": "is a folder",
    }
    for name, words in names.items():
        with pytest.raises(InputError, match=words):
            read_trace(str(tmp_path / name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("name", ["trace.csv", "trace.jsonl", "trace.csv.gz"])
def test_what_never_ends_is_refused_before_it_is_opened(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="not a regular file"):
        read_trace(str(tmp_path / name))


def test_a_packed_file_counts_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zeros.csv.gz").write_bytes(gzip.compress(HEAD.encode() + b"0" * 3_000_000))
    monkeypatch.setattr(trace_file, "LARGEST_BYTES", 1_000_000)
    with pytest.raises(InputError, match="larger than"):
        read_trace(str(tmp_path / "zeros.csv.gz"))


@pytest.mark.parametrize(("name", "text"), [("own.csv", OWN), ("mooncake.jsonl", MOONCAKE)])
def test_more_requests_than_memory_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    monkeypatch.setattr(trace_file, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="more than 2 requests"):
        read_trace(str(tmp_path / name))


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "azure.csv").write_text(AZURE)
    monkeypatch.setattr(trace_file, "LARGEST_BYTES", 10)
    with pytest.raises(InputError, match="larger than"):
        read_trace(str(tmp_path / "azure.csv"))
