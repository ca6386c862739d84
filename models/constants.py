"""The estimator's fitted constants, read once: those of `data/constants`, or a user's own fit of the same form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models import prepared
from models.errors import InputError, toml_problem

BUNDLED = Path(__file__).parent / "data" / "constants"
PREPARED = prepared.FOLDER / "constants.json"
_MOST = 30.0
FILES = ("serving", "gguf", "cpu", "bands")


@dataclass(frozen=True, slots=True)
class CpuFamily:
    """One server platform's decode and prefill constants (harmonic form, see `models.cpu_rates`)."""

    name: str
    b1_gb_s_per_core: float
    cap_gb_s: float
    """inf where no cap showed."""
    ccd_gb_s: float
    """inf where VMs are not limited by a chiplet link."""
    prefill_gflops: float
    prefill_exponent: float
    second_socket: float
    """One stream on all cores of two sockets, relative to one socket."""


@dataclass(frozen=True, slots=True)
class Band:
    """Measured over predicted, tenth to ninetieth percentile."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Constants:
    """All fitted values by group; `gpu["em"]` is a number, `cpu_family["genoa"]` a record."""

    gpu: dict[str, float]
    gguf: dict[str, float]
    cpu: dict[str, float]
    cpu_family: dict[str, CpuFamily]
    band: dict[str, Band]
    measured_chips: tuple[str, ...]
    """Catalog names of the chips with benchmark rows behind the constants."""


def read(folder: Path) -> Constants:
    """Read a folder of constants files; raises KeyError or ValueError on a damaged one (ours are tested)."""
    return _constants(_values(folder))


def _values(folder: Path) -> dict[str, Any]:
    """What the estimator reads of the files, without the words around it."""
    import tomllib  # a start reads the prepared values

    data: dict[str, Any] = {}
    for name in FILES:
        try:
            data |= tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        except ValueError as error:  # of TOML or of UTF-8
            raise ValueError(f"{name}.toml: {toml_problem(error)}") from error
    numbers = {group: {name: entry["value"] for name, entry in data[group].items()} for group in _FITTED}
    families = {
        name: {key: entry[key] for key in CpuFamily.__slots__ if key in entry}
        for name, entry in data["cpu_family"].items()
    }
    bands = {name: [entry["low"], entry["high"]] for name, entry in data["band"].items()}
    return {**numbers, "cpu_family": families, "band": bands, "chips": data["measured"]["chips"]}


@cache
def meanings() -> dict[str, str]:
    """What each fitted constant of an engine or a CPU stands for, by name, in the bundled files' words."""
    import tomllib  # only where the arithmetic is shown

    found: dict[str, str] = {}
    for file in FILES:
        groups = tomllib.loads((BUNDLED / f"{file}.toml").read_text(encoding="utf-8"))
        for group in _FITTED:
            last = ""
            for name, entry in groups.get(group, {}).items():
                said = str(entry["meaning"])
                # In its file an entry follows the one that it varies.
                rest = said.removeprefix("the same")
                found[name] = said if rest == said else f"{last}{rest if rest[:1] in {',', ''} else f',{rest}'}"
                last = said if rest == said else last
    return found


def _constants(values: dict[str, Any]) -> Constants:
    return Constants(
        gpu={name: float(value) for name, value in values["gpu"].items()},
        gguf={name: float(value) for name, value in values["gguf"].items()},
        cpu={name: float(value) for name, value in values["cpu"].items()},
        cpu_family={
            name: CpuFamily(
                name,
                entry["b1_gb_s_per_core"],
                entry.get("cap_gb_s", float("inf")),
                entry.get("ccd_gb_s", float("inf")),
                entry["prefill_gflops"],
                entry["prefill_exponent"],
                entry["second_socket"],
            )
            for name, entry in values["cpu_family"].items()
        },
        band={name: Band(low, high) for name, (low, high) in values["band"].items()},
        measured_chips=tuple(values["chips"]),
    )


_OWN: list[Constants] = []
"""The user's own fit, where there is one."""
_FITTED = ("gpu", "gguf", "cpu")


def _sources() -> list[Path]:
    return [BUNDLED / f"{name}.toml" for name in FILES]


def prepare() -> bytes:
    """What the prepared constants have to hold."""
    made = json.dumps(_values(BUNDLED), indent=1).encode()
    return prepared.content(made, _sources())


@cache
def _bundled() -> Constants:
    values = prepared.read(PREPARED, _sources())
    try:
        return _constants(json.loads(values)) if values is not None else read(BUNDLED)
    except ValueError:  # torn
        return read(BUNDLED)


def constants() -> Constants:
    """The constants in force."""
    return _OWN[0] if _OWN else _bundled()


def use(folder: Path | None) -> None:
    """Take the constants of a folder that `rackrate accuracy --fit --out` wrote, None for the bundled ones again.

    To be called before the first estimate: what was worked out with other constants is not thrown away.

    Raises:
        InputError: a file is missing, damaged, or of another version of the formulas.
    """
    _OWN.clear()
    if folder is not None:
        _OWN.append(_checked(folder))


def _possible(value: float, bundled: float) -> bool:
    """Whether a fit could have found this: above zero, and no more than `_MOST` times away from ours."""
    return 0 < value < float("inf") and 1 / _MOST < value / bundled < _MOST


def _checked(folder: Path) -> Constants:
    """A user's constants: every one that the formulas need, finite and above zero."""
    hint = "Fit them again with `rackrate accuracy --fit --out FOLDER`, or delete the folder."
    try:
        own = read(folder)
    except OSError as error:
        name = Path(error.filename or folder).name
        raise InputError(
            f"The fitted constants in {folder} cannot be read: {name}: {error.strerror}.", hint=hint
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"The fitted constants in {folder} are damaged: {_reason(error)}.", hint=hint) from error
    for group in _FITTED:
        values, needed = getattr(own, group), getattr(_bundled(), group)
        # Deviations of one model or one part are one where a fit has no row of it.
        missing = next((name for name in needed if ":" not in name and name not in values), None)
        if missing:
            raise InputError(
                f"The fitted constants in {folder} are of another version: {group}.{missing} is missing.", hint=hint
            )
        wrong = next((name for name, value in values.items() if not _possible(value, needed.get(name, value))), None)
        if wrong:
            raise InputError(
                f"The fitted constants in {folder} are damaged: {group}.{wrong} is {values[wrong]:g}.", hint=hint
            )
    narrow = next((name for name, band in own.band.items() if not 0 < band.low <= 1 <= band.high < float("inf")), None)
    if narrow:
        raise InputError(f"The fitted constants in {folder} are damaged: band.{narrow} does not hold 1.", hint=hint)
    bands = next((name for name in _bundled().band if name not in own.band), None)
    if bands:
        raise InputError(
            f"The fitted constants in {folder} are of another version: band.{bands} is missing.", hint=hint
        )
    return own


def _reason(error: Exception) -> str:
    """What is wrong with a file, in a few words on one line."""
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    return " ".join(str(error).split())[:100].rstrip(".")
