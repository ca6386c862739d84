"""Make the measured rows that ship with the program from a measurements file: `measured_rows.py FILE`.

Names become the catalog's where that changes no estimate, notes go, sources move to a table of their own. At the end
the shipped rows are read back, and every estimate is compared with that of the row it was made from.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import catalog
from models.case_input import Case, parse_case
from models.cases import estimate_rows
from models.engine_limits import planner_of
from models.fitting.cpu import facts
from models.local_score import attention_on_host, generation, is_local_score
from models.measured_rows import COLUMNS, FILES, FOLDER, HOST, SOURCE_COLUMNS, SOURCES, read
from models.result_columns import RESULT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHARE_ALIKE = "SpareCores/sc-inspector-data"
"""The group whose licence asks for a file of its own."""
LICENCES = {SHARE_ALIKE: "CC-BY-SA-4.0", "aiconfigurator": "Apache-2.0"}
FACTS = "published figures"
URLS = {"aiconfigurator": "https://github.com/ai-dynamo/aiconfigurator"}
_REPOSITORY = re.compile(r"^([\w.-]+/[\w.-]+?)(?:@([0-9a-f]{6,40}))?(?:\s+(.*))?$")
_THREAD = re.compile(r"^(PR|issue) #?(\d+)\b")
_INDEX = re.compile(r" \(index file id[^)]*\)")


def main() -> int:
    """Write the files, then prove them."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: measured_rows.py MEASUREMENTS.csv\n")
        return 2
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["use"] in {"fit", "check"}]
    kept = [row for row in rows if _is_known(row)]
    for name, data in files(kept).items():
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes")
    print(f"{len(kept):,} rows of {len(rows):,}; the others name a model that is none")
    different = compare(kept, FOLDER)
    print(f"estimates that differ after the round trip: {len(different)} {different[:5]}")
    return 1 if different else 0


def _is_known(row: Mapping[str, str]) -> bool:
    return catalog.find_llm(row["model"]) is not None


_FOLDER = re.compile(r"(?<==)/\S*?/data/")
"""Where a file lay on the machine of those who measured: no part of a source."""


def files(rows: Sequence[Mapping[str, str]]) -> dict[str, bytes]:
    """Content of the shipped files by name; the same for the same rows."""
    keys = sorted({_source(row) for row in rows})
    index = {key: str(number) for number, key in enumerate(keys, 1)}
    parts: dict[str, list[list[str]]] = {name: [] for name in FILES}
    for row in rows:
        short = shorten(row) | {"source": index[_source(row)]}
        parts[FILES[row["source_group"] == SHARE_ALIKE]].append([short[name] for name in COLUMNS])
    result = {
        name: gzip.compress(_csv(tuple(COLUMNS), lines), compresslevel=9, mtime=0) for name, lines in parts.items()
    }
    table = [
        [index[key], group, _FOLDER.sub("", text), date, LICENCES.get(group, FACTS), _url(group, text)]
        for key in keys
        for group, text, date in [key]
    ]
    result[SOURCES] = _csv(SOURCE_COLUMNS, table)
    return result


def shorten(row: Mapping[str, str]) -> dict[str, str]:
    """A measurements row in the shipped columns, in the catalog's names wherever the case stays the same."""
    before = parse_case(row)
    short = dict(row) | {name: _number(row[name]) for name in ("value", "count", "input_tokens", "output_tokens")}
    hardware = before.cpu or before.chip
    kv = catalog.find_kv_quant(row["kv_dtype"]) if row["kv_dtype"] else None
    names = {
        "model": before.llm.name if before.llm else "",
        "quant": before.quant.key if before.quant and row["quant"] else "",
        "kv_dtype": kv.key if kv else "",
        "hardware": hardware.name if hardware else "",
    }
    for column, name in names.items():
        changed = short | {column: name}
        if name and same(before, parse_case(changed)):
            short = changed
    result = {name: short.get(long, "") for name, long in COLUMNS.items()}
    host = row["note"].rsplit(HOST, 1)[-1] if HOST in row["note"] and is_local_score(before) else ""
    return result | {
        "id": row["id"],
        "kv": short["kv_dtype"],
        "host": host,
        "repeats": "" if row["repeats"] == "1" else row["repeats"],
        "use": "" if row["use"] == "fit" else row["use"],
    }


def same(one: Case, other: Case) -> bool:
    """Whether two rows are the same case for estimates and fits alike."""
    return all(
        getattr(one, field.name) == getattr(other, field.name) for field in fields(Case) if field.name != "raw"
    ) and repr(_beyond(one)) == repr(_beyond(other))  # as text: a fact that is NaN equals itself


def _beyond(case: Case) -> tuple[Any, ...]:
    """What estimates and fits read from a row's own words."""
    stated = f"{case.raw.get('engine_version', '')} {case.raw.get('source_date', '')}"
    cpu = facts(case) if case.cpu is not None and not case.error else None
    note = case.raw.get("note", "") if is_local_score(case) else ""
    return (
        planner_of(case.engine, stated) if case.engine else None,
        cpu and [getattr(value := getattr(cpu, field.name), "name", value) for field in fields(cpu)],
        is_local_score(case),
        generation(case),
        attention_on_host(note),
        note.endswith("Windows"),
    )


def _number(text: str) -> str:
    """The shortest text of the same number."""
    return repr(float(text)).removesuffix(".0") if text else ""


@cache
def _clean(text: str) -> str:
    return _INDEX.sub("", text).strip()


def _source(row: Mapping[str, str]) -> tuple[str, str, str]:
    return row["source_group"], _clean(row["source"]), row["source_date"]


def _url(group: str, text: str) -> str:
    """Where the source is to be read, as far as its name says."""
    if group in URLS:
        return URLS[group]
    first = text.split(maxsplit=1)[0]
    if first.startswith("https://"):
        return first
    if first.startswith("gist.github.com/"):
        return f"https://{first}"
    found = _REPOSITORY.match(text)
    if not found or group == "public":
        return ""
    repository, commit, rest = found.groups()
    address, rest = f"https://github.com/{repository}", rest or ""
    if thread := _THREAD.match(rest):
        return f"{address}/{'pull' if thread[1] == 'PR' else 'issues'}/{thread[2]}"
    path = rest.split()[0].rstrip(";,:") if rest else ""
    return f"{address}/blob/{commit}/{path}" if commit and "/" in path else address


def _csv(names: Sequence[str], lines: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(lines)
    return text.getvalue().encode()


def compare(rows: Sequence[Mapping[str, str]], folder: Path) -> list[str]:
    """Ids of rows whose shipped form is answered or fitted differently."""
    shipped = {row["case_id"]: row for row in read(folder)}
    mine = [shipped[row["id"]] for row in rows]
    answers = zip(rows, mine, estimate_rows(rows, pull=False), estimate_rows(mine, pull=False), strict=True)
    return [
        row["id"]
        for row, short, before, after in answers
        if [before[name] for name in RESULT_COLUMNS] != [after[name] for name in RESULT_COLUMNS]
        or not same(parse_case(row), parse_case(short))
        or any(row[name] != short[name] for name in ("metric", "repeats", "use", "source_group", "source_date"))
        or float(row["value"]) != float(short["value"])
    ]


if __name__ == "__main__":
    sys.exit(main())
