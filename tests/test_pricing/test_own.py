"""The user's own servers: read with the catalogs' names, refused with line and field, changed without losing a byte."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pricing import atomic, own, own_file, own_lines, paths
from pricing.errors import OwnServersError, StoreError
from pricing.market import Market
from pricing.own_facts import unknown_hardware
from pricing.own_fields import FIELDS, OWNED_FIELDS

if TYPE_CHECKING:
    from pricing.offer import Offer

TODAY = date(2026, 11, 30)
ROOT = Path(__file__).resolve().parents[2]

QUOTE = """\
# quotes, most recent first
[[server]]
name = "colo-1"
gpu = "H100 SXM"          # eight of them
gpu_count = 8
gpu_memory_gib = 80
cpu = "AMD EPYC 9454"
sockets = 2
ram_gib = 1024
region = "eu"
currency = "eur"
price_per_hour = 18.5
setup_fee = 0
vat_included = false
seen = 2026-11-01
note = "power included"
"""
OWNED = """\
[[server]]
name = "mine"
cpu = "2x AMD EPYC 9454"
ram_gib = 768
currency = "EUR"
seen = 2026-11-02

[server.owned]
purchase = 250000
months = 36
watts = 8500
power_price_per_kwh = 0.22
colocation_per_month = 400
"""
BARE = '[[server]]\nname = "x"\ngpu = "L40S"\ncurrency = "USD"\n'


def write(text: str) -> Path:
    path = paths.own_servers_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def read(text: str) -> tuple[Offer, ...]:
    write(text)
    return own.offers(today=TODAY)


def refused(text: str) -> str:
    path = write(text)
    with pytest.raises(OwnServersError) as caught:
        own.offers(today=TODAY)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{path}, ", "")


# what is read


def test_no_file_means_no_servers() -> None:
    assert own.offers() == ()
    assert read("") == ()
    assert read("# nothing yet\n") == ()


def test_a_quote_is_an_offer_with_the_catalogs_names() -> None:
    (entry,) = read(QUOTE)
    assert (entry.provider, entry.server, entry.kind) == ("custom", "colo-1", "gpu")
    assert (entry.gpu_model, entry.gpu_count, entry.vram_gib_per_gpu) == ("H100-80GB-SXM5", 8, 80)
    assert entry.gpu_memory_bandwidth_gb_s == 3350
    assert (entry.cpu_model, entry.sockets, entry.ram_gib) == ("AMD EPYC 9454", 2, 1024)
    assert (entry.region, entry.region_group) == ("eu", "eu")
    assert (entry.currency, entry.price_per_hour, entry.price_per_month) == ("EUR", 18.5, None)
    assert (entry.setup_fee, entry.vat_included, entry.term) == (0, False, "on_demand")
    assert (entry.source, entry.source_date, entry.fetched_at) == ("servers.toml, line 2", "2026-11-01", "2026-11-30")
    assert (entry.price_basis, entry.note) == ("listed", "power included")
    assert entry.offer_id == "custom_colo-1_eu_on-demand__eur"
    assert Market([entry]).known_hardware.all()


def test_a_bought_machine_costs_its_month() -> None:
    """F10: 250,000 / 36 + 8.5 kW x 730 h x 0.22 + 400 = 6,944.44 + 1,365.10 + 400."""
    (entry,) = read(OWNED)
    assert entry.price_per_month == pytest.approx(8709.54, abs=0.01)
    assert (entry.price_per_hour, entry.term, entry.price_basis) == (None, "monthly", "derived")
    assert entry.note == (
        "owned: EUR 250,000 over 36 months = 6,944.44 a month + 8,500 W x PUE 1 x 730 h x EUR 0.22/kWh = 1,365.10 "
        "+ colocation 400.00"
    )
    (cooled,) = read(OWNED.replace("colocation_per_month = 400", "pue = 1.3"))
    assert cooled.price_per_month == pytest.approx(6944.44 + 1.3 * 1365.10, abs=0.01)
    assert "PUE 1.3" in (cooled.note or "")
    (included,) = read(OWNED.replace("0.22", "0"))
    assert included.price_per_month == pytest.approx(7344.44, abs=0.01)


def test_owned_may_be_written_in_each_way_of_toml() -> None:
    fields = "purchase = 1000, months = 10, watts = 100, power_price_per_kwh = 0.1"
    inline = f"{BARE}owned = {{ {fields} }}\n"
    dotted = BARE + "".join(f"owned.{part.strip()}\n" for part in fields.split(","))
    first, second = read(inline), read(dotted)
    assert first[0].price_per_month == second[0].price_per_month == pytest.approx(107.3)


@pytest.mark.parametrize(
    ("more", "term"),
    [
        ("price_per_hour = 1", "on_demand"),
        ("price_per_month = 1", "monthly"),
        ("price_per_hour = 1\nprice_per_month = 500", "on_demand"),
        ("price_per_hour = 1\ncommitment_months = 12", "reserved"),
        ("price_per_month = 1\ncommitment_months = 12", "monthly"),
        ('price_per_hour = 1\nterm = "spot"', "spot"),
    ],
)
def test_the_term_follows_from_the_price(more: str, term: str) -> None:
    assert read(BARE + more)[0].term == term


def test_a_whole_machine_has_all_its_cores() -> None:
    """A CPU without its cores would be estimated as a tenth of itself."""
    assert read(OWNED)[0].cores == 96
    part = OWNED.replace('cpu = "2x AMD EPYC 9454"', 'cpu = "AMD EPYC 9454"\nvcpus = 16')
    assert (read(part)[0].cores, read(part)[0].vcpus) == (None, 16)


def test_a_server_without_a_day_was_seen_when_the_file_changed() -> None:
    path = write(BARE + "price_per_hour = 1")
    os.utime(path, (1_790_000_000, 1_790_000_000))  # 2026-09-21
    assert own.offers(today=TODAY)[0].source_date == "2026-09-21"
    os.utime(path, (1_900_000_000, 1_900_000_000))  # a clock that ran ahead
    assert own.offers(today=TODAY)[0].source_date == "2026-11-30"


def test_names_that_make_the_same_id_all_stay() -> None:
    texts = [
        BARE.replace('"x"', name) + "price_per_hour = 1\n" for name in ('"colo 1"', '"colo-1"', '"東京"', '"大阪"')
    ]
    found = read("".join(texts))
    assert len(Market(found)) == 4


def test_a_chip_without_a_catalog_entry_stays_as_it_is_written() -> None:
    texts = ['gpu = "Zeta 9000"', 'gpu = "A100"\ngpu_memory_gib = 80', 'gpu = "H100 SXM"\ngpu_memory_gib = 33',
             'gpu = "L40S"', 'cpu = "EPYC 9999X"\nvcpus = 8', "vcpus = 8", 'cpu = "AMD EPYC 9454"\nvcpus = 8']  # fmt: skip
    found = read("".join(
        f'[[server]]\nname = "s{at}"\ncurrency = "USD"\nprice_per_hour = 1\n{text}\n' for at, text in enumerate(texts)
    ))  # fmt: skip
    assert [entry.gpu_model for entry in found[:4]] == ["Zeta 9000", "A100", "H100 SXM", "L40S"]
    assert Market(found).known_hardware.tolist() == [False, False, False, True, True, True, True]
    said = unknown_hardware(found)
    assert said[0].startswith("unknown chip 'Zeta 9000': shown without estimate. Did you mean")
    assert "A100-80GB-PCIe, A100-80GB-SXM4" in said[1]
    assert said[2].startswith("H100-80GB-SXM5 has not 33 GiB: shown without estimate.")
    assert said[3] == said[6] == ""
    assert said[4].startswith("unknown CPU 'EPYC 9999X': estimated as an unknown one")
    assert said[5].startswith("no CPU named")


def test_a_slice_of_a_card_keeps_its_own_memory() -> None:
    (entry,) = read(BARE + "price_per_hour = 1\ngpu_count = 0.125\ngpu_memory_gib = 6\n")
    assert (entry.gpu_count, entry.vram_gib_per_gpu, entry.gpu_model) == (0.125, 6, "L40S")


def test_a_byte_order_mark_and_windows_line_ends() -> None:
    (entry,) = read("\ufeff" + QUOTE.replace("\n", "\r\n"))
    assert (entry.server, entry.source) == ("colo-1", "servers.toml, line 2")


def test_a_thousand_servers_are_read_at_once() -> None:
    text = "".join(QUOTE.replace("colo-1", f"colo-{n}") + "\n" for n in range(1000))
    start = time.perf_counter()
    found = read(text)
    assert time.perf_counter() - start < 5
    assert len({entry.offer_id for entry in found}) == 1000
    assert found[999].source == f"servers.toml, line {999 * 17 + 2}"


# what is refused

PRICED = BARE + "price_per_hour = 1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # another field
        (PRICED + "gpu_cuont = 8", "line 6, field gpu_cuont: there is no such field. Did you mean gpu_count?"),
        (PRICED + "vram_gib_per_gpu = 8", "line 6, field vram_gib_per_gpu: there is no such field. Did you mean gpu_memory_gib?"),
        (PRICED + "hourly = 8", "line 6, field hourly: there is no such field. Did you mean price_per_hour?"),
        (PRICED + "purchase = 8", "line 6, field purchase: there is no such field. purchase belongs below a line [server.owned]."),
        (PRICED + "discount = 5", "line 6, field discount: there is no such field. Discounts are in the settings"),
        (OWNED + 'note = "x"', "line 14, field owned.note: there is no such field. note belongs above [server.owned]."),
        (PRICED + "zzz = 8", "line 6, field zzz: there is no such field. Known: name, kind,"),
        ("[[servers]]\nname = 'x'", "line 1, field servers: there is no such field. Did you mean [[server]]?"),
        ("\n\nname = 'x'", "line 3, field name: there is no such field. Did you mean [[server]]?"),
        (QUOTE + "[prices]\nx = 1", "line 17, field prices: there is no such field. Each server is a table [[server]]"),
        ("[server]\nname = 'x'", "line 1: a server is no table of its own. Write each below a line [[server]]."),
        ("# a\nserver = [{name = 'x'}]", "line 2: a server is no table of its own."),
        ("server = 3", "line 1: a server is no table of its own."),
        ("server = []", "line 1: a server is no table of its own."),
        # another type
        (PRICED + 'gpu_count = "8"', "line 6, field gpu_count: '8' is a text, not a number. Numbers are written without quotes."),
        (PRICED + "gpu_count = true", "field gpu_count: True is not a number."),
        (PRICED + "gpu_count = [8]", "field gpu_count: [8] is not a number."),
        (PRICED + "region = 3", "field region: 3 is not a text."),
        (PRICED + 'region = " "', "field region: it is empty."),
        (PRICED + "vat_included = 19", "field vat_included: 19 is neither true nor false. It says whether"),
        (PRICED + "vat_included = 'yes'", "field vat_included: 'yes' is neither true nor false."),
        (PRICED + "shared_cpu = 1", "field shared_cpu: 1 is neither true nor false."),
        (PRICED + "seen = 20261101", "field seen: 20261101 is not a text."),
        (PRICED + "seen = 'last week'", "field seen: 'last week' is not a date such as 2026-11-30."),
        (PRICED + "seen = 2027-01-01", "line 6, field seen: 2027-01-01 lies in the future."),
        (PRICED + "owned = 3", "line 6, field owned: 3 is not a table. Write a line [server.owned]"),
        (PRICED + "[[server.owned]]\npurchase = 1", "line 6, field owned:"),
        (PRICED + "kind = 'tpu'", "field kind: 'tpu' is not one of gpu, cpu."),
        (PRICED + "term = 'yearly'", "field term: 'yearly' is not one of on_demand,"),
        (PRICED + "region_group = 'emea'", "field region_group: 'emea' is not one of eu, us, asia, other."),
        (BARE.replace("USD", "euro") + "price_per_hour = 1", "line 4, field currency: 'euro' is not a three-letter currency"),
        # numbers that cannot be
        (BARE + "price_per_hour = -3", "line 5, field price_per_hour: -3 is negative."),
        (BARE + "price_per_hour = 0", "line 5, field price_per_hour: 0 is not above 0."),
        (BARE + "price_per_hour = nan", "line 5, field price_per_hour: nan is not a finite number."),
        (BARE + "price_per_hour = inf", "line 5, field price_per_hour: inf is not a finite number."),
        (BARE + f"price_per_hour = 1{'0' * 400}", "line 5, field price_per_hour: 1000"),
        (BARE + "price_per_hour = 60000", "line 5, field price_per_hour: USD 60,000 is more than USD 50,000. Check its unit."),
        (BARE + "price_per_month = 3e7", "line 5, field price_per_month: USD 30,000,000 is more than USD 2e+07."),
        (PRICED + "setup_fee = -1", "line 6, field setup_fee: -1 is negative."),
        (PRICED + "ram_gib = 1e9", "line 6, field ram_gib: 1e+09 is more than 200000. Check its unit."),
        (PRICED + "sockets = 1.5", "line 6, field sockets: 1.5 is not a whole number."),
        (PRICED + "commitment_months = 240", "line 6, field commitment_months: 240 is more than 120."),
        (PRICED + "gpu_count = 1.5", "field gpu_count: 1.5 is neither whole nor a fraction of one."),
        (PRICED + "gpu_count = 0.5", "field gpu_memory_gib: it is missing. A slice of a card says its own memory."),
        (PRICED + "gpu_count = 8\ngpu_memory_gib = 384", "line 7, field gpu_memory_gib: 384 is the memory of all 8 GPUs together."),
        (PRICED + "cpu = 'AMD EPYC 9454'\nsockets = 1\ncores = 96", "line 8, field cores: 96 is more than the 48 cores of"),
        (OWNED.replace("0.22", "22"), "line 12, field owned.power_price_per_kwh: EUR 22 is more than USD 2. Check its unit: it is"),
        (OWNED + "pue = 130", "line 14, field owned.pue: 130 is more than 3. It is a factor: 1.3 adds 30 % for cooling."),
        (OWNED + "pue = 0.3", "line 14, field owned.pue: 0.3 is less than 1. It is a factor"),
        (OWNED.replace("8500", "8.5"), "line 11, field owned.watts: 8.5 is less than 20. It is the draw of the whole machine"),
        (OWNED.replace("months = 36", "months = 0.5"), "line 10, field owned.months: 0.5 is less than 1."),
        (OWNED.replace("250000", "2.5e9"), "line 9, field owned.purchase: EUR 2,500,000,000 is more than USD 1e+08."),
        # what belongs together
        (BARE, "line 1: the server has no price. Add price_per_hour, price_per_month or [server.owned]."),
        (OWNED.replace("seen", "price_per_hour = 3\nseen"), "line 6, field price_per_hour: it does not go with [server.owned]."),
        (OWNED.replace("seen", "setup_fee = 3\nseen"), "line 6, field setup_fee: it does not go with [server.owned]."),
        (OWNED.replace("seen", "term = 'spot'\nseen"), "line 6, field term: a bought machine costs its month."),
        (OWNED.replace("months = 36\n", ""), "line 8, field owned.months: it is missing. Needed are purchase, months,"),
        (BARE + "price_per_hour = 400\nprice_per_month = 2", "line 5, field price_per_hour: 400 is more than the month's 2. Are"),
        (PRICED + "term = 'monthly'", "line 6, field term: there is no price_per_month."),
        (PRICED.replace('currency = "USD"\n', ""), "line 1, field currency: it is missing."),
        (PRICED.replace('name = "x"\n', ""), "line 1, field name: it is missing."),
        (PRICED + "kind = 'cpu'", "line 6, field kind: the server has a gpu, so it is no cpu server."),
        (PRICED.replace('gpu = "L40S"', "kind = 'gpu'"), "line 1, field gpu: it is missing."),
        (PRICED.replace('gpu = "L40S"', "gpu_count = 2\nvcpus = 8"), "line 3, field gpu_count: the server names no gpu."),
        (PRICED.replace('gpu = "L40S"', "ram_gib = 8"), "line 1, field cores: it is missing. A server names its gpu, or says"),
        (PRICED.replace("gpu = ", "cpu = ").replace("L40S", "AMD EPYC 9454"), "line 1, field sockets: it is missing. A CPU server says"),
        (QUOTE + QUOTE, "line 19, field name: the server at line 2 has the name 'colo-1' already. Give it another name."),
        (QUOTE + QUOTE.replace("colo-1", "COLO-1"), "line 19, field name: the server at line 2 has the name 'COLO-1' already."),
        # names
        (PRICED.replace('"x"', '"a\\u001b[31mb"'), r"line 2, field name: 'a\x1b[31mb' holds control characters."),
        (PRICED.replace('"x"', f'"{"n" * 300}"'), "line 2, field name: it has 300 characters, more than 100."),
        (PRICED + f'note = "{"n" * 3000}"', "line 6, field note: it has 3,000 characters, more than 500."),
        # no TOML
        (QUOTE + "gpu_count = \n", "line 17: not valid TOML: invalid value."),
        (QUOTE + "gpu_count 8", "line 17: not valid TOML: expected '=' after a key"),
        (QUOTE + 'x = "abc', "line 17: not valid TOML:"),
        (QUOTE + 'x = """abc\n\n', "line 17: not valid TOML:"),
        (QUOTE + "gpu = 'L4'", "line 17: not valid TOML: cannot overwrite a value."),
        (QUOTE + "seen2 = 2026-13-45", "line 17: not valid TOML:"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_line_and_field(text: str, said: str) -> None:
    assert refused(text).startswith(said) or (not said.startswith("line ") and said in refused(text))


def test_the_line_is_right_behind_comments_strings_and_lists() -> None:
    """The scan for lines must not take what stands in a text for a table."""
    text = (
        '# [[server]]\n[[ server ]] # one\n  "name" = "a]]#" # [x]\nnote = """\n[[server]]\nname = "no"\n"""\n'
        "gpu = 'L40S'\ncurrency = 'USD'\nprice_per_hour = 1\n\n"
        "[[\"server\"]]\nname = 'b'\nstorage = ''' '' ''''\nnic = [\n  1, # ]\n]\n"
    )
    assert refused(text).startswith("line 15, field nic: [1] is not a text.")
    assert refused(text.replace("nic = [\n  1, # ]\n]", "gpu = 3")).startswith("line 15, field gpu: 3 is not a text.")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 20000,
        f"x = {'1' * 5000}",
        "\x00",
        "[[server]]\r",
        "[[[server]]]",
        "server.a = 1",
        "'' = 3",
        '"\\n" = 3',
    ],
)
def test_odd_texts_are_one_sentence(text: str) -> None:
    assert refused(text)


def test_a_file_that_is_no_text_or_no_file_is_told(tmp_path: Path) -> None:
    path = write("")
    path.write_bytes(b'[[server]]\nname = "\xff"\n')
    with pytest.raises(OwnServersError, match=r"line 2: it is not text in UTF-8\. Save it as UTF-8\."):
        own.offers()
    path.unlink()
    path.mkdir()
    with pytest.raises(OwnServersError, match=r"Cannot read .*Is a directory"):
        own.offers()
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(OwnServersError, match="is no file"):
        own.offers()


TOML = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["purchase", "watts", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@example({"owned": {}})
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from([*FIELDS, "owned", "x"]), TOML, max_size=8))
def test_any_values_are_an_offer_or_a_sentence(table: dict[str, Any]) -> None:
    import tomli_w

    def without_none(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without_none(one) for name, one in value.items() if one is not None}
        return [without_none(one) for one in value if one is not None] if isinstance(value, list) else value

    base = {"name": "x", "gpu": "L40S", "currency": "USD", "price_per_hour": 1}
    text = "[[server]]\n" + tomli_w.dumps(without_none(base | table))
    if "[" in tomli_w.dumps(without_none(base | table)):
        text = text.replace("\n[", "\n[server.")
    try:
        found = own.parse(text, Path("servers.toml"), today=TODAY, seen_on=TODAY)
    except OwnServersError as error:
        assert error.message.startswith("servers.toml")  # noqa: PT017 - either outcome is right
    else:
        assert all(one.offer.price_per_hour or one.offer.price_per_month for one in found)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(
    ["[[server]]", "[server.owned]", "name = 'a'", "note = '''", "'''", '"""', "# x", "x = [", "]", "y = {a = 1}", "", "\r", "'k' = 3"]
), max_size=12).map("\n".join))  # fmt: skip
def test_any_valid_text_has_a_line_for_every_key(text: str) -> None:
    try:
        top = tomllib.loads(text)
    except ValueError:
        return
    for name in top:
        line = own_lines.line_of(text, name)
        assert name in text.splitlines()[line - 1]
    written = top.get("server")
    if isinstance(written, list):
        found = own_lines.blocks(text, "server")
        assert len(found) == len(written)
        assert all(tomllib.loads(text[block.start : block.end])["server"] == [one]
                   for block, one in zip(found, written, strict=True))  # fmt: skip


# changes

FIELDS_OF_NEW = {"name": "new", "gpu": "L40S", "currency": "USD", "price_per_hour": 2, "seen": TODAY}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ["", QUOTE, OWNED + "\n\n# the end", "# only a comment", QUOTE.rstrip("\n")])
def test_adding_keeps_every_byte_and_removing_brings_them_back(text: str, mark: str, line_end: str) -> None:
    before = (mark + text).replace("\n", line_end)
    path = write(before)
    was = own.offers(today=TODAY)
    added = own_file.add(FIELDS_OF_NEW, today=TODAY)
    after = path.read_bytes().decode()
    assert after.startswith(before)
    assert ("\r\n" in before) == ("\r\n" in after)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in after
    assert own.offers(today=TODAY) == (*was, added.offer)
    assert after.splitlines()[added.line - 1].removeprefix("\ufeff") == "[[server]]"
    assert own_file.remove("NEW") == added.line
    rest = path.read_bytes().decode()
    assert rest.startswith(before)
    assert rest[len(before) :].strip() == ""
    assert own.offers(today=TODAY) == was


def test_removing_cuts_exactly_that_table() -> None:
    middle = OWNED + "# about the next one\n"
    path = write(QUOTE + "\n# about mine\n" + middle + BARE + "price_per_hour = 1 # cheap")
    own_file.remove("mine")
    assert path.read_text() == QUOTE + "\n# about mine\n# about the next one\n" + BARE + "price_per_hour = 1 # cheap"
    own_file.remove("x")
    own_file.remove("colo-1")
    assert path.read_text() == "# quotes, most recent first\n\n# about mine\n# about the next one\n"
    with pytest.raises(OwnServersError, match=r"There are no servers in .*`rackrate offers add --help` shows how"):
        own_file.remove("x")


def test_removing_works_on_a_file_that_is_not_in_order() -> None:
    path = write(QUOTE + '[[server]]\nname = "bad"\nprice_per_hour = -1\n')
    own_file.remove("bad")
    assert path.read_text() == QUOTE
    path = write(BARE + BARE)
    with pytest.raises(OwnServersError, match="lines 1 and 5 are both named 'x'"):
        own_file.remove("x")
    assert path.read_text() == BARE + BARE


def test_a_table_in_two_pieces_is_left_alone() -> None:
    """A table of another kind may stand between a server and its [server.owned]: rackrate does not cut through it."""
    text = PRICED + "[other]\na = 1\n"
    path = write(text)
    with pytest.raises(OwnServersError, match="field other"):
        own_file.remove("x")
    assert path.read_text() == text


def test_replacing_puts_the_new_one_in_the_old_ones_place() -> None:
    path = write("# a\n" + PRICED + "# b\n" + QUOTE)
    with pytest.raises(OwnServersError, match=r"line 2: there is a server 'x' already\. --replace puts"):
        own_file.add(FIELDS_OF_NEW | {"name": "X"}, today=TODAY)
    own_file.add(FIELDS_OF_NEW | {"name": "X"}, replace=True, today=TODAY)
    text = path.read_text()
    assert text.startswith('# a\n[[server]]\nname = "X"\n')
    assert text.endswith("# b\n" + QUOTE)
    assert [entry.server for entry in own.offers()] == ["X", "colo-1"]


def test_nothing_is_added_to_a_file_that_is_not_in_order() -> None:
    path = write(QUOTE + "gpu_cuont = 8\n")
    with pytest.raises(OwnServersError, match=r"line 17, field gpu_cuont: .*Until then nothing can be added"):
        own_file.add(FIELDS_OF_NEW, today=TODAY)
    assert path.read_text() == QUOTE + "gpu_cuont = 8\n"


@pytest.mark.parametrize(
    "name", ["[bold red]x[/]", "=cmd()|'/c calc'!A0", '"', "'''", "\\", 'a]]"#', "サーバー", "-1", "a\u0301", "n" * 100]
)
def test_hostile_names_are_written_and_read_as_they_are(name: str) -> None:
    write(QUOTE)
    assert own_file.add(FIELDS_OF_NEW | {"name": name}, today=TODAY).offer.server == name
    assert [entry.server for entry in own.offers()] == ["colo-1", name]
    own_file.remove(name)
    assert [entry.server for entry in own.offers()] == ["colo-1"]


def test_a_linked_file_stays_linked(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text(QUOTE)
    path = paths.own_servers_file()
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    own_file.add(FIELDS_OF_NEW, today=TODAY)
    assert path.is_symlink()
    assert 'name = "new"' in real.read_text()


def test_a_folder_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RACKRATE_CONFIG_DIR", str(tmp_path / "file" / "folder"))
    with pytest.raises((StoreError, OwnServersError), match=r"Cannot (write|read)"):
        own_file.add(FIELDS_OF_NEW, today=TODAY)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told() -> None:
    path = write(QUOTE)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(StoreError, match=r"Cannot write in .*Permission denied"):
            own_file.add(FIELDS_OF_NEW, today=TODAY)
    finally:
        path.parent.chmod(0o700)
    assert path.read_text() == QUOTE


def test_a_full_disk_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(QUOTE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        own_file.add(FIELDS_OF_NEW, today=TODAY)
    assert path.read_text() == QUOTE


ADD = """
import sys
from datetime import date
from pricing import own_file
for n in range(int(sys.argv[2])):
    own_file.add({"name": f"{sys.argv[1]}-{n}", "gpu": "L40S", "currency": "USD", "price_per_hour": 2}, today=date(2026, 11, 30))
"""
DIE = """
import os, signal
from datetime import date
from pricing import atomic, own_file
def replace(*_):
    print("half way", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
atomic.Path.replace = replace
own_file.add({"name": "lost", "gpu": "L40S", "currency": "USD", "price_per_hour": 2}, today=date(2026, 11, 30))
"""


def test_adds_of_several_processes_lose_nothing() -> None:
    write(QUOTE)
    started = [
        subprocess.Popen([sys.executable, "-c", ADD, name, "8"], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for name in "abc"
    ]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    names = [entry.server for entry in own.offers()]
    assert names[0] == "colo-1"
    assert sorted(names[1:]) == sorted(f"{name}-{n}" for name in "abc" for n in range(8))
    assert paths.own_servers_file().read_text().startswith(QUOTE)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_killed_add_leaves_the_old_file_and_no_lock() -> None:
    path = write(QUOTE)
    done = subprocess.run(
        [sys.executable, "-c", DIE], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "half way\n")
    assert path.read_text() == QUOTE
    start = time.monotonic()
    own_file.add(FIELDS_OF_NEW, today=TODAY)
    assert time.monotonic() - start < 5
    assert [entry.server for entry in own.offers()] == ["colo-1", "new"]


def test_waiting_for_another_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_file, "PATIENCE_S", 0.05)
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with own_file._locked(paths.own_servers_file()):
            inside.set()
            leave.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert inside.wait(30)
    with pytest.raises(StoreError, match=r"Another rackrate is changing .* Try again"):
        own_file.add(FIELDS_OF_NEW, today=TODAY)
    leave.set()
    holder.join()
    own_file.add(FIELDS_OF_NEW, today=TODAY)


def test_the_fields_are_those_of_the_guide() -> None:
    """README shows a file: all its fields exist."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.split("```toml\n", 1)[1].split("```", 1)[0]
    found = own.parse(block, Path("servers.toml"), today=date(2027, 1, 1), seen_on=TODAY)
    assert {one.offer.price_basis for one in found} == {"listed", "derived"}
    assert json.dumps([one.offer.server for one in found])
    assert OWNED_FIELDS
