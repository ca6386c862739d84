"""The user's own workloads by name: a small TOML beside the settings that a text editor may change too."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from models import catalog, names
from models.errors import InputError, brief, toml_problem
from models.traffic import Workload
from pricing import atomic, paths
from pricing.errors import SettingsError
from tui.workload_table import from_table, to_table

if TYPE_CHECKING:
    from pathlib import Path

NAME = "workloads.toml"
LONGEST = 40
"""Characters of a name."""


def file() -> Path:
    """Where they are; it need not exist."""
    return paths.config_dir() / NAME


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"Cannot read {path}: {error.strerror or 'it cannot be opened'}.") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path} is not valid TOML: {toml_problem(error)}.", hint="Correct it in a text editor."
        ) from error


def read(path: Path | None = None) -> tuple[dict[str, Workload], list[str]]:
    """The workloads by name, and a sentence for each entry that cannot be used. Raises SettingsError for no TOML."""
    path = path or file()
    found: dict[str, Workload] = {}
    told: list[str] = []
    base = Workload(model=catalog.llm("Llama-3.1-8B"))
    for name, table in _document(path).items():
        if problem := problem_of(name):
            told.append(f"{NAME}: {problem}")
        elif not isinstance(table, dict):
            told.append(f"{NAME}: {brief(name)} is no workload: write [{name}] and its fields below it.")
        else:
            made, wrong = from_table(table, base)
            if wrong:
                told.append(f"{NAME}: {brief(name)} is left out: {'; '.join(wrong)}.")
            else:
                found[name] = made
    return found, told


def problem_of(name: str) -> str:
    """Why a name cannot be one; "" where it can."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        return f"{brief(name)} is no name: it needs letters or digits, and no space at its ends."
    if len(name) > LONGEST:
        return f"{brief(name, LONGEST)} is longer than {LONGEST} characters."
    if any(names.normalise(one.name) == names.normalise(name) for one in catalog.presets()):
        return f"{brief(name)} is the name of a preset."
    return ""


def save(name: str, workload: Workload, path: Path | None = None) -> Path:
    """Keep a workload under a name, in the place of one that has it. Raises InputError, SettingsError, StoreError."""
    if problem := problem_of(name):
        raise InputError(problem)
    path = path or file()
    document = _document(path)
    document[name] = to_table(workload)
    _write(path, document)
    return path


def delete(name: str, path: Path | None = None) -> None:
    """Forget a workload; entries that cannot be used stay as they are. Raises SettingsError, StoreError."""
    path = path or file()
    document = _document(path)
    if document.pop(name, None) is not None:
        _write(path, document)


def _write(path: Path, document: dict[str, Any]) -> None:
    import tomli_w  # only those who save one pay for it

    head = "# Workloads of rackrate, by name: the dashboard lists and saves them, --workload NAME uses one.\n"
    atomic.write_text(path, head + tomli_w.dumps(document))


def find(name: str, path: Path | None = None) -> Workload | None:
    """The workload of that name, None where there is none. Raises SettingsError for one that cannot be used.

    Where none has the name and entries of the file are broken, it says what is wrong with the first: that may be the one.
    """
    found, told = read(path)
    key = names.normalise(name)
    for mine, workload in found.items():
        if names.normalise(mine) == key:
            return workload
    if not told:
        return None
    for mine in _document(path or file()):
        if names.normalise(mine) == key and (said := next((text for text in told if brief(mine) in text), None)):
            raise SettingsError(said)
    raise SettingsError(f"Unknown workload {brief(name)}.", hint=f"{told[0]} It may be meant.")
