"""Every error a user can meet, in one tree.

RackrateError                 base: one clear sentence, and what to do next
├── UnknownNameError          a model, chip, CPU, quantization, engine or preset that no alias reaches
├── CatalogError              a catalog file of ours that does not hold what it should
├── InputError                a flag, a TOML, a CSV or a config.json that cannot be used
│   └── WorkloadError         numbers that cannot be a workload (0 requests/s, prompt of -1 tokens); RangeError: one of them
└── (pricing.errors adds FeedError, StoreError, RefreshHeldError below RackrateError)
"""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")
ECHOED = 60
"""Characters of a user's value that a message repeats: a pasted file must not fill the screen."""


def brief(value: object, cells: int = ECHOED) -> str:
    """A value as a message quotes it, shortened with an ellipsis."""
    text = repr(value)
    if len(text) <= cells + 2:
        return text
    return text[:cells] + "…" + (text[0] if isinstance(value, str) else "")


def brief_path(path: object, most: int = 240) -> str:
    """A path as a message names it: whole as far as paths usually go, so that it can be copied."""
    text = str(path)
    return text if len(text) <= most else f"{text[:most]}…"


def toml_problem(error: BaseException) -> str:
    """What is wrong with a TOML file, of an error that reading it raised; the library's words only where they are about the file."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    if type(error).__name__ == "TOMLDecodeError":
        return str(error)
    return "a number in it has thousands of digits"  # Python's guard against such speaks of its own settings


class RackrateError(Exception):
    """A failure with one sentence for the user and the next thing to do; the command line exits with `exit_code`."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UnknownNameError(RackrateError):
    """A name that no catalog entry or alias answers to; `nearest` holds the three closest names."""

    def __init__(self, what: str, name: str, nearest: tuple[str, ...] = ()) -> None:
        listed = (
            f"`rackrate catalog {_LISTS[what]}` lists them." if what in _LISTS else "`rackrate catalog` lists names."
        )
        hint = f"Did you mean {', '.join(nearest)}?" if nearest else listed
        super().__init__(f"Unknown {what} {brief(name)}.", hint=hint)
        self.what = what
        self.name = name
        self.nearest = nearest


_LISTS = {
    "model": "models",
    "GPU": "hardware",
    "hardware": "hardware",
    "CPU": "cpus",
    "quantization": "quants",
    "KV-cache format": "quants",
    "engine": "engines",
    "workload": "workloads",
    "provider": "providers",
}
"""What a name is to the list that holds it."""


class CatalogError(RackrateError):
    """A bundled catalog file is damaged: reinstalling restores it."""


class InputError(RackrateError):
    """A value or file given by the user cannot be used as it is."""


class WorkloadError(InputError):
    """The numbers of a workload contradict each other or lie outside what can be estimated."""


class RangeError(WorkloadError):
    """A number of a workload that lies outside what can be estimated; it may have been worked out of what was said."""

    def __init__(self, flag: str, value: float, low: float, high: float) -> None:
        self.flag, self.value = flag, value
        self.limits = f"it must lie between {low:,.10g} and {high:,.10g}"
        super().__init__(f"{flag} is {value:g}; {self.limits}.")


def known(value: Value | None) -> Value:
    """The value of something an earlier step has established; CatalogError if it is missing after all."""
    if value is None:
        raise CatalogError("A fact that was looked up a moment ago is missing.", hint="Please report this as a bug.")
    return value
