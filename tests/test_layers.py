"""The layers point one way, and what a start does not need is not loaded: proven in fresh interpreters."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import models
import pricing

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"pandas", "httpx", "textual", "numpy", "pydantic", "rich"}


def loaded_by(code: str) -> set[str]:
    """Top-level names in sys.modules after the code ran in an interpreter of its own."""
    probe = f"{code}\nimport sys, json; sys.stderr.write('\\n' + json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def modules_of(package: object) -> list[str]:
    return [m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]  # type: ignore[attr-defined]


def test_models_load_no_network_no_frames_no_screen() -> None:
    """Every module of models, imported: numpy at most; pydantic only in the modules that check people's files."""
    edge = {"models.schema", "models.hf_config"}
    names = [name for name in modules_of(models) if name not in edge]
    assert len(names) > 10
    loaded = loaded_by("import " + ", ".join(names))
    assert not loaded & {"httpx", "pandas", "textual", "rich", "pydantic", "pricing", "tui"}


def test_pricing_loads_no_screen_and_no_frames() -> None:
    """Headless refreshes on small machines pay for no dashboard."""
    names = modules_of(pricing)
    assert len(names) > 10
    assert not loaded_by("import " + ", ".join(names)) & {"textual", "rich", "pandas", "tui"}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["compare", "--help"], ["refresh", "--help"]])
def test_help_and_version_load_nothing_heavy(words: list[str]) -> None:
    """An answer that needs only words comes at once."""
    loaded = loaded_by(f"from tui.__main__ import main\nassert main({words!r}) == 0")
    assert "tui" in loaded
    assert not loaded & HEAVY


def test_a_typing_error_loads_nothing_heavy() -> None:
    """So does the sentence about a misspelt flag."""
    assert not loaded_by("from tui.__main__ import main\nassert main(['compare', '--modle', 'x']) == 2") & HEAVY


def test_compare_loads_no_frames_no_network_no_dashboard() -> None:
    """The comparison needs arrays, nothing else."""
    code = "from tui.__main__ import main\nassert main(['compare', '--limit', '1', '--format', 'csv']) == 0"
    assert not loaded_by(code) & {"pandas", "httpx", "textual", "pydantic"}


def test_import_linter_keeps_its_contracts() -> None:
    """The static twin of the tests above also sees imports inside functions."""
    tool = Path(sys.executable).with_name("lint-imports")
    if not tool.exists():
        pytest.skip("import-linter is not installed")
    done = subprocess.run([tool, "--no-cache"], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stdout
