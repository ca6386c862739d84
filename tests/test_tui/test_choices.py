"""Lists of models, number formats and workloads; workloads saved by name, in the dashboard and on the command line."""

from __future__ import annotations

import threading
import tomllib

import pytest

from models import catalog
from models.errors import InputError
from models.quantize import CLASSES
from pricing.errors import SettingsError
from tui import named
from tui.__main__ import main
from tui.cli.parser import build
from tui.cli.workload import workload_from
from tui.screens.pickers import formats, model_picker, quant_choice, weights_gib


@pytest.fixture
def path(own_folders):
    return own_folders / "rackrate-config" / "workloads.toml"


# by name


def test_a_saved_workload_comes_back(llama, path):
    work = llama.changed(concurrency=9, ttft_ms=None, quant="q4_k_m", preset=None)
    assert named.save("team chat", work) == path
    named.save("other", llama)
    assert named.read() == ({"team chat": work, "other": llama}, [])
    named.save("other", work)
    assert named.read()[0]["other"] == work
    named.delete("team chat")
    named.delete("nobody")
    assert list(named.read()[0]) == ["other"]
    assert path.read_text().startswith("# Workloads of rackrate")
    assert tomllib.loads(path.read_text())["other"]["ttft_ms"] == "none"


@pytest.mark.parametrize("name", ["", "  ", " a", "chat", "Chat", "x" * 41, "a\nb", "\x1b[31m"])
def test_a_name_that_cannot_be_is_refused(llama, path, name):
    with pytest.raises(InputError):
        named.save(name, llama)
    assert not path.exists()


def test_bad_entries_are_told_by_name_and_stay_in_the_file(llama, path):
    path.parent.mkdir()
    path.write_text('[good]\nmodel = "Qwen3-8B"\n[bad]\nmodel = "No-Such"\n[chat]\nquant = "fp8"\n[worse]\nspeed = 1\n')
    found, told = named.read()
    assert list(found) == ["good"]
    assert found["good"].model.name == "Qwen3-8B"
    assert [any(f"'{name}'" in text for text in told) for name in ("bad", "chat", "worse")] == [True] * 3
    named.save("new", llama)
    assert list(tomllib.loads(path.read_text())) == ["good", "bad", "chat", "worse", "new"]


@pytest.mark.parametrize("text", ["x = ", '"a"\n', "\ufffe"])
def test_a_file_that_is_no_toml_is_told_and_kept(llama, path, text):
    path.parent.mkdir()
    path.write_text(text, encoding="utf-16")
    before = path.read_bytes()
    with pytest.raises(SettingsError, match="not valid TOML"):
        named.read()
    with pytest.raises(SettingsError):
        named.save("new", llama)
    assert path.read_bytes() == before


async def test_saving_listing_taking_and_deleting(dashboard, path):
    async with dashboard() as app:
        await app.press("=", "left_square_bracket")
        saved = app.session.workload
        await app.press("W")
        assert app.app.screen.where == "name"
        await app.press("ctrl+u", *"chat")
        assert "preset" in str(app.app.screen.query_one("#name-said").render())
        await app.press("enter")
        assert app.app.screen.where == "name"  # a preset's name is not taken
        await app.press("ctrl+u", *"mine", "enter")
        assert app.app.screen is app.dashboard
        assert tomllib.loads(path.read_text())["mine"]["requests_per_s"] == 2
        await app.press("u", "u", "w")
        assert app.app.screen.where == "workloads"
        await app.type("mine")
        await app.press("enter")
        assert app.session.workload == saved
        await app.press("u")
        assert app.session.workload != saved
        await app.press("U", "w")
        assert app.app.screen.options.current.id == "mine"  # it is the present one
        await app.press("delete")
        assert "again deletes mine" in app.app.screen.query_one(".dialog").border_subtitle
        assert "mine" in path.read_text()
        await app.press("delete", "delete")
        assert "mine" not in path.read_text()
        assert all(choice.id != "mine" for choice in app.app.screen.options.choices)
        await app.type("rag")
        await app.press("enter")
        assert app.session.workload.preset == "rag"


async def test_a_preset_cannot_be_deleted(dashboard):
    async with dashboard() as app:
        await app.press("w", "delete", "delete")
        assert "presets stay" in app.app.screen.query_one(".dialog").border_subtitle
        assert len(app.app.screen.options.choices) == len(catalog.presets())


async def test_a_damaged_list_of_workloads_leaves_the_presets(dashboard, path):
    path.parent.mkdir()
    path.write_text("x = ")
    async with dashboard() as app:
        await app.press("w")
        assert any("not valid TOML" in note.message for note in app.app._notifications)
        await app.type("rag")
        await app.press("enter")
        assert app.session.workload.preset == "rag"


@pytest.mark.parametrize(
    ("flags", "changes"),
    [
        ([], {}),
        (["--rps", "7"], {"requests_per_s": 7.0}),
        (["--concurrency", "4", "--quant", "fp8"], {"concurrency": 4, "quant": "fp8"}),
        (["--model", "Llama-3.1-8B", "--ttft-ms", "none"], {"model": catalog.llm("Llama-3.1-8B"), "ttft_ms": None}),
    ],
    ids=["as saved", "rps", "users and format", "model and target"],
)
def test_the_command_line_takes_a_saved_workload(llama, flags, changes):
    saved = llama.changed(model=catalog.llm("Qwen3-8B"), requests_per_s=3.0, input_tokens=500, preset=None)
    named.save("mine", saved)
    args = build().parse_args(["compare", "--workload", "mine", *flags])
    assert workload_from(args) == saved.changed(**changes)


def test_the_command_line_prefers_presets_and_names_what_is_wrong(path, capsys):
    path.parent.mkdir()
    path.write_text('[rag]\nmodel = "Qwen3-8B"\n[bad]\nmodel = "No-Such"\n')
    assert workload_from(build().parse_args(["compare", "--workload", "rag"])).model.name == "Llama-3.1-8B"
    assert main(["compare", "--workload", "bad"]) == 2
    assert "No-Such" in capsys.readouterr().err
    assert main(["compare", "--workload", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


# models and formats


def test_models_are_narrowed_and_counted(llama):
    picker = model_picker(llama, ascii_only=False)
    assert len(picker.choices) == len(catalog.llms())
    line = next(choice for choice in picker.choices if choice.id == "Qwen3-30B-A3B")
    for fact in ("30.5B", "3.30B", "apache-2.0", "qwen3-moe", f"{weights_gib(catalog.llm(line.id), '8bit'):.1f}"):
        assert fact in line.text
    assert max(len(choice.text) for choice in picker.choices) <= 97


def test_formats_say_what_is_known_and_no_more(llama):
    names = formats(llama)
    assert names[:3] == list(CLASSES)
    assert len(names) == len(set(names))
    known = quant_choice(llama, "q4_k_m", {"q4_k_m": 7})
    assert "perplexity +2.8 % (Llama-3-8B)" in known.short
    assert " 7 " in known.short
    assert "…" in quant_choice(llama, "q8_0", {}).short
    assert quant_choice(llama, "mxfp4", {}).short.endswith("—")


async def test_formats_are_counted_by_the_comparison_and_chosen(dashboard):
    async with dashboard() as app:
        await app.press("b")
        picker = app.app.screen
        assert set(picker.holds) == set(picker.names)
        await app.type("q4_k_m")
        await app.press("enter")
        assert app.session.workload.quant == "q4_k_m"
        held = app.session.comparison.select(app.session.filters(app.session.view.changed(fit="fits")))
        assert picker.holds["q4_k_m"] == len(held)
        await app.press("u")
        assert app.session.workload.quant == "8bit"


async def test_a_list_left_early_stops_counting(dashboard, monkeypatch):
    async with dashboard() as app:
        gate, asked, real = threading.Event(), [], app.session.compare

        def slow(workload):
            asked.append(workload.quant)
            if len(asked) > 1:
                gate.wait(10)
            return real(workload)

        monkeypatch.setattr(app.session, "compare", slow)
        await app.pilot.press("b")
        await app.pilot.press("escape")
        gate.set()
        await app.settle()
        assert len(asked) <= 3
