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


def read(folder: Path = FOLDER) -> list[dict[str, str]]:
    """The rows of a folder's files in the columns of a measurements file, sources joined.

    Returns:
        dicts of text for `estimate_rows`, `score` and the fits: COLUMNS' values, source_date and source_group.
    """
    with (folder / SOURCES).open(encoding="utf-8", newline="") as file:
        sources = {
            row["index"]: {"source": row["source"], "source_date": row["date"], "source_group": row["group"]}
            for row in csv.DictReader(file)
        }
    rows = []
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8", newline="") as file:
            for short in csv.DictReader(file):
                row = {long: short[name] for name, long in COLUMNS.items()}
                row["note"] = f"{HOST}{short['host']}" if short["host"] else ""
                row["use"] = short["use"] or "fit"
                row["repeats"] = short["repeats"] or "1"
                rows.append(row | sources[short["source"]])
    return rows


@cache
def measured_rows() -> list[dict[str, str]]:
    """The shipped rows, read once; whoever changes one copies it first."""
    return read()
