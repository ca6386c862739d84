"""The measured speeds that ship with the program: published figures behind its constants, each with its source."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path

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
_FEW = 3
"""Models whose lines are looked for one by one; who asks for more reads a file of cases and needs all."""


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


@cache
def _shipped_sources() -> dict[str, dict[str, str]]:
    return _sources(FOLDER)


def _lines(path: Path) -> list[tuple[list[str], list[str]]]:
    """(header, cells) of every line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file)
    return [(names, line) for line in lines]


def _row(names: list[str], line: list[str], sources: dict[str, dict[str, str]]) -> dict[str, str]:
    short = dict(zip(names, line, strict=True))
    row = {long: short[name] for name, long in COLUMNS.items()}
    row["note"] = f"{HOST}{short['host']}" if short["host"] else ""
    row["use"] = short["use"] or "fit"
    row["repeats"] = short["repeats"] or "1"
    return row | sources[short["source"]]


@cache
def _lines_by_model() -> dict[str, list[tuple[list[str], list[str]]]]:
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for name in FILES:
        lines = _lines(FOLDER / name)
        place = lines[0][0].index("model") if lines else 0
        for names, line in lines:
            found.setdefault(line[place], []).append((names, line))
    return found


@cache
def _texts() -> tuple[tuple[str, list[str]], ...]:
    """(header, lines) of the shipped files."""
    texts = []
    for name in FILES:
        header, *lines = gzip.decompress((FOLDER / name).read_bytes()).decode("utf-8").splitlines()
        texts.append((header, lines))
    return tuple(texts)


@cache
def _lines_of(model: str) -> list[tuple[list[str], list[str]]]:
    """The same as `_lines_by_model` for one model: a start waits for its lines alone, not for all to be split into cells."""
    found: list[tuple[list[str], list[str]]] = []
    for header, lines in _texts():
        names = header.split(",")
        place = names.index("model")
        # No cell of the shipped files holds a line break.
        cells = csv.reader([line for line in lines if model in line])
        found.extend((names, line) for line in cells if line[place] == model)
    return found


def rows_of(model: str) -> list[dict[str, str]]:
    """The shipped rows of one model: a comparison needs hundreds of the thousands, and soon."""
    few = _lines_of.cache_info().currsize < _FEW
    lines = _lines_of(model) if few else _lines_by_model().get(model, [])
    sources = _shipped_sources() if lines else {}
    return [_row(names, line, sources) for names, line in lines]


@cache
def measured_rows() -> list[dict[str, str]]:
    """The shipped rows, read once; whoever changes one copies it first."""
    return read()
