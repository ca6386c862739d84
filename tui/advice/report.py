"""What an advice consists of: parts of sentences and tables for people, plain values for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui.cli.table import Column


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values (None = no figure) and the columns that are printed of them; CSV writes every key."""

    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with what stands under it, in this order: sentences, table, notes."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    notes: tuple[str, ...] = ()
    """Formulas, sources, what was assumed: said more quietly."""


@dataclass(frozen=True, slots=True)
class Report:
    """An advice on one topic. Texts may hold anything a feed said: whoever writes them out makes them harmless."""

    topic: str
    parts: tuple[Part, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same as values, units in the names, for JSON."""
    table: Table | None = None
    """What `--format csv` writes; None where the topic has no table of its own."""
