"""The ECB's daily XML: namespaces, dates, and what is not it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pricing.errors import FeedError
from pricing.providers.ecb import parse

XML = (Path(__file__).parent / "payloads" / "ecb.xml").read_bytes()
SUNDAY = date(2026, 11, 29)


def test_a_friday_fixing_is_read_on_a_sunday() -> None:
    rates = parse(XML, SUNDAY)
    assert (rates.date, rates.per_euro["USD"], rates.per_euro["GBP"]) == ("2026-11-27", 1.131, 0.8612)
    assert rates.convert(200.0, "EUR", "USD") == pytest.approx(226.2)
    assert rates.convert(1.0, "RUB", "EUR") is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not the rates"),
        (b"<!doctype html><html><body>maintenance</body></html>", "no rates|not the rates"),
        (XML[: len(XML) // 2], "not the rates"),
        (XML.replace(b"'1.1310'", b"'n/a'"), "cannot be read"),
        (XML.replace(b"'1.1310'", b"'0'"), "cannot be read"),
        (XML.replace(b"'USD'", b"'XXX'"), "no rate of the dollar"),
        (XML.replace(b"2026-11-27", b"2031-01-01"), "future"),
        (XML.replace(b"2026-11-27", b"last Friday"), "cannot be read"),
        (b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><x>&b;</x>", "not the rates"),
    ],
    ids=["empty", "html", "cut off", "text rate", "zero rate", "no dollar", "future", "bad date", "entity bomb"],
)
def test_what_is_no_fixing_is_refused(body: bytes, said: str) -> None:
    with pytest.raises(FeedError, match=said):
        parse(body, SUNDAY)
