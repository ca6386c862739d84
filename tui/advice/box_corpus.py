"""A corpus to embed: hours and cost on the servers worth a look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from models.beside import Companion, devices_of, ingestion_s
from models.encoder_speed import BAND
from models.encoders import BATCH
from models.verdict_view import look
from tui import format as fmt
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from models.llm import LLM
    from pricing.compare import Comparison
    from tui.advice.question import Question

    Array = np.ndarray[Any, Any]

DAY_S = 86_400.0
BANDS = (
    "Speeds of embedding models and rerankers rest on four published figures: what is measured may be "
    f"{BAND[0]:g} to {BAND[1]:g} times the rate."
)


LONGEST_H = 30 * 24.0
"""A corpus that takes longer is embedded anew before it is done: our rule; such a server is listed only where none is quicker."""


@dataclass(frozen=True, slots=True)
class _Corpus:
    """What is to be embedded, and on how many servers at most."""

    llm: LLM
    tokens: float
    documents: float | None
    per_day: float | None
    deadline_h: float | None

    def servers(self, seconds: Array | float) -> Array:
        """Servers that embed the corpus by the deadline, at `seconds` a document; one where there is no deadline."""
        if self.deadline_h is None or self.documents is None:
            return np.where(np.isnan(seconds), np.nan, 1.0)
        found: Array = np.maximum(np.ceil(self.documents * np.asarray(seconds) / 3600 / self.deadline_h - 1e-9), 1.0)
        return found

    def cost(self, seconds: Array | float, hour: Array | float) -> Array:
        """The corpus in begun hours, or the time of one document where there is none."""
        if self.documents is None:
            return np.asarray(seconds) * hour / 3600
        servers = self.servers(seconds)
        found: Array = servers * np.ceil(self.documents * np.asarray(seconds) / 3600 / servers - 1e-9) * hour
        return found

    def sensible(self, seconds: Array) -> Array:
        """Which end within LONGEST_H, keep up with a day's documents, and take no more servers than anybody runs."""
        good = np.isfinite(seconds)
        if self.documents is not None:
            good &= self.documents * seconds / 3600 / self.servers(seconds) <= LONGEST_H
        return good & (seconds * (self.per_day or 0.0) <= DAY_S)


def _seconds(question: Question, comparison: Comparison, corpus: _Corpus) -> Array:
    """Of a document on each offer asked about, in the order of `question.asked()`; NaN where it has no room or cannot be had."""
    market = comparison.market
    table, offers = market.table, question.asked()
    copies = np.maximum(np.floor(table.gpu_count), 1.0)
    seconds = ingestion_s(corpus.llm, 1.0, corpus.tokens, devices_of(table, np.arange(len(table))), copies)
    together = min(
        math.ceil(corpus.tokens), corpus.llm.max_context or math.ceil(corpus.tokens)
    )  # longer ones are split
    needs = Companion(corpus.llm, int(BATCH), together).gib
    room = np.where(table.is_gpu, table.memory_gib, table.ram_gib) >= needs
    each: Array = np.where(room, seconds, np.nan)[market.server_index[offers]]
    each[market.out_of_stock[offers] | ~np.isfinite(comparison.price_per_hour[offers])] = np.nan
    return each


def _cheapest(question: Question, comparison: Comparison, corpus: _Corpus) -> dict[int, str]:
    """The offer of each kind that embeds it for the least, of those billed by the hour, and why; none if a server was named."""
    if "box" in question.said:
        return {}
    market, offers = comparison.market, question.asked()
    each = _seconds(question, comparison, corpus)
    cost = corpus.cost(each, comparison.price_per_hour[offers])
    soon = corpus.sensible(each) & (corpus.servers(each) <= market.most_servers[offers])
    found: dict[int, str] = {}
    for kind in ("cpu", "gpu"):
        mine = (market.column("kind")[offers] == kind) & np.isfinite(cost)
        late = not (mine & soon).any()
        # By a deadline nothing else is an answer.
        good = mine if late and corpus.deadline_h is None else mine & soon
        if good.any():
            words = f"cheapest {kind.upper()}" + (", none is quicker" if late else "")
            found[int(offers[int(np.argmin(np.where(good, cost, np.inf)))])] = words
    return found


def ingestion(
    question: Question, comparison: Comparison, llm: LLM, picks: Iterable[int]
) -> tuple[Part, dict[str, Any]]:
    """Hours in which each server embeds the corpus, with nothing else to do: the picks, and the cheapest of each kind for it."""
    said = question.said
    deadline = float(said["deadline"]) if "deadline" in said and "documents" in said else None
    corpus = _Corpus(llm, float(said.get("document_tokens", 512)), said.get("documents"), said.get("per_day"), deadline)
    tokens, market = corpus.tokens, comparison.market
    rows = []
    here = "named" if "box" in said else "with the LLM"
    reasons = dict.fromkeys(picks, here)
    for at, why in _cheapest(question, comparison, corpus).items():
        reasons[at] = f"{here}, {why}" if at in reasons else why
    for at, why in reasons.items():
        entry, server = market.offers[at], np.array([market.server_index[at]])
        device = devices_of(market.table, server)
        copies = max(math.floor(float(market.table.gpu_count[server[0]])), 1.0)
        one = float(ingestion_s(llm, 1.0, tokens, device, copies)[0])
        hour, servers = float(comparison.price_per_hour[at]), float(corpus.servers(one))
        if servers > market.most_servers[at]:
            servers = math.nan
        row: dict[str, Any] = {
            "server": f"{entry.provider} {entry.server}",
            "kind": entry.kind,
            "why": why,
            "servers": plain(servers),
            "documents_per_s": plain(1 / one),
        }
        for name, much in (("corpus", said.get("documents")), ("day", said.get("per_day"))):
            hours = None if much is None else much * one / 3600
            row[f"{name}_hours"] = plain(hours)
            row[f"{name}_hours_low"] = None if hours is None else plain(hours / BAND[1])
            row[f"{name}_hours_high"] = None if hours is None else plain(hours / BAND[0])
        row["corpus_cost"] = (
            None if row["corpus_hours"] is None or math.isnan(servers) else plain(float(corpus.cost(one, hour)))
        )
        rows.append(row)
    sentences = [] if deadline is None else _by_deadline(question, comparison, corpus, rows)
    for row in rows:
        for name, words, much in (
            ("corpus", "documents", said.get("documents")),
            ("day", "documents a day", said.get("per_day")),
        ):
            if much is not None and row[f"{name}_hours"] is not None:
                if name == "corpus" and deadline is not None:
                    continue
                low, mid, high = (fmt.number(row[f"{name}_hours{end}"]) for end in ("_low", "", "_high"))
                days = f", {row[f'{name}_hours'] / 24:,.0f} days" if row[f"{name}_hours"] > LONGEST_H else ""
                late = " More than a day has: it never catches up." if name == "day" and row["day_hours"] > 24 else ""
                sentences.append(
                    f"{row['server']} embeds {much:,} {words} of {tokens:,.0f} tokens in {mid} hours ({low} to {high}){days}.{late}"
                )
    notes: tuple[str, ...] = (
        f"{llm.name}, 32 documents together, all cards, nothing else running; longer documents than it reads are split.",
        BANDS,
    )
    code = comparison.terms.currency
    columns = (
        Column("server", "Server", 1, widest=40),
        Column("why", "Why", 1),
        Column("documents_per_s", "Documents/s", 1),
        Column("corpus_hours", "Corpus h", 1),
        *(() if deadline is None else (Column("servers", "Servers in time", 1, fmt.count),)),
        Column("day_hours", "A day's h", 2),
        Column("corpus_cost", f"{code}, begun hours", 3),
    )
    return Part("The corpus", tuple(sentences), Table(tuple(rows), columns), notes), {"servers": rows}


def _by_deadline(question: Question, comparison: Comparison, corpus: _Corpus, rows: list[dict[str, Any]]) -> list[str]:
    """Who embeds the corpus in time and with how many servers; what is nearest where nobody does."""
    market, offers = comparison.market, question.asked()
    each = _seconds(question, comparison, corpus)
    servers, much = (
        corpus.servers(each),
        f"{corpus.documents:,.0f} documents in {corpus.deadline_h:g} hour{'' if corpus.deadline_h == 1 else 's'}",
    )
    can = servers <= market.most_servers[offers]
    sure = corpus.servers(each / BAND[0])
    view, said = look(comparison, None), []
    for row in rows:
        if "cheapest" in row["why"]:
            slow = float(corpus.servers(1 / row["documents_per_s"] / BAND[0]))
            count = fmt.few(int(row["servers"]), "server")
            more = f" ({slow:,.0f} to be sure)" if slow > row["servers"] else ""
            said.append(
                f"{much}: {row['server']}, {row['why']}, with {count}{more} for {view.money(row['corpus_cost'])}."
            )
    alone = int((servers[can] == 1).sum())
    said.append(
        f"{alone:,} of {len(offers):,} offers do it alone, {int(can.sum()):,} with as many as are practical, "
        f"{int((sure <= market.most_servers[offers]).sum()):,} of them at the slow end of the band too."
    )
    if not can.any() and np.isfinite(each).any():
        best = int(np.nanargmin(each / market.most_servers[offers]))
        entry, most = market.offers[int(offers[best])], float(market.most_servers[offers[best]])
        hours = (corpus.documents or 0.0) * float(each[best]) / 3600 / most
        said.append(f"The nearest: {most:,.0f} x {entry.provider} {entry.server} in {fmt.number(hours)} hours.")
    return said
