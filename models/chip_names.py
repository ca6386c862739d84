"""Which chips a spelling can mean: counts, vendors, memory sizes and form factors in a name are hints, and never a guess."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from models import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from models.chip import Chip

    Reading = tuple[Chip, float | None, str]
    """A chip, and the memory (GiB) and link that decide for it where a spelling has several readings."""

MEMORY_TOLERANCE = 0.08
"""How far a stated memory size may lie from the nominal one: 79.2 GiB is an 80 GB card, 22.4 GiB an L4."""


def link_class(text: str) -> str:
    """sxm, pcie or nvl: what tells cards of one name apart; empty where the text says neither."""
    key = names.normalise(text)
    if "nvlink" in key:
        # A bridge joins PCIe cards; NVLink without one means the SXM board.
        return "pcie" if "bridge" in key else "sxm"
    return next((link for link in ("nvl", "sxm", "pcie") if link in key), "")


_VENDOR = re.compile(r"^(?:nvidia|amd|intel|habana|geforce|quadro|tesla|instinct|radeon)[\s_-]+", re.IGNORECASE)
_COUNT = re.compile(r"^\d+\s*[x×*]\s+|^\d+[x×](?=[a-z])", re.IGNORECASE)
_MEMORY = re.compile(r"[\s_(-]*(\d+(?:\.\d+)?)\s*gi?b\)?(?=$|[\s_,)-])", re.IGNORECASE)
_LINK = re.compile(r"[\s_(-]+(pcie|sxm\d?|nvl|nvlink)\)?(?=$|[\s_,)-])", re.IGNORECASE)


def stated_memory(name: str) -> float | None:
    """The memory size that a name states, GiB."""
    size = _MEMORY.search(name)
    return float(size.group(1)) if size else None


def _near(stated: float, nominal: float) -> bool:
    return abs(stated - nominal) <= MEMORY_TOLERANCE * nominal


def _decide(readings: Iterable[Reading], memory_gib: float | None, link: str) -> list[Chip]:
    """The readings that memory and link leave; one reading alone needs no deciding."""
    found = list(readings)
    if len(found) > 1 and memory_gib is not None:
        found = [one for one in found if _near(memory_gib, one[1] or one[0].memory_gib)]
    if len(found) > 1 and link:
        found = [one for one in found if one[2] == link]
    return [one[0] for one in found]


def candidates(
    name: str, memory_gib: float | None, link: str | None, readings_of: Callable[[str], tuple[Reading, ...]]
) -> list[Chip]:
    """Chips a spelling can mean, most specific reading first; one = decided, several = ambiguous, none = unknown.

    Known decorations (count, vendor, memory size, form factor) are taken off one by one and become hints; what is
    left must be a whole known spelling.
    """
    text = _COUNT.sub("", name.strip())
    hint_link = link_class(link or "")
    ambiguous: list[Chip] = []
    spellings = [text]
    while _VENDOR.match(spellings[-1]):
        spellings.append(_VENDOR.sub("", spellings[-1]))
    for spelling in spellings:
        if readings := readings_of(spelling):
            found = _decide(readings, memory_gib, hint_link)
            if len(found) == 1:
                return found
            # More than one stays ambiguous, even where the hints leave none: never a guess.
            ambiguous = ambiguous or found or [reading[0] for reading in readings]
    # The spelling with its memory size and form factor taken off: they must then agree with what is found.
    for spelling in spellings:
        said_memory = stated_memory(spelling)
        form = _LINK.search(spelling)
        said_link = link_class(form.group(1)) if form else ""
        without_size = _MEMORY.sub(" ", spelling, count=1).strip() if said_memory is not None else spelling
        without_form = _LINK.sub(" ", spelling, count=1).strip() if form else spelling
        bare = _LINK.sub(" ", without_size, count=1).strip() if form else without_size
        for shorter in dict.fromkeys((without_size, without_form, bare)):
            if shorter == spelling or not (readings := readings_of(shorter)):
                continue
            memory = said_memory if said_memory is not None else memory_gib
            found = _decide(readings, memory, said_link or hint_link)
            if said_memory is not None:
                found = [one for one in found if not _near_known(said_memory, one)]
            if said_link and shorter != without_size:
                found = [one for one in found if _form(one) in ("", said_link)]
            if len(found) == 1:
                return found
            ambiguous = ambiguous or found
    if (
        hint_link
        and not any(_form(one) == hint_link for one in ambiguous)
        and (readings := readings_of(f"{text} {hint_link}"))
    ):
        found = _decide(readings, memory_gib, hint_link)
        if len(found) == 1:
            return found
    return ambiguous


def _near_known(stated: float, one: Chip) -> bool:
    """Whether a stated size contradicts the chip's."""
    return not math.isnan(one.memory_gib) and not _near(stated, one.memory_gib)


def _form(one: Chip) -> str:
    return link_class(one.name) or ("pcie" if one.interconnect == "none" else "")
