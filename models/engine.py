"""A serving engine: where it runs, in which formats, what it reserves, which versions behave differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.chip import Chip


@dataclass(frozen=True, slots=True)
class Support:
    """Formats that have kernels on a kind of chip."""

    vendors: tuple[str, ...]
    """Accelerator vendors, or CPU."""
    formats: tuple[str, ...]
    source: str
    source_date: str
    cc_from: float | None = None
    cc_below: float | None = None
    """Compute capabilities, from and up to but not including."""
    archs: tuple[str, ...] = ()
    """Architectures; empty = all of the vendor."""
    how: str = ""
    """In which kernels, where it matters."""

    def covers(self, chip: Chip) -> bool:
        """Whether the row speaks of this chip."""
        if chip.vendor not in self.vendors or (self.archs and chip.arch not in self.archs):
            return False
        cc = chip.compute_capability
        if cc is None:
            return self.cc_from is None and self.cc_below is None
        return cc >= (self.cc_from or 0) and (self.cc_below is None or cc < self.cc_below)


@dataclass(frozen=True, slots=True)
class VersionClass:
    """A release from which on an engine behaves differently."""

    start: str
    since: str
    """Year and month of the release."""
    changes: str
    source: str
    source_date: str


@dataclass(frozen=True, slots=True)
class Engine:
    """One serving engine of the catalog."""

    key: str
    """vllm, sglang, trt-llm, llama.cpp, habana, ..."""
    name: str
    kinds: tuple[str, ...]
    """cpu, gpu."""
    vendors: tuple[str, ...]
    """Accelerator vendors it runs on; empty = any."""
    min_compute_capability: float | None
    memory_utilization: float
    """Share of the usable memory the engine takes."""
    max_sequences: int
    """Default limit of concurrent sequences."""
    max_sequences_large: int | None = None
    """The same limit on cards from 70 GiB other than A100, where the engine has one of its own."""
    constants: str | None = None
    """Class of speed constants that describes its current release on GPUs; None = no measured figures there."""
    tuning: str = "default"
    """default: measured as it starts; tuned: measured configurations are its maker's."""
    chunk_tokens: int | None = None
    chunk_tokens_large: int | None = None
    """Prompt tokens of a prefill step, and on large cards."""
    cuda_graphs: bool | None = None
    """Whether decode steps replay captured graphs by default."""
    support: tuple[Support, ...] = ()
    kv_formats: tuple[Support, ...] = ()
    versions: tuple[VersionClass, ...] = ()
    source: str = ""
    source_date: str = ""

    def formats_on(self, chip: Chip) -> tuple[str, ...]:
        """Weight formats with kernels on a chip, in catalog order; empty where the catalog knows none."""
        return tuple(dict.fromkeys(form for row in self.support if row.covers(chip) for form in row.formats))
