"""The models of a search beside an LLM: which servers still meet the targets, what they take, how many it needs, what is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from models.beside import Companion, devices_of, host_times, host_wait_s, query_share, spent
from models.encoder_speed import BAND
from models.practical import MOST_SERVERS
from models.tail import tail_wait
from models.verdict import verdict
from models.verdict_view import look
from tui import format as fmt
from tui.advice.box_corpus import BANDS
from tui.advice.box_ways import ways_out
from tui.advice.changes import cheapest_pick
from tui.advice.report import Part, Table
from tui.cli.output import plain
from tui.cli.table import Column
from tui.input_text import show_traffic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.beside import Spent
    from tui.advice.named import Named
    from tui.advice.question import Question

FORMULA = (
    "Time of a request's companions = documents x tokens x (2 x weights + 4 x query width x tokens) / (share x peak), at least one read of "
    "the weights; the LLM's steps wait for as long. Shares of the peak: 0.32 on GPUs, 0.6 on CPUs (infinity's benchmark page, 2024)."
)


class Beside:
    """The comparison with the companions, and the offers to look at."""

    def __init__(self, question: Question, beside: tuple[Companion, ...], named: Named | None = None) -> None:
        work = question.workload
        self.question, self.beside, self.named = question, beside, named
        self.comparison = question.compared(work.changed(beside=beside)) if beside else question.comparison
        self.rows = question.asked(self.comparison)
        self.host_ms, self.refused = np.zeros(len(self.comparison)), 0
        self.able = np.ones(len(self.comparison), dtype=bool)
        """Whether the host carries what runs there."""
        if any(one.on == "cpu" for one in beside):
            self._hosts()
        found = verdict(self.comparison, self.rows)
        practical = self.comparison.practical
        self.meets = cheapest_pick(found, self.comparison)
        if self.meets is not None and not practical[self.meets]:
            self.meets = None  # a fleet that nobody runs is no answer
        alone = verdict(question.comparison, question.asked())
        self.before = cheapest_pick(alone, question.comparison)
        """The cheapest for the LLM alone."""
        self.picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None and practical[pick]]
        # Where nothing meets, what carries the LLM is nearer to an answer than the fastest of those that miss.
        nearest = (self.before, found.nearest, alone.nearest)
        self.at: int | None = self.meets
        if self.at is None:
            self.at = next((at for at in nearest if at is not None and practical[at]), None)
        if named is not None:
            self.at, self.picks = named.at, [named.at]
        elif self.at is not None and self.at not in self.picks:
            self.picks.append(self.at)

    def look_at(self, at: int) -> None:
        """Take another offer than the verdict's."""
        self.at, self.picks = at, [at]

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

    def part(self) -> tuple[Part, dict[str, Any]]:
        """What stands beside the LLM, what it takes, what is left."""
        names = " and ".join(one.model.name for one in self.beside)
        view, alone = look(self.comparison, None), self.question.comparison
        said = []
        if self.named is not None:
            said += self._of_the_named(names)
        elif self.question.workload.full:
            said.append(f"{names} beside the LLM, as fast as it goes.")
        elif self.meets is None:
            said.append(
                f"No offer meets the targets with {names} beside {self.question.workload.model.name} with {MOST_SERVERS} servers or fewer."
            )
            said += ways_out(self.question, self.beside, self.before)
        else:
            said.append(f"With {names} beside the LLM the cheapest is {view.price(self.meets)}.")
            if self.before is not None:
                said.append(f"The LLM alone: {look(alone, None).price(self.before)}.")
        rows = [self._row(at) for at in self.picks]
        said += [self._words(row) for row in rows]
        misses = any(row["one_alone"] for row in rows)
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
        if misses:
            notes += (
                "Where the targets are missed TTFT is that of one request alone: servers too few or too many say nothing of it.",
            )
        shown = [
            row
            | ({"ttft_ms": row["ttft_solo_ms"], "ttft_ms_alone": row["ttft_solo_ms_alone"]} if row["one_alone"] else {})
            for row in rows
        ]
        return Part("Beside the LLM", tuple(said), Table(tuple(shown), _COLUMNS), notes), {"servers": rows}

    def _of_the_named(self, names: str) -> list[str]:
        """Whether the server asked about meets the targets, how much of the traffic one carries, and how many it takes."""
        at, view, work = self.picks[0], look(self.comparison, None), self.question.workload
        held = bool(self.comparison.column("meets_targets")[at] and self.able[at])
        said = [f"{view.label(at)} {'meets' if held else 'misses'} the targets with {names} beside the LLM."]
        if not held or work.requests_per_s is None:
            return said
        one = float(self.comparison.column("requests_per_s_at_target")[at]) * work.utilization
        needed = float(self.comparison.column("servers_needed")[at])
        if needed > 1:
            before = float(self.question.comparison.column("servers_needed")[at])
            why = "" if self.comparison.practical[at] else f" ({view.too_many(at)})"
            said.append(
                f"One carries {one / work.requests_per_s:.0%} of {show_traffic(work)}; {needed:,.0f} would be needed, "
                f"{before:,.0f} for the LLM alone{why}."
            )
        else:
            said.append(f"One carries all of {show_traffic(work)}.")
        return said

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
            "targets": self.question.workload.has_targets,
            "meets_targets": bool(after.column("meets_targets")[at] and self.able[at]),
        }
        row["one_alone"] = not (before.column("meets_targets")[at] and after.column("meets_targets")[at])
        for name in (
            "servers_needed",
            "ttft_ms",
            "ttft_solo_ms",
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
            most = plain(1 / float(took.busy_s[0]))
            row["requests_per_s_at_target"] = min(row["requests_per_s_at_target"], most)
        if on_host and not self.able[at] and (row["companions_share"] or 0) >= 1:
            # So many servers as the cards need are too few for the hosts.
            row["servers_needed"] = row["monthly_cost"] = None
        return row

    @staticmethod
    def _words(row: Mapping[str, Any]) -> str:
        if not row["fits"]:
            held = "the LLM alone does" if row["fits_alone"] else "nor does the LLM alone"
            return f"{row['server']}: all together do not fit; {held}."
        if row["servers_needed"] is None and row["companions_share"] is not None:
            return (
                f"{row['server']}: they take {fmt.duration(row['companions_ms'])} of a request on the host, "
                f"{row['companions_share']:,.1f} times the time it has at this traffic: it cannot keep up, "
                f"{fmt.number(row['requests_per_s_at_target'])} requests/s a server at most."
            )
        share = (
            ""
            if row["companions_share"] is None
            else f", {row['companions_share'] * 100:.1f} % of its time at this traffic"
        )
        solo = "_solo" if row["one_alone"] else ""
        times = f"{fmt.duration(row[f'ttft{solo}_ms_alone'])} -> {fmt.duration(row[f'ttft{solo}_ms'])}"
        ttft = f"TTFT of one request alone {times}" if solo else f"TTFT {times}"
        missed = "" if row["meets_targets"] or not row["targets"] else " (its own best: the targets are missed)"
        on = f"{'the' if row['where'] == 'host' else 'each'} {row['where']}"
        return (
            f"{row['server']}: they take {row['companions_gib']:.1f} GiB and {fmt.duration(row['companions_ms'])} of a request "
            f"({fmt.duration(row['companions_ms_low'])} to {fmt.duration(row['companions_ms_high'])}) on {on}{share}; "
            f"{ttft}, "
            f"{fmt.number(row['requests_per_s_at_target_alone'])} -> {fmt.number(row['requests_per_s_at_target'])} requests/s a server, "
            f"{fmt.count(row['servers_needed_alone'])} -> {fmt.few(int(row['servers_needed'] or 0), 'server')}"
            f"{missed}."
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
    Column("servers_needed_alone", "Servers alone", 3, fmt.count),
    Column("servers_needed", "Servers", 1, fmt.count),
    Column("monthly_cost", "A month", 1),
)
