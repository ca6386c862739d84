"""Faults of a body: an honest answer is taken apart, changed in one way, and put together again."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Tree = Any
    Change = Callable[[Any, int], Any]

PRICES: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "aws": "price USD PricePerUnit",
        "azure": "retailPrice unitPrice",
        "gcp": "units nanos",
        "oci": "value",
        "runpod": "securePrice communityPrice secureSpotPrice communitySpotPrice oneMonthPrice threeMonthPrice sixMonthPrice",
        "vast": "dph_base dph_total min_bid",
        "lium": "price_per_gpu_hour price_per_node_hour",
        "akash": "min max avg weightedAverage med",
        "cudo": "value",
        "cloudrift": "cost_per_hour",
        "verda": "price_per_hour spot_price",
        "vultr": "hourly_cost monthly_cost hourly_cost_preemptible monthly_cost_preemptible",
        "linode": "hourly monthly",
        "lambda": "price_cents_per_hour",
        "digitalocean": "price_hourly price_monthly",
        "latitude": "hour month year",
        "scaleway": "hourly_price monthly_price units nanos",
        "ovh": "price",
        "hetzner": "price hourly_price hourPrice net gross",
        "ecb": "rate",
        "frankfurter": "USD GBP CHF PLN SEK JPY CZK",
        "litellm": "input_cost_per_token output_cost_per_token cache_read_input_token_cost",
        "openrouter": "prompt completion input_cache_read",
        "skypilot": "Price SpotPrice",
        "gpuhunt": "price",
        "sparecores": "rate avg_ts",
    }.items()
}
"""Fields of each feed that hold a price (or what stands in its place)."""
NAMES: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split("|"))
    for name, words in {
        "aws": "Instance Type|size|Storage|Network Performance|Instance Family|label",
        "azure": "armSkuName|meterName|skuName|productName",
        "gcp": "description|serviceRegions",
        "oci": "name|displayName",
        "runpod": "id|displayName|stockStatus",
        "vast": "gpu_name|cpu_name|geolocation|verification",
        "lium": "id|gpu_model|tier|country_code|region",
        "akash": "model|ram|interface",
        "cudo": "machineType|cpuModel|gpuModel|dataCenterId",
        "cloudrift": "name|brand_short",
        "verda": "instance_type|name|display_name|code|location_code|description",
        "vultr": "id|cpu_model|gpu_type|locations",
        "linode": "id|label",
        "lambda": "name|description|gpu_description",
        "digitalocean": "slug|regions|model|description",
        "latitude": "slug|name|type|size|in_stock",
        "scaleway": "product|zone|type|description|gpu_name",
        "ovh": "invoiceName|model|brand|range|technology|interface|values",
        "hetzner": "name|cpu|datacenter|location|hdd_arr|information|specials|description|storage_type",
        "ecb": "currency",
        "frankfurter": "base",
        "litellm": "litellm_provider|source",
        "openrouter": "id|name|hugging_face_id",
        "skypilot": "InstanceType|Region|AcceleratorName|GpuInfo",
        "gpuhunt": "instance_name|location|gpu_name|flags",
        "sparecores": "data|model_filename",
    }.items()
}
CURRENCIES = frozenset({"currency", "currencyCode", "currency_code", "Currency"})
NAMED_BY_KEY = frozenset({"scaleway", "lambda", "litellm"})
"""Feeds with objects whose keys are names."""
LONG = 10_000
NAN, INFINITE = "@raw NaN@", "@raw 1e309@"
_RAW = re.compile(r'"@raw ([^@]+)@"')
_HEADER = re.compile(rb'^"SKU",', re.MULTILINE)
_RATE = re.compile(r"<Cube currency='(?P<currency>[^']*)' rate='(?P<rate>[^']*)'\s*/>")
_GONE = object()


def spoiled(name: str, provider: str, path: str, query: Mapping[str, str], body: bytes) -> bytes:
    """The body with a fault, still of its own format (JSON, CSV, zip, XML, lines)."""
    if name == "not UTF-8":
        return body[: len(body) // 2] + b"\xff\xc3\x28" + body[len(body) // 2 :]
    if name == "list for object":
        tree = json.loads(body) if _is_json(path) else {}
        return json.dumps([tree] if isinstance(tree, dict) else {"data": tree}).encode()
    if path.endswith("/version"):
        return body
    tree, write = _read(provider, path, body)
    if name == "endless pages":
        _endless(provider, query, tree)
    elif name == "keys twice":
        return _twice(tree).encode() if _is_json(path) else write(tree, True)
    else:
        tree = TREES[name](tree, provider)
    return write(tree, False)


# Reading and writing


def _is_json(path: str) -> bool:
    return not path.endswith((".csv", ".zip", ".xml", "/version", "bw_mem/stdout", "llm/stdout"))


def _read(provider: str, path: str, body: bytes) -> tuple[Tree, Callable[[Tree, bool], bytes]]:
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            name = archive.namelist()[0]
            tree, write = _read_csv(archive.read(name))
        return tree, lambda changed, twice: _zip(name, write(changed, twice))
    if path.endswith(".csv"):
        return _read_csv(body)
    if path.endswith(".xml"):
        text = body.decode()
        return {"rows": [found.groupdict() for found in _RATE.finditer(text)]}, lambda changed, _: _xml(text, changed)
    if path.endswith("bw_mem/stdout"):
        rows = [
            dict(zip(("kind", "size_mb", "rate"), line.split(), strict=True)) for line in body.decode().splitlines()
        ]
        return {"rows": rows}, lambda changed, _: "".join(
            " ".join(str(cell) for cell in _cells(row)) + "\n" for row in changed["rows"]
        ).encode()
    if path.endswith("llm/stdout"):
        rows = [json.loads(line) for line in body.decode().splitlines()]
        return {"rows": rows}, lambda changed, _: b"".join(_json(row) + b"\n" for row in changed["rows"])
    return json.loads(body), lambda changed, _: _json(changed)


def _cells(row: Any) -> list[Any]:
    return list(row.values()) if isinstance(row, dict) else list(row)


def _json(tree: Tree) -> bytes:
    return _RAW.sub(r"\1", json.dumps(tree)).encode()


def _twice(tree: Tree) -> str:
    """JSON with every key of every object twice."""
    if isinstance(tree, dict):
        pairs = [f"{json.dumps(key)}: {_twice(value)}" for key, value in tree.items()]
        return "{" + ", ".join([*pairs, *pairs]) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(_twice, tree)) + "]"
    return json.dumps(tree)


def _read_csv(body: bytes) -> tuple[Tree, Callable[[Tree, bool], bytes]]:
    found = _HEADER.search(body)
    head, text = (body[: found.start()], body[found.start() :]) if found else (b"", body)
    rows = list(csv.reader(io.StringIO(text.decode(), newline="")))
    header = rows[0]
    tree = {"rows": [dict(zip(header, row, strict=True)) for row in rows[1:]]}

    def write(changed: Tree, twice: bool) -> bytes:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if head else csv.QUOTE_MINIMAL)
        writer.writerow(header * 2 if twice else header)
        for row in changed["rows"]:
            # A row that has become a list is one of another length.
            cells = [row.get(name, "") for name in header] if isinstance(row, dict) else row[:-2]
            writer.writerow([_cell(cell) for cell in (cells * 2 if twice else cells)])
        return head + out.getvalue().encode()

    return tree, write


def _cell(value: Any) -> Any:
    text = "" if value is None else str(value)
    return text[5:-1] if text.startswith("@raw ") else text


def _zip(name: str, body: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, (2026, 11, 26, 0, 0, 0)), body)
    return out.getvalue()


def _xml(text: str, tree: Tree) -> bytes:
    def cube(row: Any) -> str:
        cells = row if isinstance(row, dict) else dict(enumerate(row))
        said = "".join(f" {key}='{_escaped(str(_cell(value)))}'" for key, value in cells.items() if value is not None)
        return f"<Cube{said}/>"

    rows = iter([*tree["rows"]])
    whole = "".join(map(cube, rows))
    start = _RATE.search(text)
    assert start is not None
    return (text[: start.start()] + whole + _RATE.sub("", text[start.start() :])).encode()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&apos;")


# Changes of a tree


def _walk(tree: Tree, fields: frozenset[str], change: Change, count: list[int]) -> Tree:
    """The tree with `change` made of every number or text (or list of texts) in some fields."""
    if isinstance(tree, list):
        return [_walk(child, fields, change, count) for child in tree]
    if not isinstance(tree, dict):
        return tree
    result = {}
    for key, value in tree.items():
        if key in fields and isinstance(value, (str, int, float)) and not isinstance(value, bool):
            count[0] += 1
            new = change(value, count[0])
            if new is not _GONE:
                result[key] = new
        elif key in fields and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            count[0] += 1
            result[key] = [change(one, count[0]) for one in value]
        else:
            result[key] = _walk(value, fields, change, count)
    return result


def _prices(change: Change) -> Callable[[Tree, str], Tree]:
    def only_numbers(value: Any, at: int) -> Any:
        return change(value, at) if not isinstance(value, str) or _number(value) is not None else value

    return lambda tree, provider: _walk(tree, PRICES[provider], only_numbers, [0])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _times(factor: float) -> Change:
    def change(value: Any, _: int) -> Any:
        if isinstance(value, str):
            number = float(value) * factor
            return str(int(number)) if value.lstrip("-").isdecimal() else f"{number:.12f}"
        return round(value * factor) if isinstance(value, int) else value * factor

    return change


def _raw(word: str) -> Change:
    return lambda value, _: word[5:-1] if isinstance(value, str) else word


def _some_negative(value: Any, at: int) -> Any:
    return _times(-1)(value, at) if at % 7 == 0 else value


def _missing(value: Any, at: int) -> Any:
    return _GONE if at % 2 else None


HOSTILE: tuple[Callable[[str, int], str], ...] = (
    lambda name, _: f"\x1b[31m{name}\x1b[0m\x07\x00\u202e\u2028\x9b",
    lambda name, _: f"[bold red]{name}[/] [@click=app.quit]x[/]",
    lambda name, at: f"=cmd|'/c calc'!A{at} {name}",
    lambda name, at: f"../../../../tmp/{at}/{name}\\..\\x",
    lambda name, at: f"{at}{'A' * LONG}{name}",
    lambda name, at: f'{name}\r\n{at},"x\ty\n',
)


def _currency(code: str) -> Callable[[Tree, str], Tree]:
    return lambda tree, _: _walk(tree, CURRENCIES, lambda __, ___: code, [0])


def _hostile(tree: Tree, provider: str) -> Tree:
    def change(value: Any, at: int) -> Any:
        return HOSTILE[at % len(HOSTILE)](value, at) if isinstance(value, str) else value

    changed = _walk(tree, NAMES[provider], change, [0])
    if provider == "cloudrift":
        changed = _hostile_places(changed)
    return _tables(changed, _hostile_keys) if provider in NAMED_BY_KEY else changed


def _hostile_places(tree: Tree) -> Tree:
    """CloudRift's data centres are keys within a row."""
    if isinstance(tree, list):
        return [_hostile_places(value) for value in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: _hostile_keys(value) if key == "nodes_per_dc" else _hostile_places(value) for key, value in tree.items()
    }


def _hostile_keys(rows: Any) -> Any:
    if isinstance(rows, list):
        return rows
    return {HOSTILE[at % len(HOSTILE)](key, at): value for at, (key, value) in enumerate(rows.items())}


def _is_table(tree: Tree) -> bool:
    """Whether a list or an object is the feed's list of rows."""
    if isinstance(tree, list):
        return bool(tree) and isinstance(tree[0], dict)
    if not isinstance(tree, dict) or len(tree) < 4:
        return False
    first = type(next(iter(tree.values())))
    return first in {dict, float} and all(isinstance(value, first) for value in tree.values())


def _tables(tree: Tree, change: Callable[[Any], Any]) -> Tree:
    """The tree with its outermost tables changed."""
    if _is_table(tree):
        return change(tree)
    return {key: _tables(value, change) for key, value in tree.items()} if isinstance(tree, dict) else tree


def _half(rows: Any) -> Any:
    kept = math.floor(len(rows) / 2)
    return rows[:kept] if isinstance(rows, list) else dict(list(rows.items())[:kept])


def _other_rows(rows: Any) -> Any:
    """A list where each row is an object, one row for a table by name."""
    if isinstance(rows, list):
        return [list(row.values()) if isinstance(row, dict) else row for row in rows]
    return {key: list(value.values()) if isinstance(value, dict) else [value] for key, value in rows.items()}


def _texts_for_numbers(tree: Tree) -> Tree:
    if isinstance(tree, dict) and set(tree) == {"rows"}:
        # Formats without numbers: there, a number with a word is none.
        return {"rows": [{key: _with_unit(value) for key, value in row.items()} for row in tree["rows"]]}
    if isinstance(tree, dict):
        return {key: _texts_for_numbers(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_texts_for_numbers(value) for value in tree]
    if isinstance(tree, (int, float)) and not isinstance(tree, bool):
        return str(tree)
    return tree


def _with_unit(value: Any) -> Any:
    return f"{value} each" if not isinstance(value, str) or _number(value) is not None else value


def _numbers_for_texts(tree: Tree) -> Tree:
    if isinstance(tree, dict):
        return {key: _numbers_for_texts(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_numbers_for_texts(value) for value in tree]
    if isinstance(tree, str):
        number = _number(tree)
        return 7 if number is None or not math.isfinite(number) else number
    return tree


TREES: dict[str, Callable[[Tree, str], Tree]] = {
    "NaN": _prices(_raw(NAN)),
    "1e309": _prices(_raw(INFINITE)),
    "negative prices": _prices(_times(-1)),
    "some negative": _prices(_some_negative),
    "missing prices": _prices(_missing),
    "zero prices": _prices(_times(0)),
    "prices x100": _prices(_times(100)),
    "texts for numbers": lambda tree, _: _texts_for_numbers(tree),
    "numbers for texts": lambda tree, _: _numbers_for_texts(tree),
    "hostile names": _hostile,
    "no currency": _currency("\x1b[1m€[/]"),
    "in rupees": _currency("INR"),
    "rows twice": lambda tree, _: _tables(tree, lambda rows: rows + rows if isinstance(rows, list) else rows),
    "empty lists": lambda tree, _: _tables(tree, lambda rows: type(rows)()),
    "half the rows": lambda tree, _: _tables(tree, _half),
    "lists for rows": lambda tree, _: _tables(tree, _other_rows),
}
FAULTS = (*TREES, "keys twice", "not UTF-8", "list for object", "endless pages")

PAGE_WORDS = frozenset({"$skip", "pageToken", "cursor", "page", "page[number]"})
"""Query fields that name a page: an endless feed answers each with its first."""


def _endless(provider: str, query: Mapping[str, str], tree: Tree) -> None:
    """Say that there is a next page, of a name of its own; nothing for feeds without pages."""
    here = next((int(query[word]) for word in PAGE_WORDS if query.get(word, "").isdecimal()), 1)
    following = here + 1
    if not isinstance(tree, dict):
        return
    match provider:
        case "azure" if "Items" in tree:
            tree["NextPageLink"] = f"https://prices.azure.com:443/api/retail/prices?$skip={following}"
        case "gcp":
            tree["nextPageToken"] = str(following)
        case "linode":
            tree |= {"page": here, "pages": following}
        case "vultr":
            tree["meta"]["links"]["next"] = str(following)
        case "digitalocean":
            tree["links"]["pages"]["next"] = f"https://api.digitalocean.com/v2/sizes?page={following}"
        case "latitude":
            tree["data"] = (tree["data"] * 100)[: int(query.get("page[size]", "100"))]
        case "hetzner" if "server_types" in tree:
            tree["meta"]["pagination"]["next_page"] = following
        case "scaleway":
            tree["total_count"] = 10**9
        case _:
            pass
