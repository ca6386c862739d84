"""From flags to the question and the filters that the layers below understand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import catalog
from models.errors import InputError, UnknownNameError, brief
from models.traffic import Workload
from pricing.compare import MONTH_DAYS
from pricing.filters import Filters
from pricing.offer import TERMS
from pricing.terms import CompareOptions
from pricing.where import Where, compile_where
from tui.cli.parser import nearest
from tui.clock import today

if TYPE_CHECKING:
    import argparse

    from models.llm import LLM
    from pricing.money import Rates
    from pricing.settings import Settings

DEFAULT_MODEL = "Llama-3.1-8B"
DEFAULT_QUANT = "8bit"
CLASSES = frozenset({"4bit", "8bit", "16bit"})
"""Widths that each engine answers with its own format."""


def workload_from(args: argparse.Namespace) -> Workload:
    """A preset, or a workload saved under a name, with the flags' changes. Raises UnknownNameError, WorkloadError."""
    check_names(args)
    base = _base(args.workload or "chat", _model(args.model) if args.model else None)
    changes: dict[str, Any] = {
        name: value
        for name in ("quant", "kv_quant", "engine", "input_tokens", "output_tokens", "ttft_at")
        if (value := getattr(args, name))
    }
    if args.concurrency:
        changes |= {"requests_per_s": None, "concurrency": args.concurrency}
    elif args.rps:
        changes |= {"requests_per_s": args.rps, "concurrency": None}
    for name in ("ttft_ms", "tpot_ms"):
        if (target := getattr(args, name)) is not None:
            changes[name] = target or None  # 0 stands for `none` on the command line
    if args.speculative is not None:
        changes["speculative"] = args.speculative or None
    for name in ("prefix_hit", "utilization"):
        if (share := getattr(args, name)) is not None:
            changes[name] = share
    return replace(base, **changes)


def _base(name: str, model: LLM | None) -> Workload:
    """What the flags change: presets win over saved workloads of the same name."""
    try:
        preset = catalog.preset(name)
    except UnknownNameError:
        from tui import named  # only those who saved one pay for it

        if named.file().exists() and (found := named.find(name)) is not None:
            return found if model is None else replace(found, model=model)
        raise
    return Workload(
        model=model or _model(DEFAULT_MODEL),
        quant=DEFAULT_QUANT,
        input_tokens=preset.input_tokens,
        output_tokens=preset.output_tokens,
        requests_per_s=preset.requests_per_s,
        ttft_ms=preset.ttft_ms,
        tpot_ms=preset.tpot_ms,
        prefix_hit=preset.prefix_hit,
        ttft_at=preset.ttft_at,
        preset=preset.name,
    )


def _model(name: str) -> LLM:
    """A folder is the model whose config.json it holds, unless its name alone is one of the catalog's."""
    folder = Path(name)
    if not name.endswith(".json") and _exists(folder) and catalog.find_llm(name) is None:
        raise InputError(
            f"{brief(name)[1:-1]} is a file, and not a model's config.json.",
            hint="Give a model's name or its config.json.",
        )
    if not _exists(folder, folder=True) or (len(folder.parts) == 1 and catalog.find_llm(name)):
        return catalog.llm(name)
    if not _exists(folder / "config.json"):
        if found := catalog.find_llm(name):
            return found
        raise InputError(f"The folder {name} holds no config.json.")
    return catalog.llm(str(folder / "config.json"))


def _exists(path: Path, *, folder: bool = False) -> bool:
    """Whether a file or folder is there; a name that no file can have is none."""
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False


def check_names(args: argparse.Namespace) -> None:
    """Formats and engines are looked up when estimating; a name that is none is told before. Raises UnknownNameError."""
    if args.model and args.model.endswith(".json") and not _exists(Path(args.model)):
        raise InputError(
            f"{brief(args.model)[1:-1]} does not exist, or is no file.", hint="Give a model's name or its config.json."
        )
    if args.quant and args.quant.lower() not in CLASSES:
        catalog.quant(args.quant)
    if args.kv_quant:
        catalog.kv_quant(args.kv_quant)
    if args.engine and args.engine.lower() != "auto":
        catalog.engine(args.engine)


def options_from(args: argparse.Namespace, settings: Settings, rates: Rates) -> CompareOptions:
    """Money and months: flags win over the settings. Raises InputError for a currency without a rate."""
    currency = (args.currency or settings.currency).upper()
    if currency not in rates.currencies():
        raise InputError(
            f"There is no exchange rate for {brief(currency)[1:-1]}.",
            hint=f"Known: {', '.join(rates.currencies())}; `rackrate refresh ecb` fetches more.",
        )
    return CompareOptions(
        currency=currency,
        hours_per_month=args.hours_per_month or settings.hours_per_month,
        setup_months=args.setup_months or settings.setup_months,
        vat=settings.vat if args.vat is None else args.vat,
        today=today(),
        discounts=settings.discounts,
        rates=rates,
    )


def filters_from(args: argparse.Namespace) -> Filters:
    """Which offers to show. Raises InputError for an unknown term, WhereError naming the term at fault."""
    choices: dict[str, Any] = {}
    if args.term:
        choices["terms"] = _terms(args.term)
    if args.since:
        choices["max_age_months"] = max((today() - args.since).days, 0) / MONTH_DAYS
    elif args.undated:
        choices["max_age_months"] = None
    if args.where:
        choices["where"] = _where(args.where)
    return Filters(
        kind=args.kind[0] if len(set(args.kind)) == 1 else None,
        providers=tuple(args.provider),
        regions=tuple(args.region),
        undated=args.undated,
        max_usd_hour=args.max_usd_hour,
        max_usd_month=args.max_usd_month,
        **choices,
    )


def _where(asked: list[str]) -> Where:
    """One expression of several, each read by itself: a quote or a bar of one must not reach into the next."""
    found = [compile_where(text) for text in asked]
    return found[0] if len(found) == 1 else Where(" ".join(asked), tuple(term for one in found for term in one.terms))


def _terms(asked: list[str]) -> tuple[str, ...]:
    names = [word.lower().replace("-", "_") for word in asked]
    if "all" in names:
        return ("all",)
    for name in names:
        if name not in TERMS:
            close = nearest(name, [*TERMS, "all"])
            raise InputError(
                f"--term cannot be {brief(name)}.",
                hint=f"Did you mean {close}?" if close else f"It is one of {', '.join(TERMS)} or all.",
            )
    return tuple(names)
