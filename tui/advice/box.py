"""One box for all of it: a search's models beside the LLM, a corpus, prefix cache and long prompts, voice, batch, guessing ahead."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from models.beside import (
    PASSAGE_TOKENS,
    PASSAGES,
    QUERY_TOKENS,
    Companion,
    devices_of,
    host_times,
    host_wait_s,
    known_model,
    query_share,
    spent,
)
from models.encoder_speed import BAND
from models.errors import InputError
from models.tail import tail_wait
from models.verdict import verdict
from models.verdict_view import look
from tui import format as fmt
from tui.advice import box_corpus, box_jobs, box_steps
from tui.advice.box_corpus import BANDS
from tui.advice.changes import cheapest_pick
from tui.advice.named import named_offer
from tui.advice.report import Part, Report, Table
from tui.advice.verdict import workload_data
from tui.cli.output import plain
from tui.cli.table import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.beside import Spent
    from models.traffic import Workload
    from pricing.terms import CompareOptions
    from tui.advice.question import Question

EMBED, RERANK = "bge-m3", "bge-reranker-v2-m3"
"""What most guides take (assumed where nobody says)."""
FORMULA = (
    "Time of a request's companions = documents x tokens x (2 x weights + 4 x query width x tokens) / (share x peak), at least one read of "
    "the weights; the LLM's steps wait for as long. Shares of the peak: 0.32 on GPUs, 0.6 on CPUs (infinity's benchmark page, 2024)."
)


def prepare(workload: Workload, said: Mapping[str, Any], options: CompareOptions, given: frozenset[str]) -> Workload:
    """The workload as it is. Raises InputError where flags miss what they belong to."""
    del options
    for name, needs in (("turns", "calls"), ("deadline", "requests"), ("document_tokens", "documents")):
        if name in said and needs not in said and not (needs == "documents" and "per_day" in said):
            raise InputError(f"--{name.replace('_', '-')} belongs to --{needs}; there is none.")
    if "calls" in said and given & {"rps", "concurrency"}:
        raise InputError("--calls and --rps or --concurrency exclude each other: calls are the traffic.")
    if not workload.model.kv_cache:
        raise InputError(
            f"{workload.model.name} writes no text, so nothing stands beside it.",
            hint="--model names the LLM; --embed and --rerank what stands beside it.",
        )
    return workload


def beside_of(said: Mapping[str, Any]) -> tuple[Companion, ...]:
    """The companions that were named, or the usual ones. Raises UnknownNameError, WorkloadError."""
    on = str(said.get("embed_on", "gpu"))
    found = []
    embed, rerank = str(said.get("embed", EMBED)), str(said.get("rerank", RERANK))
    if embed.lower() != "none":
        found.append(Companion(known_model(embed), 1, int(said.get("query_tokens", QUERY_TOKENS)), on))
    if rerank.lower() != "none":
        passages, tokens = int(said.get("passages", PASSAGES)), int(said.get("passage_tokens", PASSAGE_TOKENS))
        found.append(Companion(known_model(rerank), passages, tokens, on))
    return tuple(found)


def report(question: Question) -> Report:
    """Every part that was asked for; without flags the search's models and the steps of prompt and cache."""
    said, work = question.said, question.workload
    if not work.model.kv_cache:
        words = f"{work.model.name} writes no text, so nothing stands beside it."
        return Report("box", (Part("One box", (words,)),), {"sentences": [words], **workload_data(question)})
    beside = beside_of(said)
    if {"calls", "requests"} & set(said) and not ({"embed", "rerank", "documents", "per_day"} & set(said)):
        beside = ()  # a call and a job look nothing up unless somebody says so
    box = _Box(question, beside)
    named = bool({"embed", "rerank"} & set(said))
    parts: list[Part] = []
    data: dict[str, Any] = {}
    if "calls" in said:
        part, data["voice"] = box_jobs.voice(
            question, beside if named else (), int(said["calls"]), float(said.get("turns", 6.0))
        )
        parts.append(part)
    if "requests" in said:
        part, data["batch"] = box_jobs.batch(question, float(said["requests"]), float(said.get("deadline", 8.0)))
        parts.append(part)
    if beside:
        part, data["companions"] = box.companions()
        parts.append(part)
    if "documents" in said or "per_day" in said:
        llm = next((one.model for one in beside if one.documents == 1), None)
        if llm is None or str(said.get("embed", EMBED)).lower() == "none":
            raise InputError("A corpus is embedded by a model; --embed none leaves none.")
        part, data["ingestion"] = box_corpus.ingestion(question, box.comparison, llm, box.picks)
        parts.append(part)
    if box.at is not None:
        for name, step in (
            ("prefix", box_steps.prefix),
            ("prompt", box_steps.prompt),
            ("speculative", box_steps.guess),
        ):
            part, data[name] = step(box.comparison, box.at)
            parts.append(part)
    data["sentences"] = [sentence for part in parts for sentence in part.sentences]
    return Report(
        "box", tuple(parts), {**data, **workload_data(question)}, next((p.table for p in parts if p.table), None)
    )


class _Box:
    """The comparison with the companions, and the offers to look at."""

    def __init__(self, question: Question, beside: tuple[Companion, ...]) -> None:
        work = question.workload
        self.question, self.beside = question, beside
        self.comparison = question.compared(work.changed(beside=beside)) if beside else question.comparison
        self.rows = question.asked(self.comparison)
        self.host_ms, self.refused = np.zeros(len(self.comparison)), 0
        self.able = np.ones(len(self.comparison), dtype=bool)
        """Whether the host carries what runs there."""
        if any(one.on == "cpu" for one in beside):
            self._hosts()
        self.chosen = ""
        """How a named server was chosen among several."""
        self.at: int | None
        found = verdict(self.comparison, self.rows)
        self.meets = cheapest_pick(found, self.comparison)
        self.picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None]
        if "box" in question.said:
            named = named_offer(question, question.said["box"], priced=False)
            self.chosen, self.at = named.said, named.at
            self.picks = [self.at]
        else:
            self.at = self.meets if self.meets is not None else found.nearest
            if self.at is not None and self.at not in self.picks:
                self.picks.append(self.at)

    def _hosts(self) -> None:
        """Leave out GPU offers whose host cannot carry the companions in time, or does not say what it is."""
        offers, work = self.comparison.market.offers, self.question.workload
        gpu = np.array([offer.kind == "gpu" for offer in offers])
        cores = np.array([float(offer.cores or (offer.vcpus or 0) / 2) or math.nan for offer in offers], dtype=float)
        ram = np.array([math.nan if offer.ram_gib is None else offer.ram_gib for offer in offers], dtype=float)
        took = _host(self.beside, cores)
        rate = self.comparison.column("requests_per_s").astype(float)
        waits = host_wait_s(rate, took.busy_s)
        if work.ttft_at == "p95":
            waits = tail_wait(waits, took.busy_s / 2)
        self.host_ms = np.where(gpu, (took.latency_s + waits) * 1e3, 0.0)
        fits = ~(ram < took.gib)  # RAM that is not stated is not judged
        able = np.isfinite(took.busy_s) & fits & (query_share(np.nan_to_num(rate), took.busy_s) < 1)
        if work.ttft_ms is not None:
            able &= ~(self.comparison.column(work.ttft_column).astype(float) + self.host_ms > work.ttft_ms)
        self.able = kept = ~gpu | able
        met = self.comparison.column("meets_targets").astype(bool)[self.rows]
        self.refused = int((met & ~kept[self.rows]).sum())
        self.rows = self.rows[kept[self.rows]]

    def companions(self) -> tuple[Part, dict[str, Any]]:
        """What stands beside the LLM, what it takes, what is left."""
        names = " and ".join(one.model.name for one in self.beside)
        view, alone = look(self.comparison, None), self.question.comparison
        said = []
        if "box" in self.question.said:
            held = bool(self.comparison.column("meets_targets")[self.picks[0]] and self.able[self.picks[0]])
            said.append(
                f"{view.label(self.picks[0])} {'meets' if held else 'misses'} the targets with {names} beside the LLM."
            )
        elif self.meets is None:
            said.append(f"No offer meets the targets with {names} beside {self.question.workload.model.name}.")
        else:
            cost = float(self.comparison.column("monthly_cost")[self.meets])
            said.append(
                f"With {names} beside the LLM the cheapest is {view.label(self.meets)} at {view.money(cost)} a month."
            )
            before = cheapest_pick(verdict(alone, self.question.asked()), alone)
            if before is not None:
                price = float(alone.column("monthly_cost")[before])
                said.append(f"The LLM alone: {look(alone, None).label(before)} at {view.money(price)}.")
        rows = [self._row(at) for at in self.picks]
        said += [self._words(row) for row in rows]
        if self.refused:
            said.append(
                f"{fmt.few(self.refused, 'GPU offer')} would meet the targets but for the host: "
                "too slow, too small, or its cores not stated."
            )
        where = "on the cards of a GPU server" if self.beside[0].on == "gpu" else "on the host of a GPU server"
        notes: tuple[str, ...] = (
            f"A request embeds and reranks, {where}: "
            + "; ".join(
                f"{one.model.name} {one.documents} x {one.tokens} tokens, {one.gib:.2f} GiB with workspace"
                for one in self.beside
            )
            + ". Lengths and counts not given are assumed. No KV cache.",
            "Every card holds a copy; work side by side would hide some of the wait and is not counted.",
            FORMULA,
            BANDS,
        )
        if self.beside[0].on == "cpu":
            notes += (
                (
                    "A host's clock is taken as 3 GHz, half its vCPUs as cores; its other work is not counted. "
                    "Requests wait there for each other (M/D/1); the rate is at most what the host can do, its TTFT then not judged."
                ),
            )
        return Part("Beside the LLM", tuple(said), Table(tuple(rows), _COLUMNS), notes), {"servers": rows}

    def _row(self, at: int) -> dict[str, Any]:
        before, after, market = self.question.comparison, self.comparison, self.comparison.market
        entry, server = market.offers[at], int(market.server_index[at])
        on_host = self.beside[0].on == "cpu" and entry.kind == "gpu"
        if on_host:
            took = _host(self.beside, np.array([float(entry.cores or (entry.vcpus or 0) / 2) or math.nan]))
        else:
            peak, read, cpu = devices_of(market.table, np.array([server]))
            took = spent(self.beside, peak, read, cpu=cpu)
        cards = 1.0 if on_host else float(after.estimates.replicas[server])
        rate = float(after.column("requests_per_s")[at])
        row: dict[str, Any] = {
            "server": f"{entry.provider} {entry.server}",
            "offer_id": entry.offer_id,
            "kind": entry.kind,
            "where": "host" if on_host else "card" if entry.kind == "gpu" else "socket",
            "companions_gib": took.gib,
            "companions_ms": plain(float(took.latency_s[0]) * 1e3),
            "companions_ms_low": plain(float(took.latency_s[0]) * 1e3 / BAND[1]),
            "companions_ms_high": plain(float(took.latency_s[0]) * 1e3 / BAND[0]),
            "companions_share": plain(float(query_share(rate / max(cards, 1.0), took.busy_s)[0])),
            "fits_alone": bool(before.column("fits")[at]),
            "fits": bool(after.column("fits")[at]),
            "meets_targets": bool(after.column("meets_targets")[at] and self.able[at]),
        }
        for name in (
            "ttft_ms",
            "ttft_p95_ms",
            "tpot_ms",
            "requests_per_s_at_target",
            "max_concurrency",
            "monthly_cost",
        ):
            host = float(self.host_ms[at]) if name.startswith("ttft") else 0.0
            row[f"{name}_alone"] = plain(before.column(name)[at])
            row[name] = plain(after.column(name)[at] + host)
        if on_host and row["requests_per_s_at_target"] is not None and took.busy_s[0] > 0:
            row["requests_per_s_at_target"] = min(row["requests_per_s_at_target"], plain(1 / float(took.busy_s[0])))
        return row

    @staticmethod
    def _words(row: Mapping[str, Any]) -> str:
        if not row["fits"]:
            held = "the LLM alone does" if row["fits_alone"] else "nor does the LLM alone"
            return f"{row['server']}: all together do not fit; {held}."
        share = (
            ""
            if row["companions_share"] is None
            else f", {row['companions_share'] * 100:.1f} % of its time at this traffic"
        )
        on = f"{'the' if row['where'] == 'host' else 'each'} {row['where']}"
        return (
            f"{row['server']}: they take {row['companions_gib']:.1f} GiB and {fmt.duration(row['companions_ms'])} of a request "
            f"({fmt.duration(row['companions_ms_low'])} to {fmt.duration(row['companions_ms_high'])}) on {on}{share}; "
            f"TTFT {fmt.duration(row['ttft_ms_alone'])} -> {fmt.duration(row['ttft_ms'])}, "
            f"{fmt.number(row['requests_per_s_at_target_alone'])} -> {fmt.number(row['requests_per_s_at_target'])} requests/s a server"
            f"{'' if row['meets_targets'] else ' (its own best: the targets are missed)'}."
        )


def _host(beside: tuple[Companion, ...], cores: np.ndarray[Any, Any]) -> Spent:
    return host_times(beside, None, cores)


_COLUMNS = (
    Column("server", "Server", 1, widest=36),
    Column("fits", "Fits", 2),
    Column("companions_gib", "GiB", 2),
    Column("companions_ms", "They take", 1, fmt.duration),
    Column("ttft_ms_alone", "TTFT alone", 1, fmt.duration),
    Column("ttft_ms", "TTFT", 1, fmt.duration),
    Column("tpot_ms", "TPOT", 2, fmt.duration),
    Column("requests_per_s_at_target_alone", "req/s alone", 2),
    Column("requests_per_s_at_target", "req/s", 1),
    Column("monthly_cost", "A month", 1),
)
