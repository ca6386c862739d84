"""A corpus to embed: hours and cost on the servers worth a look."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from models.beside import Companion, devices_of, ingestion_s
from models.encoder_speed import BAND
from models.encoders import BATCH
from tui import format as fmt
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.llm import LLM
    from pricing.compare import Comparison
    from tui.advice.question import Question

BANDS = (
    "Speeds of embedding models and rerankers rest on four published figures: what is measured may be "
    f"{BAND[0]:g} to {BAND[1]:g} times the rate."
)


def _cheapest(question: Question, comparison: Comparison, llm: LLM, tokens: float) -> list[int]:
    """The offer of each kind that embeds a document for the least, of those billed by the hour; none if a server was named."""
    if "box" in question.said:
        return []
    market = comparison.market
    table, offers = market.table, question.asked()
    copies = np.maximum(np.floor(table.gpu_count), 1.0)
    seconds = ingestion_s(llm, 1.0, tokens, devices_of(table, np.arange(len(table))), copies)
    room = np.where(table.is_gpu, table.memory_gib, table.ram_gib) >= Companion(llm, int(BATCH), math.ceil(tokens)).gib
    each = np.where(room, seconds, np.nan)[market.server_index[offers]] * comparison.price_per_hour[offers]
    each[market.out_of_stock[offers]] = np.nan
    found = []
    for kind in ("cpu", "gpu"):
        mine = np.where(market.column("kind")[offers] == kind, each, np.nan)
        if np.isfinite(mine).any():
            found.append(int(offers[int(np.nanargmin(mine))]))
    return found


def ingestion(
    question: Question, comparison: Comparison, llm: LLM, picks: Iterable[int]
) -> tuple[Part, dict[str, Any]]:
    """Hours in which each server embeds the corpus, with nothing else to do: the picks, and the cheapest of each kind for it."""
    said = question.said
    tokens, market = float(said.get("document_tokens", 512)), comparison.market
    rows = []
    for at in dict.fromkeys((*picks, *_cheapest(question, comparison, llm, tokens))):
        entry, server = market.offers[at], np.array([market.server_index[at]])
        device = devices_of(market.table, server)
        copies = max(math.floor(float(market.table.gpu_count[server[0]])), 1.0)
        one = float(ingestion_s(llm, 1.0, tokens, device, copies)[0])
        hour = float(comparison.price_per_hour[at])
        row: dict[str, Any] = {
            "server": f"{entry.provider} {entry.server}",
            "kind": entry.kind,
            "documents_per_s": plain(1 / one),
        }
        for name, much in (("corpus", said.get("documents")), ("day", said.get("per_day"))):
            hours = None if much is None else much * one / 3600
            row[f"{name}_hours"] = plain(hours)
            row[f"{name}_hours_low"] = None if hours is None else plain(hours / BAND[1])
            row[f"{name}_hours_high"] = None if hours is None else plain(hours / BAND[0])
        row["corpus_cost"] = plain(math.ceil(row["corpus_hours"]) * hour) if row["corpus_hours"] is not None else None
        rows.append(row)
    sentences = []
    for row in rows:
        for name, words, much in (
            ("corpus", "documents", said.get("documents")),
            ("day", "documents a day", said.get("per_day")),
        ):
            if much is not None and row[f"{name}_hours"] is not None:
                low, mid, high = (fmt.number(row[f"{name}_hours{end}"]) for end in ("_low", "", "_high"))
                late = " More than a day has: it never catches up." if name == "day" and row["day_hours"] > 24 else ""
                sentences.append(
                    f"{row['server']} embeds {much:,} {words} of {tokens:,.0f} tokens in {mid} hours ({low} to {high}).{late}"
                )
    notes = (
        f"{llm.name}, 32 documents together, all cards, nothing else running; longer documents than it reads are split.",
        BANDS,
    )
    code = comparison.terms.currency
    columns = (
        Column("server", "Server", 1, widest=40),
        Column("documents_per_s", "Documents/s", 1),
        Column("corpus_hours", "Corpus h", 1),
        Column("day_hours", "A day's h", 2),
        Column("corpus_cost", f"{code}, begun hours", 3),
    )
    return Part("The corpus", tuple(sentences), Table(tuple(rows), columns), notes), {"servers": rows}
