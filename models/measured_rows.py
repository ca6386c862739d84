"""The measured speeds that ship with the program: published figures behind its constants, each with its source."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FOLDER = Path(__file__).parent / "data" / "measured"
FILES = ("rows.csv.gz", "rows_sparecores.csv.gz")
"""Apart because of their licences: see README.md beside them."""
SOURCES = "sources.csv"
SOURCE_COLUMNS = ("index", "group", "source", "date", "licence", "url")
COLUMNS = {
    "id": "case_id",
    "model": "model",
    "quant": "quant",
    "kv": "kv_quant",
    "engine": "engine",
    "version": "engine_version",
    "hardware": "hardware",
    "count": "count",
    "tp": "tp",
    "pp": "pp",
    "ep": "ep",
    "dp_attention": "dp_attention",
    "cores_used": "cores_used",
    "memory_channels": "memory_channels",
    "memory_mts": "memory_mts",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "concurrency": "concurrency",
    "request_rate_rps": "request_rate_rps",
    "scenario": "scenario",
    "metric": "metric",
    "value": "value",
    "repeats": "repeats",
    "use": "use",
    "host": "note",
    "source": "source",
}
"""Column of the shipped files -> column of a measurements file; `host` is the machine around the GPU where it matters."""
HOST = "host "
PREPARED = prepared.FOLDER / "measured_rows.bin"


def read(folder: Path = FOLDER) -> list[dict[str, str]]:
    """The rows of a folder's files in the columns of a measurements file, sources joined.

    Returns:
        dicts of text for `estimate_rows`, `score` and the fits: COLUMNS' values, source_date and source_group.
    """
    sources = _sources(folder)
    return [_row(names, line, sources) for name in FILES for names, line in _lines(folder / name)]


def _sources(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / SOURCES).open(encoding="utf-8", newline="") as file:
        return {
            row["index"]: {"source": row["source"], "source_date": row["date"], "source_group": row["group"]}
            for row in csv.DictReader(file)
        }


def _lines(path: Path) -> list[tuple[list[str], list[str]]]:
    """(header, cells) of every line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file)
    return [(names, line) for line in lines]


def _row(names: list[str], line: list[str], sources: dict[str, dict[str, str]]) -> dict[str, str]:
    row = _short(names, line)
    return row | sources[row["source"]]


def _short(names: list[str], line: list[str]) -> dict[str, str]:
    """A row whose source is the number of one."""
    short = dict(zip(names, line, strict=True))
    row = {long: short[name] for name, long in COLUMNS.items()}
    row["note"] = f"{HOST}{short['host']}" if short["host"] else ""
    row["use"] = short["use"] or "fit"
    row["repeats"] = short["repeats"] or "1"
    return row


def rows_of(
    model: str, wanted: Callable[[Mapping[str, str]], bool] | None = None, by: Sequence[str] = ()
) -> list[dict[str, str]]:
    """The shipped rows of one model, or those that are wanted of them: a comparison needs hundreds of the thousands, and soon.

    `wanted` is asked once for all rows that are alike in the columns `by`, and sees those alone.
    """
    chunk = _chunk(model)
    if chunk is None:
        whole = _by_model().get(model, [])
        return [row for row in whole if wanted is None or wanted({name: row[name] for name in by})]
    names, lines, sources = chunk["names"], chunk["lines"], chunk["sources"]
    if wanted is not None and lines:
        columns = [names.index(name) for name in by]
        alike = [tuple([line[at] for at in columns]) for line in lines]
        fine = {values for values in set(alike) if wanted(dict(zip(by, values, strict=True)))}
        lines = [line for line, values in zip(lines, alike, strict=True) if values in fine]
    rows = (dict(zip(names, line, strict=True)) for line in lines)
    return [row | sources[row["source"]] for row in rows]


def _chunk(model: str) -> dict[str, Any] | None:
    """A model's rows as `prepare` packed them; None if the prepared file cannot be used."""
    places, content = _prepared()
    if not places:
        return None
    start, end = places.get(model, (0, 0))
    if start == end:
        return {"names": [], "lines": [], "sources": {}}
    try:
        chunk: dict[str, Any] = json.loads(zlib.decompress(content[start:end]))
    except (ValueError, zlib.error):  # torn
        return None
    return chunk


@cache
def _prepared() -> tuple[dict[str, list[int]], bytes]:
    """Where the rows of each model are in the content that follows."""
    found = prepared.read(PREPARED, _files())
    if found is None:
        return {}, b""
    head, _, content = found.partition(b"\n")
    try:
        return json.loads(head), content
    except ValueError:  # torn
        return {}, b""


def prepare() -> bytes:
    """What the prepared rows have to hold: a line that says where each model's are, then those of each, compressed apart."""
    places: dict[str, list[int]] = {}
    chunks: list[bytes] = []
    sources = _sources(FOLDER)
    by_model: dict[str, list[dict[str, str]]] = {}
    for name in FILES:
        for names, line in _lines(FOLDER / name):
            row = _short(names, line)
            by_model.setdefault(row["model"], []).append(row)
    end = 0
    for model, rows in by_model.items():
        used = {row["source"]: sources[row["source"]] for row in rows}
        chunk = {"names": list(rows[0]), "lines": [list(row.values()) for row in rows], "sources": used}
        chunks.append(zlib.compress(json.dumps(chunk, separators=(",", ":")).encode(), 9))
        places[model] = [end, end := end + len(chunks[-1])]
    return prepared.content(b"\n".join((json.dumps(places).encode(), b"".join(chunks))), _files())


def _files() -> list[Path]:
    return [FOLDER / name for name in (*FILES, SOURCES)]


@cache
def _by_model() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in measured_rows():
        found.setdefault(row["model"], []).append(row)
    return found


@cache
def measured_rows() -> list[dict[str, str]]:
    """The shipped rows, read once; whoever changes one copies it first."""
    return read()
