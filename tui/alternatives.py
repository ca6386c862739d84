"""One server with other quantizations, or with neighbouring models: the same estimator on a market of that one offer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models import catalog
from models.errors import RackrateError
from models.quality import loss
from models.quantize import CLASSES
from tui import format as fmt
from tui.input_steps import GGUF_STEPS, GPU_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.llm import LLM
    from models.traffic import Workload
    from tui.one_server import OneServer
    from tui.rows import Rows

NEIGHBOURS = 6
"""Models of the same family, and as many of other families."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another workload on the server, and what it comes to."""

    name: str
    workload: Workload
    rows: Rows | None
    """Of the one offer; None where the estimator takes no such workload."""
    reason: str
    """Why there are no figures or a target is missed."""
    note: str = ""

    def value(self, name: str) -> float | None:
        """A figure, None where there is none."""
        return self.rows.value(name, 0) if self.rows is not None else None

    @property
    def runs_as(self) -> str:
        """Engine and format that the estimate takes."""
        if self.rows is None:
            return ""
        return " ".join(part for part in (self.rows.text("engine_used", 0), self.rows.text("quant_used", 0)) if part)


def answer(server: OneServer, name: str, workload: Workload, note: str = "") -> Alternative:
    """What a workload comes to on the server."""
    try:
        rows = server.rows(workload)
    except RackrateError as error:
        return Alternative(name, workload, None, str(error), note)
    return Alternative(name, workload, rows, rows.reason(0), note)


def quantizations(server: OneServer, workload: Workload) -> list[Alternative]:
    """The precision classes, then the common formats that run there in another way, from many bits to few."""
    found = [answer(server, name, workload.changed(quant=name), _quality(name)) for name in CLASSES]
    taken = {one.runs_as for one in found}
    formats = [*GPU_STEPS, *GGUF_STEPS]
    if workload.quant not in (*CLASSES, *formats):
        formats.append(workload.quant)
    more = [answer(server, name, workload.changed(quant=name), _quality(name)) for name in formats]
    for one in more:
        own = one.name == workload.quant
        if own or (one.runs_as and one.runs_as not in taken and one.value("memory_used_share") is not None):
            found.append(one)
            taken.add(one.runs_as)
    return sorted(found, key=lambda one: -(one.value("weights_gib") or 0.0))


def _quality(name: str) -> str:
    """What is published about the loss of a format; nothing for a class, which means another one on each chip."""
    known = loss(name)
    return f"{known.words} ({known.model})" if known is not None else ""


def models(server: OneServer, workload: Workload) -> list[Alternative]:
    """Neighbouring models at the present quantization: of the same family, and of the nearest sizes, by size."""
    chosen = sorted(neighbours(workload.model, catalog.llms()), key=lambda model: (model.params_total, model.name))
    return [answer(server, model.name, workload.changed(model=model)) for model in chosen]


def neighbours(model: LLM, known: Iterable[LLM]) -> list[LLM]:
    """The model itself, some of its family and some of other families, nearest in size first."""

    def apart(other: LLM) -> float:
        return abs(math.log(max(other.params_total, 1) / max(model.params_total, 1)))

    others = sorted((one for one in known if one.name != model.name and one.kv_cache == model.kv_cache), key=apart)
    family = [one for one in others if one.family == model.family][:NEIGHBOURS]
    rest = [one for one in others if one.family != model.family][:NEIGHBOURS]
    return [model, *family, *rest]


def cells(one: Alternative) -> tuple[str, ...]:
    """Fit, TTFT, tokens/s of a user, users, servers, cost of a million tokens, as in the table."""
    used = one.value("memory_used_share")
    fits = one.rows is not None and one.rows.flag("fits", 0)
    fit = fmt.MISSING if used is None else f"{'✓' if fits else '✗'} {fmt.share(used)} %"
    miss = "!" if one.reason and fits else " "
    return (
        fit,
        f"{fmt.duration(one.value('ttft_ms'))}{miss}",
        fmt.number(one.value("tokens_per_s_user")),
        fmt.whole(one.value("max_concurrency")),
        fmt.count(one.value("servers_needed")),
        fmt.number(one.value("cost_per_m_output_tokens"), decimals=3),
    )
