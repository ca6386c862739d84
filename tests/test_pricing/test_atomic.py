"""Writing a file: the old or the new one, and never something else's end."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from pricing import atomic
from pricing.errors import StoreError

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")


@posix
def test_a_named_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    atomic.write_text(pipe, "a,b\n")
    reader.join(10)
    assert got == ["a,b\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@posix
def test_a_device_is_written_to_and_stays_one() -> None:
    atomic.write_text(Path(os.devnull), "lost")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_link_stays_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link, chain = folder / "offers.csv", tmp_path / "link.csv", tmp_path / "chain.csv"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    chain.symlink_to(link)
    atomic.write_text(chain, "new")
    assert target.read_text(encoding="utf-8") == "new"
    assert link.is_symlink()
    assert chain.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(folder.iterdir()) == [target]


def test_a_link_to_nothing_makes_the_file_it_names(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "new.csv")
    atomic.write_text(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "new.csv").read_text(encoding="utf-8") == "text"


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="Cannot write"):
        atomic.write_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
