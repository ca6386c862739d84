"""What lies between prices and the screen: money from the settings, the days the prices were seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.details import details


def _text(rows, i):
    return " ".join(
        " ".join("".join(span for span, _ in line) for line in details(rows, i, 90)).replace("\xa0", " ").split()
    )


def test_the_header_says_when_the_shown_prices_were_seen(make_session):
    session = make_session()
    session.recompute()
    days = sorted(offer.source_date for offer in session.market.offers if offer.source_date)
    assert session.price_days() == f"{days[0][:7]} to {days[-1][:7]}"
    none = make_session([])
    none.recompute()
    assert none.price_days() == "—"


def test_a_currency_without_a_rate_falls_back_to_dollars_and_says_so(make_session):
    session = make_session(currency="XXX")
    assert any("no exchange rate for XXX; costs are in USD" in message for message in session.messages)
    session.recompute()
    assert session.comparison.terms.currency == "USD"


def test_details_say_what_was_done_to_the_price(make_session):
    """Else nobody can follow the sum from the listed price to the cost."""
    session = make_session(currency="EUR", vat=0.19, discounts={"acme": 0.1})
    session.recompute()
    i = next(i for i, offer in enumerate(session.market.offers) if offer.server == "l4-small")
    text = _text(session.rows, i)
    assert "! 10 % negotiated discount applied" in text
    assert "19.0 % VAT added; USD 1 = EUR 0." in text
    assert "ECB, bundled of 20" in text
    plain = make_session()
    plain.recompute()
    assert "VAT added" not in _text(plain.rows, i)


@pytest.mark.parametrize(("users", "words"), [(1, "1 user uses"), (5, "5 users use ")])
def test_users_use_the_server(make_session, users, words):
    session = make_session()
    session.history.set(session.workload.changed(concurrency=users))
    session.recompute()
    i = next(i for i, offer in enumerate(session.market.offers) if offer.server == "l4-small")
    assert words in _text(session.rows, i)


def test_details_name_the_measurements(make_session):
    """A figure says what was measured beside it, with source and licence; nothing where nothing was."""
    session = make_session()
    plain = next(entry for entry in session.market.offers if entry.server == "epyc-48")
    own = replace(plain, offer_id="own", provider="aws", server="m7a.8xlarge", cpu_model="AMD EPYC 9R14", cores=32.0)
    session = make_session([plain, own])
    session.history.set(session.workload.changed(quant="q4_k_m"))
    session.recompute()
    text = _text(session.rows, 1)
    assert "figures measured" in text
    assert "llama.cpp on aws m7a.8xlarge" in text
    assert "CC BY-SA 4.0" in text
    assert "CC BY-SA" not in _text(session.rows, 0)


def test_details_say_where_the_time_of_a_token_goes(make_session):
    """The parts are named from the largest down; a server without an estimate has no such line."""
    session = make_session()
    session.recompute()
    rows = session.rows
    answered = next(i for i in rows.order.tolist() if rows.step(i))
    assert "Step a token " in _text(rows, answered)
    assert rows.step(answered)[0][0] in _text(rows, answered)
    without = next((i for i in rows.order.tolist() if not rows.step(i)), None)
    if without is not None:
        assert "Step a token" not in _text(rows, without)
