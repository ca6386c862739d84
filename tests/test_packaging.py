"""The wheel holds exactly the three packages and their data."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import tui

ROOT = Path(__file__).resolve().parents[1]
DATA_SUFFIXES = {".csv", ".json", ".toml", ".tcss", ".txt", ".gz", ".bin", ".typed"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from this checkout without the network."""
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("rackrate-*.whl")
    return zipfile.ZipFile(path)


def test_top_level_is_three_packages(wheel: zipfile.ZipFile) -> None:
    """Generic names must not bring neighbours along."""
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"tui", "pricing", "models", f"rackrate-{tui.__version__}.dist-info"}


def test_every_source_and_data_file_is_in(wheel: zipfile.ZipFile) -> None:
    """A data file left behind is a dashboard without prices."""
    packed = set(wheel.namelist())
    for package in ("tui", "pricing", "models"):
        on_disk = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / package).rglob("*")
            if path.is_file() and (path.suffix == ".py" or path.suffix in DATA_SUFFIXES)
        }
        assert f"{package}/py.typed" in on_disk
        assert on_disk <= packed


def test_script_and_licences(wheel: zipfile.ZipFile) -> None:
    """One command, the licence and the data's notices travel with it."""
    info = f"rackrate-{tui.__version__}.dist-info"
    assert "rackrate = tui.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert f"{info}/licenses/LICENSE" in wheel.namelist()
    assert f"{info}/licenses/NOTICE" in wheel.namelist()


def test_every_dependency_says_why() -> None:
    """A dependency without a reason beside it is one to remove."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = tomllib.loads(text)["project"]["dependencies"]
    lines = [line for line in text.splitlines() if any(f'"{name}"' in line for name in names)]
    assert len(lines) == len(names)
    assert all("#" in line for line in lines)


def test_tests_shadow_no_package() -> None:
    """tests/models/ would hide the package models from pytest; an __init__.py under tests/ would too."""
    assert not list((ROOT / "tests").rglob("__init__.py"))
    assert not any((ROOT / "tests" / name).exists() for name in ("models", "pricing", "tui"))
