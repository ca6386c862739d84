"""Settings and workloads that are broken, or hold secrets: what is said of them, and what never is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from models.errors import RackrateError
from pricing import paths
from pricing.address import masked
from pricing.own import tables
from pricing.settings import Settings
from tui import named
from tui.__main__ import main
from tui.keeping import read_settings
from tui.session import Session

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = ("s3cr3tpw", "TOKENX")
DIGITS = "9" * 5_000


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://user:s3cr3tpw@127.0.0.1:9?token=TOKENX", "http://***@127.0.0.1:9?token=***"),
        ("http://user:s3cr3tpw@[bad", "http://***@[bad"),
        ("user:s3cr3tpw@host/path?TOKENX", "***@host/path?***"),
        ("http://a:s3cr3tpw@b@host?a=TOKENX&b=TOKENX#c=TOKENX", "http://***@host?a=***&b=***#c=***"),
        ("http://127.0.0.1:8790/path", "http://127.0.0.1:8790/path"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert masked(address) == shown


@pytest.mark.parametrize("host", ["127.0.0.1:9", "[bad"])
def test_a_mirrors_secrets_are_never_printed(own_folders: None, capsys: pytest.CaptureFixture[str], host: str) -> None:
    _write(paths.settings_file(), f'mirror = "http://user:s3cr3tpw@{host}?token=TOKENX"\n')
    for command in (["config", "show"], ["refresh", "ecb", "--timeout", "1"], ["compare", "--limit", "1"]):
        main(command)
        out, err = capsys.readouterr()
        assert not any(secret in out + err for secret in SECRETS)
    main(["config", "show"])
    out, err = capsys.readouterr()
    assert "***@" in out + err


def test_a_number_of_thousands_of_digits_is_told_in_our_words(own_folders: None, tmp_path: Path) -> None:
    _write(paths.settings_file(), f"setup_months = {DIGITS}\n")
    _write(named.file(), f"a = {DIGITS}\n")
    for read in (Settings.load, named.read, lambda: tables(f"[[server]]\ngpu_count = {DIGITS}\n", tmp_path / "s.toml")):
        with pytest.raises(RackrateError, match="a number in it has thousands of digits") as caught:
            read()
        assert "sys.set_int" not in str(caught.value)


BROKEN = '[mine]\nmodel = "No-Such"\n\n[[team.night]]\nx = 1\n\n[good]\nmodel = "Llama-3.1-8B"\nrequests_per_s = 2.0\n'


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("mine", "workloads.toml: 'mine' is left out: model: Unknown model 'No-Such'"),
        ("Mine", "workloads.toml: 'mine' is left out: model: Unknown model 'No-Such'"),
        ("night", "Unknown workload 'night'. workloads.toml: 'mine' is left out"),
        ("team", "'team' is left out"),
    ],
)
def test_a_broken_workload_is_told_by_its_mistake(
    own_folders: None, capsys: pytest.CaptureFixture[str], asked: str, words: str
) -> None:
    _write(named.file(), BROKEN)
    assert main(["compare", "--workload", asked, "--limit", "1"]) == 2
    assert words in capsys.readouterr().err
    assert main(["compare", "--workload", "good", "--limit", "1"]) == 0


@pytest.mark.parametrize(("text", "words"), [(BROKEN, "'mine' is left out"), ("[mine\n", "is not valid TOML")])
def test_the_dashboard_says_at_its_start_that_workloads_are_broken(own_folders: None, text: str, words: str) -> None:
    _write(named.file(), text)
    session = Session()
    read_settings(session)
    assert any(words in said for said in session.messages)


def test_no_file_of_workloads_is_nothing_to_tell(own_folders: None) -> None:
    session = Session()
    read_settings(session)
    assert session.messages == []
