"""Options that have one value: given twice they would say two things, and the last one would win without a word."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from models.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_GIVEN = "_given"


class Once(argparse.Action):
    """Keeps a value as argparse's own `store`, and refuses the second one. Raises InputError."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Store."""
        del parser
        given: set[str] = namespace.__dict__.setdefault(_GIVEN, set())
        if self.option_strings and self.dest in given:
            raise InputError(f"{option_string or self.option_strings[0]} is given twice.", hint="It takes one value.")
        given.add(self.dest)
        setattr(namespace, self.dest, values)
