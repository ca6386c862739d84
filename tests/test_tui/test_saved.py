"""What is kept across starts: everything valid comes back, the rest is told, and no file of it can harm the dashboard."""

from __future__ import annotations

import json
import threading
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from models import catalog
from models.traffic import Workload
from tui import keeping, saved
from tui.app import RackrateApp
from tui.saved import Keeper, Saved, read, state_file
from tui.state import ViewState
from tui.workload_table import from_table, to_table

if TYPE_CHECKING:
    from tui.session import Session

OTHER = ViewState(
    kind="gpu", fit="fits", terms="all", where="gpu>=16", sort="ttft", descending=True,
    columns=("server", "ttft", "per_million"), widths=(("server", 20),), unit="month", plot="memory",
)  # fmt: skip


@pytest.fixture
def kept() -> Saved:
    return Saved(view=OTHER, workload={"model": "Qwen3-8B"}, marks=["a", "b"], wheres=["gpu>=16"], theme="nord",
                 currency="EUR", export_folder="exports")  # fmt: skip


def test_every_field_of_the_view_has_a_reader():
    assert {entry.name for entry in fields(ViewState)} == set(saved.VIEW)
    for entry in fields(ViewState):
        assert getattr(OTHER, entry.name) != getattr(ViewState(), entry.name), "the test below must see it"


def test_all_of_it_comes_back(kept, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(kept.to_json())
    assert read(path) == (kept, [])


def test_nothing_kept_is_a_first_start(tmp_path):
    assert read(tmp_path / "state.json") == (Saved(), [])


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("kind", "tpu"), ("fit", 3), ("terms", None), ("where", "gpu>>=x("), ("where", 5), ("where", "a\x1b[31m"),
        ("sort", "nothing"), ("sort", ["ttft"]), ("descending", 1), ("descending", "yes"), ("columns", ["server", "nothing"]),
        ("columns", "server"), ("columns", [["server"]]), ("widths", [["server", "9"]]), ("widths", [["nothing", 9]]),
        ("widths", [["server"]]),
        ("widths", {"server": 9}), ("unit", "week"), ("plot", "pie"), ("later", 1),
    ],
)  # fmt: skip
def test_a_bad_field_of_the_view_costs_only_itself(kept, tmp_path, name, bad):
    table = json.loads(kept.to_json())
    table["view"][name] = bad
    path = tmp_path / "state.json"
    path.write_text(json.dumps(table))
    found, told = read(path)
    assert len(told) == 1
    assert name in told[0]
    usual = {name: getattr(ViewState(), name)} if name != "later" else {}
    assert found.view == OTHER.changed(**usual)
    assert found.marks == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "bad"),
    [("marks", [1]), ("marks", "a"), ("marks", ["x"] * 9999), ("wheres", [None]), ("wheres", ["a\nb"]), ("theme", 3),
     ("currency", "EURO"), ("export_folder", []), ("workload", []), ("view", 3), ("\x1b[31mlater", 1)],
)  # fmt: skip
def test_a_bad_field_beside_it_costs_only_itself(kept, tmp_path, name, bad):
    table = json.loads(kept.to_json())
    table[name] = bad
    path = tmp_path / "state.json"
    path.write_text(json.dumps(table))
    found, told = read(path)
    assert len(told) == 1
    assert told[0].isprintable()
    if name != "view":
        assert found.view == OTHER


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'"x"', b" " * 2_000_000],
    ids=["empty", "half", "list", "null", "no text", "deep", "text", "large"],
)  # fmt: skip
def test_a_broken_file_is_set_aside(tmp_path, text):
    path = tmp_path / "state.json"
    path.write_bytes(text)
    found, told = read(path)
    assert found == Saved()
    assert len(told) == 1
    assert "state.json.broken" in told[0]
    assert (tmp_path / "state.json.broken").read_bytes() == text
    assert not path.exists()


def test_a_folder_in_its_place_is_told(tmp_path):
    (tmp_path / "state.json").mkdir()
    found, told = read(tmp_path / "state.json")
    assert found == Saved()
    assert len(told) == 1


# the workload


def test_a_workload_comes_back(llama):
    work = llama.changed(quant="q4_k_m", kv_quant="fp8", engine="sglang", concurrency=7, ttft_ms=None, prefix_hit=0.3,
                         utilization=0.7, preset=None)  # fmt: skip
    assert from_table(json.loads(json.dumps(to_table(work))), llama) == (work, [])
    assert from_table(to_table(llama), llama) == (llama, [])


@pytest.mark.parametrize(
    ("name", "bad"),
    [("model", "No-Such-Model"), ("model", 3), ("quant", "q99"), ("kv_quant", None), ("engine", "x"), ("input_tokens", -1),
     ("input_tokens", 1.5), ("input_tokens", True), ("input_tokens", 1e400),
     ("output_tokens", "9"), ("prefix_hit", 2), ("ttft_ms", None), ("tpot_ms", -1),
     ("utilization", 0), ("requests_per_s", 0), ("concurrency", 0), ("preset", "x"), ("later", 1)],
)  # fmt: skip
def test_a_bad_field_of_the_workload_costs_only_itself(llama, name, bad):
    table = to_table(llama.changed(input_tokens=777, preset=None)) | {name: bad}
    made, wrong = from_table(table, llama)
    assert len(wrong) == 1
    assert name in wrong[0]
    assert (made.input_tokens == 777) == (name != "input_tokens")


def test_a_model_from_a_file_is_kept_by_its_path(tmp_path, llama):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "max_position_embeddings": 8192,
    }))  # fmt: skip
    work = llama.changed(model=catalog.llm(str(path)))
    table = to_table(work)
    assert table["model"] == str(path)
    assert from_table(table, llama) == (work, [])
    path.unlink()
    made, wrong = from_table(table, llama)
    assert made.model == llama.model
    assert str(path) in wrong[0]


# writing


def test_it_is_written_once_at_rest_and_at_the_end(tmp_path, kept):
    keeper = Keeper(tmp_path / "deep" / "state.json", Saved())
    keeper.finish(Saved())
    assert not keeper.path.exists()  # nothing changed
    keeper.finish(kept)
    assert read(keeper.path) == (kept, [])
    keeper.path.unlink()
    keeper.finish(kept)
    assert not keeper.path.exists()  # another dashboard's file is not overwritten by one that changed nothing


def test_a_change_is_written_once_it_has_come_to_rest(tmp_path, kept, monkeypatch):
    monkeypatch.setattr(saved.threading, "Thread", _Now)
    keeper = Keeper(tmp_path / "state.json", Saved())
    keeper.note(kept)
    assert not keeper.path.exists()
    keeper.note(kept)
    assert read(keeper.path)[0] == kept


class _Now:
    """A thread that has run when it is started."""

    def __init__(self, target, args, daemon) -> None:
        assert daemon
        self.start = lambda: target(*args)


def test_a_folder_that_takes_nothing_is_told_once(tmp_path, kept, monkeypatch):
    monkeypatch.setattr(saved.threading, "Thread", _Now)
    (tmp_path / "file").write_text("")
    told: list[str] = []
    keeper = Keeper(tmp_path / "file" / "state.json", Saved(), tell=told.append)
    for _ in range(5):
        keeper.note(kept)
    keeper.finish(kept)
    assert len(told) == 1
    assert "not kept for the next start" in told[0]


# in the dashboard


def session_of(make_session, found: Saved) -> Session:
    session = make_session()
    session._history = session._start = None
    session.usual_currency = "USD"
    keeping.restore(session, found)
    session.was_restored = True
    return session


async def test_restored_state_is_shown_and_reset_and_brought_back(make_session, dashboard):
    found = Saved(view=ViewState(kind="gpu", where="gpu>=16", sort="ttft"), workload={"model": "Qwen3-8B", "input_tokens": 900, "x": 1},
                  marks=["acme_l4-small_eu-west-1_on_demand"], currency="EUR")  # fmt: skip
    session = session_of(make_session, found)
    async with dashboard(session=session) as app:
        assert session.workload.model.name == "Qwen3-8B"
        assert session.workload.input_tokens == 900
        assert session.comparison.terms.currency == "EUR"
        said = [note.message for note in app.app._notifications]
        assert any(
            "Restored: filter gpu>=16, only GPU servers, order" in text and "R resets all" in text for text in said
        )
        assert any("'x' is no part of a workload" in text for text in said)
        assert app.app.kept().currency == "EUR"
        await app.press("T")
        await app.press("R")
        assert app.app.kept() == Saved(workload=to_table(Workload(model=catalog.llm("Llama-3.1-8B"))))
        assert session.comparison.terms.currency == "USD"
        await app.press("R")
        assert session.view == found.view
        assert session.marks == found.marks
        assert app.app.theme != app.app.usual_theme
        assert session.comparison.terms.currency == "EUR"
        await app.press("R", "u")
        assert session.workload.model.name == "Qwen3-8B"


async def test_a_headless_dashboard_keeps_nothing(dashboard, own_folders):
    async with dashboard() as app:
        await app.press("f", "=")
        await app.pilot.pause(0.1)
        assert app.app.keeper is None
    assert not state_file().exists()


async def test_left_before_the_prices_keeps_the_last_workload(make_session):
    session = session_of(make_session, Saved(workload={"model": "Qwen3-8B"}))
    app = RackrateApp(session)
    assert app.kept().workload == {"model": "Qwen3-8B"}


def test_a_broken_theme_name_is_no_theme(make_session):
    assert RackrateApp(make_session(), theme="no such theme").theme == "rackrate"


def test_an_earlier_broken_file_is_kept(tmp_path):
    path = tmp_path / "state.json"
    for text in (b"{one", b"{two", b"{three"):
        path.write_bytes(text)
        _, told = read(path)
    assert "state.json.broken.3" in told[0]
    kept = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    assert kept == {"state.json.broken": b"{one", "state.json.broken.2": b"{two", "state.json.broken.3": b"{three"}


async def test_who_cannot_keep_the_state_does_not_wait_for_the_screen(dashboard):
    async with dashboard() as app:
        # The dashboard's own thread stands still here, as it does while it leaves.
        writer = threading.Thread(target=app.app._not_kept, args=("The disk is full.",), daemon=True)
        writer.start()
        writer.join(10)
        assert not writer.is_alive()
        await app.settle()
        assert any("The disk is full." in note.message for note in app.app._notifications)
