"""One box for all of it: a search's models beside the LLM, a corpus, prefix cache and long prompts, voice, batch, guessing ahead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from models.beside import PASSAGE_TOKENS, PASSAGES, QUERY_TOKENS, Companion, known_model, reranks
from models.errors import InputError
from tui.advice import box_corpus, box_jobs, box_steps
from tui.advice.box_beside import Beside
from tui.advice.box_jobs import TURNS
from tui.advice.named import named_offer
from tui.advice.report import Part, Report
from tui.advice.verdict import workload_data

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from models.llm import LLM
    from models.traffic import Workload
    from pricing.terms import CompareOptions
    from tui.advice.question import Question

EMBED, RERANK = "bge-m3", "bge-reranker-v2-m3"
"""What most guides take (assumed where nobody says)."""


def prepare(
    workload: Workload, said: MutableMapping[str, Any], options: CompareOptions, given: frozenset[str]
) -> Workload:
    """The workload at the calls' traffic, or as fast as a job goes. Raises InputError where flags miss what they belong to."""
    del options
    needs = (
        ("turns", ("calls",)),
        ("deadline", ("requests", "documents")),
        ("document_tokens", ("documents", "per_day")),
    )
    for name, some in needs:
        if name in said and not set(some) & set(said):
            flags = " or ".join(f"--{one.replace('_', '-')}" for one in some)
            raise InputError(f"--{name.replace('_', '-')} belongs to {flags}; there is none.")
    _check_companions(said)
    if "calls" in said and given & {"rps", "concurrency"}:
        raise InputError("--calls and --rps or --concurrency exclude each other: calls are the traffic.")
    if not workload.model.kv_cache:
        raise InputError(
            f"{workload.model.name} writes no text, so nothing stands beside it.",
            hint="--model names the LLM; --embed and --rerank what stands beside it.",
        )
    if "calls" in said:
        rate = int(said["calls"]) * float(said.get("turns", TURNS)) / 60
        return workload.changed(requests_per_s=rate, ttft_at="p95")
    if "requests" in said and not given & {"rps", "concurrency"}:
        return workload.at_full_speed()
    return workload


def _check_companions(said: Mapping[str, Any]) -> None:
    """Raise InputError for flags of a companion that is not there: nobody would read them."""
    absent = {name: str(said.get(name, "")).lower() == "none" for name in ("embed", "rerank")}
    if _looks_nothing_up(said):
        absent = dict.fromkeys(absent, True)
    of = {
        "query_tokens": ("embed",),
        "passages": ("rerank",),
        "passage_tokens": ("rerank",),
        "embed_on": ("embed", "rerank"),
    }
    for name, models in of.items():
        if name in said and all(absent[model] for model in models):
            flags = " or ".join(f"--{model} MODEL" for model in models)
            raise InputError(f"--{name.replace('_', '-')} belongs to {flags}; there is none.")


def _looks_nothing_up(said: Mapping[str, Any]) -> bool:
    """A call and a job have no companions unless somebody says so."""
    return bool({"calls", "requests"} & set(said)) and not {"embed", "rerank"} & set(said)


def _encoder(name: str, flag: str, *, reranker: bool) -> LLM:
    """The model of a flag. Raises InputError for one of the other kind."""
    llm = known_model(name)
    if reranks(llm) is not reranker:
        does, wanted = ("embeds", "a reranker") if reranker else ("reranks", "an embedding model")
        raise InputError(
            f"{llm.name} {does}; --{flag} takes {wanted}.", hint="`rackrate catalog models bge` lists some."
        )
    return llm


def beside_of(said: Mapping[str, Any]) -> tuple[Companion, ...]:
    """The companions that were named, or the usual ones. Raises UnknownNameError, WorkloadError."""
    on = str(said.get("embed_on", "gpu"))
    found = []
    embed, rerank = str(said.get("embed", EMBED)), str(said.get("rerank", RERANK))
    if embed.lower() != "none":
        found.append(
            Companion(_encoder(embed, "embed", reranker=False), 1, int(said.get("query_tokens", QUERY_TOKENS)), on)
        )
    if rerank.lower() != "none":
        passages, tokens = int(said.get("passages", PASSAGES)), int(said.get("passage_tokens", PASSAGE_TOKENS))
        found.append(Companion(_encoder(rerank, "rerank", reranker=True), passages, tokens, on))
    return tuple(found)


def report(question: Question) -> Report:
    """Every part that was asked for, all for one traffic; without flags the search's models and the steps of prompt and cache."""
    said, work = question.said, question.workload
    if not work.model.kv_cache:
        words = f"{work.model.name} writes no text, so nothing stands beside it."
        return Report("box", (Part("One box", (words,)),), {"sentences": [words], **workload_data(question)})
    beside = () if _looks_nothing_up(said) else beside_of(said)
    named = named_offer(question, said["box"], priced=False) if "box" in said else None
    box = Beside(question, beside, named)
    only = None if named is None else named.at
    parts: list[Part] = []
    data: dict[str, Any] = {}
    if "calls" in said:
        part, data["voice"] = box_jobs.voice(
            question, beside, int(said["calls"]), float(said.get("turns", TURNS)), only=only
        )
        parts.append(part)
    if "requests" in said:
        job = box_jobs.batch(question, float(said["requests"]), float(said.get("deadline", 8.0)), beside, only=only)
        part, data["batch"] = job.part, job.data
        parts.append(part)
        if work.full and only is None and job.at is not None:
            box.look_at(job.at)
    if beside:
        part, data["companions"] = box.part()
        parts.append(part)
    if "documents" in said or "per_day" in said:
        if str(said.get("embed", EMBED)).lower() == "none":
            raise InputError("A corpus is embedded by a model; --embed none leaves none.")
        llm = _encoder(str(said.get("embed", EMBED)), "embed", reranker=False)
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
    if named is not None and named.said:
        parts[0] = replace(parts[0], sentences=(*parts[0].sentences, named.said))
    data["sentences"] = [sentence for part in parts for sentence in part.sentences]
    return Report(
        "box", tuple(parts), {**data, **workload_data(question)}, next((p.table for p in parts if p.table), None)
    )
