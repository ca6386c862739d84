"""Spelling of names: what is left of one when case, spaces, dashes and trade marks do not count."""

from __future__ import annotations

import difflib
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRADE_MARKS = re.compile(r"®|™|\((?:r|tm|c)\)", re.IGNORECASE)
_NOT_TELLING = re.compile(r"[^0-9a-z+./]+")


def normalise(name: str) -> str:
    """A name as a comparison key: lower case, letters, digits, `+`, `.` and `/` only.

    Dots stay (Qwen2.5 is not Qwen25) and so do suffixes (7413 is not 7413P): equality of keys is the only match
    ever made, never a prefix or a part.
    """
    text = _TRADE_MARKS.sub(" ", name)
    text = unicodedata.normalize("NFKC", text).lower()
    return _NOT_TELLING.sub("", text)


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """The `count` known names closest to `name`, best first, whatever their distance."""
    by_key: dict[str, str] = {}
    for candidate in known:
        by_key.setdefault(normalise(candidate), candidate)
    close = difflib.get_close_matches(normalise(name), by_key, n=count, cutoff=0.3)
    return tuple(by_key[key] for key in close)


def edits(one: str, other: str) -> int:
    """How many letters must be put in, left out, replaced or swapped with their neighbour to make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            least = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                least = min(least, above[j - 2] + 1)
            row.append(least)
    return row[-1]


# CPU names

_NOISE = re.compile(
    r"\bor equivalent\b|\(r\)|\(tm\)|®|™|\b(?:processor|prozessor|cpu|\d+-core)\b|@\s*[\d.]+\s*ghz|\b[\d.]+\s*ghz\b",
    re.IGNORECASE,
)
_SOCKETS = re.compile(r"^\s*(?:(\d{1,2})\s*[x×](?=\s|[a-z])\s*|dual\s+|single\s+)", re.IGNORECASE)
_BRANDS = frozenset(
    (
        "intel",
        "amd",
        "xeon",
        "epyc",
        "ryzen",
        "core",
        "gold",
        "silver",
        "platinum",
        "bronze",
        "ampere",
        "aws",
        "threadripper",
        "opteron",
        "max",
        "series",
    )
)
_VENDORS = {
    "intel": "Intel",
    "xeon": "Intel",
    "amd": "AMD",
    "epyc": "AMD",
    "ryzen": "AMD",
    "ampere": "Ampere",
    "aws": "AWS",
}


def bare_cpu(name: str) -> str:
    """A CPU's name without sockets, trade marks, clock and words such as "Processor"."""
    text = unicodedata.normalize("NFKC", _TRADE_MARKS.sub(" ", name))
    text = _NOISE.sub(" ", _SOCKETS.sub("", text))
    return re.sub(r"\s+", " ", text).strip(" .,")


def cpu_sockets(name: str) -> int | None:
    """Sockets a spelling states ("2x Intel Xeon Gold 6438Y+" = 2), None where it states none."""
    match = _SOCKETS.match(name)
    if not match:
        return None
    return int(match.group(1)) if match.group(1) else (2 if "dual" in match.group(0).lower() else 1)


def cpu_vendor(name: str) -> str:
    """The vendor a spelling names, empty where it names none."""
    words = re.split(r"[^a-z0-9]+", bare_cpu(name).lower())
    return next((_VENDORS[word] for word in words if word in _VENDORS), "")


def cpu_token(name: str) -> str:
    """The model token: every word that is not a brand, joined ("AMD 7443P" -> "7443p"); empty without a digit."""
    words = [word for word in re.split(r"[\s-]+", bare_cpu(name).lower()) if word and word not in _BRANDS]
    token = normalise("".join(words))
    return token if re.search(r"\d{3}", token) else ""


def cpu_tokens(name: str) -> tuple[str, ...]:
    """Tokens a catalog name answers to: the whole one, and its last word where that alone tells the model."""
    whole = cpu_token(name)
    words = bare_cpu(name).lower().split()
    last = normalise(words[-1]) if words else ""
    # "v4" tells nothing alone, and a bare "265" is too little to go by.
    telling = len(last) >= 4 and re.search(r"\d{3}", last)
    return tuple(dict.fromkeys(token for token in (whole, last if telling else "") if token))


# instance names

_AZURE = re.compile(r"^(?:standard_)?([a-z]+)(\d+)(?:-\d+)?([a-z]*)((?:_[a-z0-9]+)*?)(?:_(v\d+))?$", re.IGNORECASE)


def instance_families(provider: str, server: str) -> tuple[str, ...]:
    """Families an instance name can belong to, most specific first; the name itself is the first."""
    name = server.strip()
    found = [name]
    if provider == "azure":
        found.append(re.sub(r"^standard_", "", name, flags=re.IGNORECASE))
        if match := _AZURE.match(name):
            letters, _, features, accelerator, version = match.groups()
            found += [f"{letters}{features}{accelerator}{version or ''}", f"{letters}{features}{version or ''}"]
    elif provider == "oci":
        parts = name.split(".")
        # "VM.Standard.E5.Flex" names the family third, "VM.Standard3.Flex" second.
        found += [word for part in parts[1:3] for word in (part, f"{part} (X9)")]
    else:
        pieces = re.split(r"[.\-]", name)
        found += [name[: sum(map(len, pieces[:n])) + n - 1] for n in range(len(pieces) - 1, 0, -1)]
        if provider == "vultr" and len(pieces) > 2:
            found.append(f"{pieces[0]}-{pieces[-1]}")
        if provider == "hetzner":
            found.append(re.sub(r"\d+$", "", name))
        if provider == "scaleway":
            found += [re.sub(r"\d+C$", "", piece) for piece in found if re.search(r"-[AX]\d+C$", piece)]
    return tuple(dict.fromkeys(found))
