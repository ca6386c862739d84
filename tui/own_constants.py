"""A user's own fit of the estimator's constants: the folder `constants` beside the settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import constants
from pricing import atomic, paths
from pricing.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "constants"


def folder() -> Path:
    """Where they are looked for."""
    return paths.config_dir() / FOLDER


def use_own() -> str:
    """Take the user's constants if there are any, else the bundled ones; the answer is a sentence that says so, or "".

    Raises:
        InputError: a file of the folder cannot be used.
    """
    own = folder()
    if not own.is_dir():
        constants.use(None)
        return ""
    constants.use(own)
    return f"Estimates use your own fitted constants ({own})."


def check_target(target: Path) -> None:
    """Whether a folder can be written to, before minutes are spent on what goes into it. Raises StoreError."""
    place = target.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise StoreError(f"Cannot write to {target}: {place} is no folder.")


def write(target: Path, texts: Mapping[str, str]) -> str:
    """Write constants files, each whole or not at all; the answer says where they are and what they are for.

    Raises:
        StoreError: a file cannot be written.
    """
    for name, text in texts.items():
        atomic.write_text(target / name, text)
    if target.absolute() == folder().absolute():
        return (
            f"Wrote {', '.join(texts)} to {target}: estimates use them from now on. Without the folder they use ours."
        )
    return f"Wrote {', '.join(texts)} to {target}. Estimates use them once the folder is {folder()}."
