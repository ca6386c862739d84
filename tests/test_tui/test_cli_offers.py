"""`rackrate offers`: what was typed is checked, said back, written; own servers are in every comparison."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pricing import own, paths
from pricing.bundled import load_bundled
from pricing.own_fields import FIELDS, OWNED_FIELDS
from pricing.store import Store
from tui.__main__ import main
from tui.cli import offers
from tui.cli.parser import build
from tui.details import details
from tui.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from pricing.offer import Offer

ROOT = Path(__file__).resolve().parents[2]
RENTED = ["offers", "add", "colo-1", "--gpu", "H100 SXM", "--gpu-count", "8", "--hourly", "18.5", "--currency", "eur"]
OWNED = [
    "offers", "add", "mine", "--cpu", "2x AMD EPYC 9454", "--ram", "768", "--purchase", "250000", "--months", "36",
    "--watts", "8500", "--power-price", "0.22", "--colocation", "400", "--currency", "EUR",
]  # fmt: skip

pytestmark = pytest.mark.usefixtures("fixed_clock")


def said(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    """What a command says on stderr."""
    capsys.readouterr()
    assert main(words) == code
    return capsys.readouterr().err


def broken() -> Path:
    path = paths.own_servers_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('[[server]]\nname = "x"\ngpu_cuont = 8\n', encoding="utf-8")
    return path


def compared(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """The rows of `rackrate compare` as CSV."""
    capsys.readouterr()
    assert main(["compare", "--format", "csv", *words]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_add_says_what_it_understood(capsys: pytest.CaptureFixture[str]) -> None:
    err = said([*RENTED, "--cpu", "AMD EPYC 9454", "--sockets", "2", "--ram", "1024"], capsys)
    assert err == (
        f"Wrote 'colo-1' to {paths.own_servers_file()}, line 1.\n"
        "8× H100 SXM5 80 GB; host 2× EPYC 9454 1024 GiB RAM; EUR 18.5 an hour (13,505.00 for 730 hours), on-demand, "
        "seen 2026-11-30.\n"
        "See it: rackrate compare --provider custom\n"
    )
    assert paths.own_servers_file().read_text(encoding="utf-8") == (
        '[[server]]\nname = "colo-1"\ngpu = "H100 SXM"\ngpu_count = 8\ncpu = "AMD EPYC 9454"\nsockets = 2\nram_gib = 1024\n'
        'currency = "EUR"\nprice_per_hour = 18.5\nseen = 2026-11-30\n'
    )


def test_add_of_a_bought_machine_says_how_its_month_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    err = said(OWNED, capsys)
    assert "96c 2× EPYC 9454 768 GB; EUR 8,709.54 a month, monthly, seen 2026-11-30 (owned: EUR 250,000 over 36" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--gpu", "H100 SMX", "--hourly", "2"], "Unknown chip 'H100 SMX': shown without estimate. Did you mean H100-"),
        (["--gpu", "A100", "--hourly", "2"], "Unknown chip 'A100': shown without estimate. Did you mean A100-"),
        (["--cpu", "EPYC 1234X", "--cores", "8", "--hourly", "2"], "Unknown CPU 'EPYC 1234X': estimated as an unknown"),
        (["--gpu", "L4", "--hourly", "2", "--currency", "JPY"], "There is no exchange rate for JPY yet: `rackrate refresh ecb`"),
        (["--gpu", "L4", "--hourly", "2", "--commitment", "12"], "--provider custom --term reserved\n"),
        (["--gpu", "L4", "--hourly", "2", "--seen", "2023-01-01"], "--provider custom --undated\n"),
        (["--gpu", "L4", "--monthly", "20", "--commitment", "12"], "USD 20.00 a month, monthly for 12 months,"),
    ],
)  # fmt: skip
def test_add_says_what_will_be_missing(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sentence in said(["offers", "add", "x", *words], capsys)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--gpu", "L4"], "The server has no price. Add --hourly, --monthly or --purchase.\n"),
        (["--gpu", "L4", "--hourly", "2", "--purchase", "3"], "--hourly: it does not go with --purchase."),
        (["--gpu", "L4", "--purchase", "3"], "--months is missing. Needed are --purchase, --months, --watts, --power-price."),
        (["--gpu", "L4", "--watts", "300"], "--purchase is missing."),
        (["--gpu", "L4", "--hourly", "-2"], "--hourly: -2 is negative."),
        (["--gpu", "L4", "--hourly", "nan"], "--hourly: 'nan' is not a finite number."),
        (["--gpu", "L4", "--hourly", "two"], "--hourly: 'two' is not a number."),
        (["--gpu", "L4", "--hourly", "60000"], "--hourly: USD 60,000 is more than USD 50,000. Check its unit."),
        (["--gpu", "L4", "--monthly", "1", "--hourly", "2"], "--hourly: 2 is more than the month's 1. Are the two swapped?"),
        (["--gpu", "L4", "--hourly", "2", "--currency", "euro"], "--currency: 'EURO' is not a three-letter currency"),
        (["--gpu", "L4", "--hourly", "2", "--seen", "2027-02-01"], "--seen: 2027-02-01 lies in the future."),
        (["--gpu", "L4", "--hourly", "2", "--term", "yearly"], "--term: 'yearly' is not one of on_demand, spot,"),
        (["--gpu", "L4", "--gpu-count", "4", "--gpu-memory", "96", "--hourly", "2"], "--gpu-memory: 96 is the memory of all 4 GPUs"),
        (["--gpu", "L4", "--gpu-memroy", "96", "--hourly", "2"], "Unknown flag --gpu-memroy. Did you mean --gpu-memory?"),
        (["--hourly", "2"], "--cores is missing. A server names its gpu, or says its cores or vcpus."),
        (["--gpu", "\udcff", "--hourly", "2"], "--gpu: '\\udcff' holds bytes that are no text in UTF-8."),
    ],
)  # fmt: skip
def test_a_mistake_names_the_flag_and_writes_nothing(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"rackrate: {sentence}" in said(["offers", "add", "x", *words], capsys, 2)
    assert not paths.own_servers_file().exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["offers"], "Missing: add|list|remove. See rackrate offers --help."),
        (["offers", "ad"], "add|list|remove cannot be 'ad'. Did you mean add?"),
        (["offers", "add"], "Missing: NAME. See rackrate offers add --help."),
        (["offers", "remove", "x", "--replace"], "Unknown flag --replace. It belongs to a command: rackrate offers add --replace."),
        (["offers", "remove", "x"], "There are no servers in"),
        (["offers", "add", "n" * 300, "--gpu", "L4", "--hourly", "1"], "NAME: it has 300 characters, more than 100."),
        (["offers", "add", "a\x1b[31m", "--gpu", "L4", "--hourly", "1"], r"NAME: 'a\x1b[31m' holds control characters."),
        (["compare", "--provider", "custom"], "There are no servers of your own yet. `rackrate offers add --help` shows how"),
    ],
)  # fmt: skip
def test_other_mistakes_say_what_to_do(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = said(words, capsys, 2)
    assert sentence in err
    assert err.count("\n") == 1


def test_a_name_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    said(RENTED, capsys)
    assert "line 1: there is a server 'colo-1' already. --replace puts the new one in its place." in said(
        RENTED, capsys, 2
    )
    said([*RENTED, "--replace", "--note", "second"], capsys)
    assert [entry.note for entry in own.offers()] == ["second"]
    assert "Did you mean 'colo-1'?" in said(["offers", "remove", "colo1"], capsys, 2)
    assert "Removed 'Colo-1', which began at line 1 of" in said(["offers", "remove", "Colo-1"], capsys)
    assert own.offers() == ()


def test_list_in_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert "`rackrate offers add --help` shows how to add one" in said(["offers", "list"], capsys)
    said(RENTED, capsys)
    said(OWNED, capsys)
    said(["offers", "add", "=cmd()|'/c calc'!A0", "--gpu", "Zeta [red]9[/]", "--monthly", "7"], capsys)
    assert main(["offers", "list", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["server"] for row in rows] == ["colo-1", "mine", "'=cmd()|'/c calc'!A0"]
    assert [row["line"] for row in rows] == ["1", "9", "22"]
    assert [row["price_per_month"] for row in rows] == ["", "8709.544444", "7"]
    assert rows[2]["unknown"].startswith("unknown chip 'Zeta [red]9[/]': shown without estimate.")
    assert main(["offers", "list", "--format", "json"]) == 0
    assert [row["line"] for row in json.loads(capsys.readouterr().out)] == [1, 9, 22]
    assert main(["offers", "list", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("| Server | Hardware |")
    assert main(["offers", "list", "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert "8× H100 SXM5 80 GB" in out
    assert err.endswith(f"3 servers in {paths.own_servers_file()}.\n")


def test_a_file_that_is_not_in_order_stops_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    path = broken()
    sentence = f"rackrate: {path}, line 3, field gpu_cuont: there is no such field. Did you mean gpu_count?"
    for words in (["offers", "list"], ["compare", "--limit", "1"], RENTED):
        err = said(words, capsys, 2)
        assert err.startswith(sentence)
        assert err.count("\n") == 1
    assert path.read_text(encoding="utf-8").startswith('[[server]]\nname = "x"')


def test_the_dashboard_starts_without_a_file_that_is_not_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    path = broken()
    session = Session()
    session.load()
    assert session.market is not None
    assert len(session.market) > 1000
    assert session.messages == [
        (
            f"{path}, line 3, field gpu_cuont: there is no such field. Did you mean gpu_count? "
            "The other offers are shown."
        )
    ]
    path.unlink()
    said(RENTED, capsys)
    session.messages.clear()
    session.use(session.read(again=True))  # what the dashboard does after a refresh
    assert session.messages == []
    assert "custom" in session.market.column("provider")


def test_own_servers_are_in_every_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    said(RENTED, capsys)
    said(OWNED, capsys)
    assert {row["server"] for row in compared(["--provider", "custom"], capsys)} == {"colo-1", "mine"}
    assert {row["provider"] for row in compared(["--no-bundled"], capsys)} == {"custom"}
    assert {row["server"] for row in compared(["--where", "provider:custom monthly"], capsys)} == {"mine"}
    mine = next(row for row in compared(["--no-bundled", "--kind", "cpu", "--currency", "EUR"], capsys))
    assert float(mine["monthly_cost"]) == pytest.approx(8709.54 * float(mine["servers_needed"]), rel=1e-5)
    assert "price worked out, not listed" in mine["warnings"]
    assert mine["note"].startswith("owned: EUR 250,000")


def test_a_refresh_leaves_own_servers_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(RENTED, capsys)
    before = paths.own_servers_file().read_bytes()
    bundled = load_bundled()
    Store().save("runpod", [entry for entry in bundled if entry.provider == "runpod"], [("gpu", "on_demand")])
    monkeypatch.setenv("RACKRATE_MIRROR", "http://127.0.0.1:9")
    assert main(["refresh", "ecb", "--timeout", "1"]) == 2
    assert paths.own_servers_file().read_bytes() == before
    assert len(compared(["--provider", "custom"], capsys)) == 1


def test_a_hostile_name_never_reaches_terminal_or_spreadsheet(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("=cmd()", "[bold red]x[/]", "サーバー"):
        said(["offers", "add", name, "--gpu", "L4", "--hourly", "1"], capsys)
    names = {row["server"] for row in compared(["--provider", "custom"], capsys)}
    assert names == {"'=cmd()", "[bold red]x[/]", "サーバー"}
    assert main(["compare", "--provider", "custom", "--format", "table"]) == 0
    assert "[bold red]x[/]" in capsys.readouterr().out


def settings(text: str) -> None:
    path = paths.settings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_discount_is_for_own_servers_only_where_they_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    said(["offers", "add", "x", "--gpu", "L4", "--monthly", "100"], capsys)
    settings("[discounts]\nhetzner = 50\n")
    (plain,) = compared(["--provider", "custom"], capsys)
    assert (float(plain["monthly_cost"]), plain["warnings"]) == (100 * float(plain["servers_needed"]), "")
    settings("[discounts]\ncustom = 10\n")
    (less,) = compared(["--provider", "custom"], capsys)
    assert float(less["monthly_cost"]) == pytest.approx(0.9 * float(plain["monthly_cost"]))
    assert less["warnings"] == "10 % negotiated discount applied"
    session = Session()
    session.load()
    session.recompute()
    assert session.rows is not None
    at = next(i for i, entry in enumerate(session.market.offers) if entry.provider == "custom")
    text = " ".join("".join(span for span, _ in line) for line in details(session.rows, at, 90))
    assert text.count("10 % negotiated discount applied") == 1


def test_every_provider_can_have_a_discount(capsys: pytest.CaptureFixture[str]) -> None:
    names = sorted({entry.provider for entry in load_bundled()})
    settings("[discounts]\n" + "".join(f'"{name}" = 10\n' for name in [*names, "custom"]))
    err = said(["config", "show"], capsys)
    assert err == f"From {paths.settings_file()}\n"
    assert err.count("\n") == 1
    rows = compared(["--term", "all", "--undated"], capsys)
    assert all("10 % negotiated discount applied" in row["warnings"] for row in rows)


def test_config_show_names_a_discount_for_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    settings("[discounts]\nhetznr = 5\ncustom = 3\n")
    err = said(["config", "show"], capsys)
    assert (
        "The settings have a discount for 'hetznr', which is no provider: it changes no price. Did you mean hetzner?"
        in err
    )
    assert "custom" not in err


def test_config_path_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path"]) == 0
    assert str(paths.own_servers_file()) in capsys.readouterr().out


def test_two_adds_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    words = [[*RENTED[:2], f"colo-{n}", *RENTED[3:]] for n in range(4)]
    started = [
        subprocess.Popen([sys.executable, "-m", "tui", *one], cwd=ROOT, stderr=subprocess.DEVNULL) for one in words
    ]
    assert [process.wait(120) for process in started] == [0] * 4
    assert sorted(entry.server for entry in own.offers()) == [f"colo-{n}" for n in range(4)]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(capsys: pytest.CaptureFixture[str]) -> None:
    folder = paths.config_dir()
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    try:
        assert "RACKRATE_CONFIG_DIR names another folder" in said(RENTED, capsys, 2)
    finally:
        folder.chmod(0o700)


def test_every_field_has_a_flag() -> None:
    """What a file can say, the command line can."""
    known = {action.dest for action in build().commands()["offers"].commands()["add"]._actions}
    wanted = {offers.FLAGS.get(name, name) for name in (*FIELDS, *OWNED_FIELDS)} - {"kind"}
    assert wanted <= known
    assert known - wanted == {"help", "replace"}


@pytest.mark.parametrize("words", [["offers", "--help"], ["offers", "add", "--help"], ["offers", "ad"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    code = (
        f"import sys\nfrom tui.__main__ import main\nmain({words!r})\n"
        "sys.exit(len({'numpy', 'pandas', 'textual', 'rich', 'httpx', 'pydantic', 'tomli_w'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == 0


def test_own_servers_load_no_network(capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "import sys\nfrom tui.__main__ import main\nassert main(['offers', 'list']) == 0\n"
        "sys.exit(len({'pandas', 'textual', 'httpx', 'pydantic'} & set(sys.modules)))"
    )
    said(RENTED, capsys)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=ROOT, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_own_server_is_not_lost_behind_a_price_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, make_csv: Callable[[list[Offer]], str]
) -> None:
    said(RENTED, capsys)
    path = tmp_path / "mine.csv"
    path.write_text(make_csv(list(own.offers())).replace("18.5", "99"), encoding="utf-8")
    rows = compared(["--prices", str(path), "--no-bundled"], capsys)
    assert [float(row["price_per_hour"]) for row in rows] == [18.5]


@pytest.fixture
def make_csv() -> Callable[[list[Offer]], str]:
    """Offers as the text of a price file."""
    from pricing.offer_csv import format_offers

    return format_offers
