"""Which part of the world a provider's region name lies in."""

from __future__ import annotations

import re
from functools import lru_cache

# First match wins. Canada counts as us and Australia as asia: the nearest group a reader would look in.
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "us",
        re.compile(
            r"^us|us$|us\d$|^ca\b|^canada|^northamerica|montreal|toronto|beauharnois|virginia|oregon|ohio|california|texas"
            r"|iowa|dallas|chicago|new york|los angeles|ashburn|hillsboro|seattle|atlanta|miami|fremont|united states"
            r"|^(nyc|sfo|atl|tor|bhs|hil|vin|ash|ric)\d*\b"
        ),
    ),
    (
        "other",
        re.compile(
            r"^(sa|af|me|il|mx|br|cl|ar|za|ae|nz|qa)\b|^(southamerica|africa|brazil|chile|mexico|uae|qatar|israel|southafrica)"
            r"|sao ?paulo|santiago|johannesburg|tel aviv|dubai"
        ),
    ),
    (
        "asia",
        re.compile(
            r"^(ap|cn|as|au|jp|sg|in|kr|hk|tw|my|id|th|oc|sea|vn|ph|kz|ge|am)\d*\b|india|^(asia|japan|korea|australia|indonesia|malaysia|taiwan)"
            r"|singapore|tokyo|mumbai|osaka|seoul|jakarta|hong ?kong|eastasia|southeastasia|sydney|melbourne"
            r"|^(sgp|sin|blr|syd|ynm|mum)\d*\b"
        ),
    ),
    (
        "eu",
        re.compile(
            r"^eu|^(de|fr|nl|pl|uk|gb|fi|se|it|es|ch|at|be|cz|no|ro|ie|pt|dk|lt|lu|bg|hu|is|lv|ee|fin|gr|hr|rs|sk|si|ua|md|mt|cy|al|ba|me|mk|tr|ice)\b"
            r"|europe|uksouth|ukwest|united kingdom|france|germany|netherlands|sweden|norway|poland|switzerland|italy|spain"
            r"|finland|iceland|ireland|helsinki|falkenstein|nuremberg|frankfurt|london|paris|amsterdam|warsaw|stockholm"
            r"|^(ams|lon|fra|hel|fsn|nbg|gra|sbg|rbx|waw|par)\d*\b"
        ),
    ),
)

_COUNTRY_CODE = re.compile(r",\s*([a-z]{2})$")
_GROUPS = ("eu", "us", "asia", "other")


@lru_cache(maxsize=4096)
def region_group(region: str | None) -> str | None:
    """eu, us, asia or other; None where no region is stated, "other" where the name says nothing we know."""
    if not region:
        return None
    name = region.strip().lower()
    if name in _GROUPS:
        return name
    # "Bulgaria, BG": the code tells more than the town.
    if code := _COUNTRY_CODE.search(name):
        name = code[1]
    for group, pattern in _RULES:
        if pattern.search(name):
            return group
    return "other"
