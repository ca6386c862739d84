"""What the help and the README show runs, and what they list is what the code has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from models.fitting import families
from models.measured_rows import measured_rows
from pricing.where import compile_where
from tui.__main__ import main
from tui.cli import accuracy
from tui.cli.parser import COMMANDS, COMPARE_EXAMPLES, build

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CASES = "case_id,model,hardware,count,input_tokens,output_tokens,concurrency,scenario\n1,Llama-3.1-8B,L40S,1,1024,256,4,online\n"
MEASURED = (
    "id,model,quant,engine,hardware,count,tp,input_tokens,output_tokens,concurrency,scenario,metric,value,use\n"
    "1,Llama-3.1-8B,fp8,vllm,L40S,1,1,1024,256,4,online,tpot_ms,15,fit\n"
    "2,Llama-3.1-8B,fp8,vllm,H100 SXM 80GB,1,1,1024,256,4,online,tpot_ms,7,fit\n"
)


def help_examples() -> list[str]:
    """Every example line of every help text."""
    texts = [parser.epilog or "" for parser in build().commands().values()]
    texts.append(build().epilog or "")
    return [line.strip() for text in texts for line in text.splitlines() if line.startswith("  rackrate")]


def readme_examples() -> list[str]:
    """Every `$ rackrate` line of the README."""
    return [line.removeprefix("$ ").split(" | ")[0] for line in README.splitlines() if line.startswith("$ rackrate")]


@pytest.mark.parametrize("line", sorted({*help_examples(), *readme_examples()}))
def test_examples_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text(CASES, encoding="utf-8")
    (tmp_path / "measurements.csv").write_text(MEASURED, encoding="utf-8")
    if " accuracy" in line:  # a fit to every shipped row would take half a minute
        few, instances = measured_rows()[::20], families.instance_rows()[::30]
        monkeypatch.setattr(accuracy, "measured_rows", lambda: few)
        monkeypatch.setattr(families, "instance_rows", lambda: instances)
        monkeypatch.setattr(families, "ROUNDS", 2)
    # Refreshes have nobody to ask here: a closed port on this machine.
    monkeypatch.setenv("RACKRATE_MIRROR", "http://127.0.0.1:9")
    words = shlex.split(line)[1:]
    if words[:2] == ["offers", "remove"]:
        assert main(["offers", "add", words[2], "--gpu", "L40S", "--hourly", "1"]) == 0
    if words[:1] == ["diff"]:
        for name in words[1:3]:
            assert main(["compare", "--limit", "5", "--csv", name]) == 0
    if words[:1] == ["refresh"]:
        assert main([*words, "--timeout", "1"]) in {1, 2}
        assert "Traceback" not in capsys.readouterr().err
        return
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out or err


def test_the_filter_terms_of_the_help_are_understood() -> None:
    block = COMPARE_EXAMPLES.split("--where takes")[1].split("definitions:")[0].splitlines()[1:]
    terms = [re.split(r"\s{3,}", line.strip())[0] for line in block if line.strip()]
    assert len(terms) > 4
    for line in terms:
        compile_where(line)


def test_the_examples_are_found() -> None:
    assert len(help_examples()) > 15
    assert len(readme_examples()) > 4


def test_readme_shows_every_command_and_no_other() -> None:
    shown = set(re.findall(r"(?:`|\$ )rackrate ([a-z]+)\b", README))
    assert set(COMMANDS) <= shown
    assert shown - set(COMMANDS) == set()


def test_readme_key_table_is_the_codes() -> None:
    from tui.keys import markdown  # the dashboard's toolkit: not for the other tests

    table = README.split("<!-- keys -->\n")[1].split("<!-- /keys -->")[0].strip()
    assert table == markdown().strip()


def test_readme_column_table_is_the_codes() -> None:
    from tui.columns import COLUMNS, markdown

    table = README.split("<!-- columns -->\n")[1].split("<!-- /columns -->")[0].strip()
    assert table == markdown().strip()
    assert all(column.title("$") in table for column in COLUMNS)


def test_links_of_the_documents_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        found = re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", text)
        targets = [one or other for one, other in found if "://" not in one + other]
        assert [target for target in targets if not (ROOT / target).exists()] == []


def test_paths_named_in_the_guide_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:tui|pricing|models|tests)/[\w./]+)`", text)
    assert len(paths) > 8
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_readme_names_the_two_commands() -> None:
    assert "\nmake run" in README
    assert "\nmake test" in README
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE)
    assert {"run", "test", "check", "bench", "shots", "clean"} <= set(targets)


def test_the_readme_names_every_feed_and_every_key() -> None:
    from pricing.provider import providers

    section = README[README.index("## Current prices") : README.index("## Your own servers")]
    for name, source in providers().items():
        assert f"`{name}`" in section, name
        if source.about.key_variable:
            assert f"`{source.about.key_variable}`" in section, name
    words = set(re.findall(r"`([A-Z_]+_(?:KEY|TOKEN))`", section))
    assert words == {source.about.key_variable for source in providers().values()} - {None}
