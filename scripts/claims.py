"""Write CLAIMS.md: what articles say about CPU and GPU servers, held against the bundled offers and the estimator.

`make docs` runs it with the day of the bundled prices, so that a second run changes nothing unless estimates or prices did.
A claim's judgement is made from the figures by the rule beside it, never written by hand.
"""

from __future__ import annotations

import sys
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models import catalog, memory
from models.practical import MOST_SERVERS
from models.quantize import is_gguf, weight_bytes
from models.traffic import Workload
from pricing import tokens
from pricing.compare import Comparison, compare
from pricing.crossover import crossover
from pricing.filters import Filters
from pricing.market import Market
from pricing.snapshot import SNAPSHOT_DATE
from pricing.terms import CompareOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    Array = np.ndarray[Any, Any]

PAGE = Path(__file__).resolve().parents[1] / "CLAIMS.md"
COMFORTABLE, READABLE = 10.0, 5.0
"""Tokens/s of a user: reading speed is about 5.6 (250 words a minute at 0.75 words a token), 10 is comfortable."""
GDDR = ("GDDR5", "GDDR5X", "GDDR6", "GDDR6X", "GDDR7")
SMALL = (
    ("Llama-3.2-3B", "4bit"), ("Llama-3.2-3B", "8bit"), ("Llama-3.1-8B", "4bit"), ("Llama-3.1-8B", "8bit"),
)  # fmt: skip
SIZES = (*SMALL, ("Qwen3-14B", "4bit"), ("Qwen3-32B", "4bit"), ("Llama-3.3-70B", "4bit"), ("Qwen3-30B-A3B", "4bit"))
ONE_GPU = (
    "L4", "RTX-4090", "L40S", "A100-SXM4-80GB", "H100-80GB-SXM5", "H200-141GB-SXM", "B200-180GB-SXM",
)  # fmt: skip


@cache
def market() -> Market:
    """The bundled offers: on-demand and monthly, dated, of the last 24 months, in stock."""
    return Market.load()


@cache
def ask(model: str, quant: str, **traffic: Any) -> Comparison:
    """A comparison without targets at one user, or as `traffic` says."""
    asked: dict[str, Any] = {"concurrency": 1, "requests_per_s": None, "ttft_ms": None, "tpot_ms": None}
    asked |= {"input_tokens": 512, "output_tokens": 256, "preset": None} | traffic
    if asked["requests_per_s"] is not None:
        asked["concurrency"] = None
    work = Workload(model=catalog.llm(model), quant=quant, **asked)
    return compare(market(), work, CompareOptions(today=date.fromisoformat(SNAPSHOT_DATE)))


def usual(comparison: Comparison) -> Array:
    """The offers that a first look shows, without those that are out of stock."""
    mask: Array = Filters().mask(comparison) & ~market().out_of_stock
    return mask


def held(comparison: Comparison, *, gpu: bool) -> Array:
    """Those of one kind that hold the model and have a speed."""
    mask: Array = usual(comparison) & comparison.column("fits") & (market().is_gpu == gpu)
    return mask & np.isfinite(comparison.column("tokens_per_s_user"))


def spread(values: Array) -> str:
    """Tenth percentile, median and ninetieth, as "4.3 – 17 – 52"."""
    return " – ".join(short(value) for value in np.percentile(values, [10, 50, 90])) if len(values) else "–"


def short(value: float) -> str:
    """Two significant digits, no exponent."""
    if not np.isfinite(value):
        return "–"
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.2g}" if value >= 0.01 else f"{value:.1g}"


def percent(share: float) -> str:
    """A share as whole percents."""
    return f"{share * 100:.0f} %"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def cheapest(comparison: Comparison, mask: Array) -> str:
    """The cheapest of some offers with its month."""
    cost = np.where(mask, comparison.column("monthly_cost"), np.nan)
    if not np.isfinite(cost).any():
        return "none"
    at = int(np.nanargmin(cost))
    entry = market().offers[at]
    count = int(comparison.column("servers_needed")[at])
    many = f"{count} x " if count > 1 else ""
    return f"{many}{entry.provider} {entry.server}, ${short(cost[at])}"


# the claims


def small_models() -> list[str]:
    """3B to 8B at 4 or 8 bit on CPU servers."""
    rows, comfortable = [], []
    for model, quant in SMALL:
        one = ask(model, quant)
        cpu = held(one, gpu=False)
        rate, ttft = one.column("tokens_per_s_user")[cpu], one.column("ttft_ms")[cpu] / 1e3
        comfortable.append(float((rate >= COMFORTABLE).mean()))
        cells = [model, quant, spread(rate), percent((rate >= READABLE).mean()), percent(comfortable[-1]), spread(ttft)]
        for users in (1, 4):
            work = ask(model, quant, concurrency=users, ttft_ms=10_000.0, tpot_ms=100.0)
            mask = held(work, gpu=False) & work.column("meets_targets")
            cells.append(cheapest(work, mask))
        rows.append(cells)
    best = ask("Llama-3.1-8B", "4bit")
    fast = held(best, gpu=False)
    prompts = []
    for prompt in (128, 512, 1155, 4096, 8192):
        one = ask("Llama-3.1-8B", "4bit", input_tokens=prompt)
        ttft = one.column("ttft_ms")[held(one, gpu=False)] / 1e3
        prompts.append([f"{prompt:,}", short(ttft.min()), spread(ttft), percent((ttft <= 2).mean())])
    verdict = (
        "Holds for reading speed and short prompts, on part of the offers."
        if max(comfortable) < 0.9 and fast.any()
        else "Holds."
    )
    return [
        "## 1. “Models of 3B to 8B at 4 or 8 bit run well on CPU servers at low concurrency”",
        "",
        (
            f"**{verdict}** One user, prompt of 512 tokens, answer of 256; tenth percentile – median – ninetieth of the CPU offers that "
            "hold the model. The last columns: cheapest that gives each of 1 or 4 users 10 tokens/s, TTFT up to 10 s, a month."
        ),
        "",
        *table(
            ("model", "format", "tokens/s", f"≥ {READABLE:g}", f"≥ {COMFORTABLE:g}", "TTFT s", "1 user", "4 users"),
            rows,
        ),
        "**Where it stops: the prompt.** A CPU reads the prompt at a rate that its arithmetic limits. Llama-3.1-8B, 4 bit, one user:",
        "",
        *table(("prompt tokens", "fastest CPU, s", "TTFT s", "CPU offers within 2 s"), prompts),
    ]


def large_models() -> list[str]:
    """70B and memory kinds."""
    rows, meet = [], {}
    chips = {name: catalog.find_chip(name) for name in set(market().column("gpu_model")) if name}
    kinds = np.array(
        [
            "CPU, RAM"
            if not gpu
            else "GPU, GDDR"
            if (chip := chips.get(name)) and chip.memory_type in GDDR
            else "GPU, HBM"
            for gpu, name in zip(market().is_gpu, market().column("gpu_model"), strict=True)
        ]
    )
    for quant in ("4bit", "8bit"):
        one = ask("Llama-3.3-70B", quant, input_tokens=1155, output_tokens=211)
        work = ask(
            "Llama-3.3-70B",
            quant,
            input_tokens=1155,
            output_tokens=211,
            requests_per_s=1.0,
            ttft_ms=2000.0,
            tpot_ms=200.0,
        )
        for kind in ("CPU, RAM", "GPU, GDDR", "GPU, HBM"):
            mask = (held(one, gpu=False) | held(one, gpu=True)) & (kinds == kind)
            good = mask & work.column("meets_targets") & (work.column("servers_needed") <= 50)
            meet[kind, quant] = bool(good.any())
            rate, ttft = one.column("tokens_per_s_user")[mask], one.column("ttft_ms")[mask] / 1e3
            rows.append(
                [
                    kind,
                    quant,
                    f"{int(mask.sum()):,}",
                    spread(rate),
                    spread(ttft),
                    f"{int(good.sum()):,}",
                    cheapest(work, good),
                ]
            )
    gddr = any(meet["GPU, GDDR", quant] for quant in ("4bit", "8bit"))
    cpu = any(meet["CPU, RAM", quant] for quant in ("4bit", "8bit"))
    verdict = "Half true: it needs a GPU, not HBM." if gddr and not cpu else "Holds." if not gddr else "Does not hold."
    return [
        "## 2. “70B and more needs HBM”",
        "",
        (
            f"**{verdict}** Llama-3.3-70B, 1,155 -> 211 tokens. Speeds at one user; the last columns at one request/s with TTFT ≤ 2 s and "
            "TPOT ≤ 200 ms (offers whose servers, up to fifty, carry it, and the cheapest a month)."
        ),
        "",
        *table(("memory", "format", "offers", "tokens/s", "TTFT s", "carry it", "cheapest"), rows),
        (
            "A mixture of experts reads only part of its weights for a token: Qwen3-30B-A3B needs the memory of a 30B model and the "
            "bandwidth of a 3B one, and is the best large model for a CPU (section 4)."
        ),
        "",
    ]


def month() -> list[str]:
    """What CPU and GPU servers cost a month, and for the traffic."""
    one = ask("Llama-3.1-8B", "4bit")
    cost = one.server_monthly_cost
    cpu, gpu = held(one, gpu=False) & np.isfinite(cost), held(one, gpu=True) & np.isfinite(cost)
    provider = market().column("provider")
    ratios = [
        float(np.median(cost[cpu & (provider == name)]) / np.median(cost[gpu & (provider == name)]))
        for name in sorted(set(provider[cpu]) & set(provider[gpu]))
    ]
    serving, rows = [], []
    for title, traffic in (
        ("0.1 requests/s, 512 -> 256, TTFT 10 s", {"requests_per_s": 0.1, "ttft_ms": 10_000.0, "tpot_ms": 200.0}),
        ("1 request/s, 512 -> 256, TTFT 10 s", {"requests_per_s": 1.0, "ttft_ms": 10_000.0, "tpot_ms": 200.0}),
        ("10 requests/s, 512 -> 256, TTFT 10 s", {"requests_per_s": 10.0, "ttft_ms": 10_000.0, "tpot_ms": 200.0}),
        ("1 request/s, chat (1155 -> 211, TTFT 2 s)", {"requests_per_s": 1.0, "ttft_ms": 2000.0, "tpot_ms": 200.0, "input_tokens": 1155, "output_tokens": 211}),
    ):  # fmt: skip
        work = ask("Llama-3.1-8B", "4bit", **traffic)
        good = work.column("meets_targets") & (work.column("servers_needed") <= 50)
        least = [
            float(np.min(values)) if len(values) else float("nan")
            for values in (
                work.column("monthly_cost")[held(work, gpu=kind) & good & np.isfinite(work.column("monthly_cost"))]
                for kind in (False, True)
            )
        ]
        serving.append(least[0] / least[1])
        rows.append(
            [title, cheapest(work, held(work, gpu=False) & good), cheapest(work, held(work, gpu=True) & good),
             f"{serving[-1]:.2f}" if np.isfinite(serving[-1]) else "no CPU meets it"]
        )  # fmt: skip
    cheaper = 1 - float(np.median(cost[cpu]) / np.median(cost[gpu]))
    verdict = (
        "True of the server, not of the service."
        if cheaper >= 0.5 and not all(ratio < 1 for ratio in serving)
        else "Holds." if cheaper >= 0.5 else "Does not hold."
    )  # fmt: skip
    return [
        "## 3. “A CPU server is 70 to 80 % cheaper per month”",
        "",
        (
            f"**{verdict}** Of the offers that hold Llama-3.1-8B at 4 bit the median CPU server costs ${short(np.median(cost[cpu]))} a month, "
            f"the median GPU server ${short(np.median(cost[gpu]))}: {percent(cheaper)} less (the cheapest: ${short(cost[cpu].min())} and "
            f"${short(cost[gpu].min())}). At the {len(ratios)} providers that sell both, the median CPU server costs "
            f"{percent(min(ratios))} to {percent(max(ratios))} of the median GPU server (median {percent(float(np.median(ratios)))}). "
            "But the bill is for the traffic, and one GPU carries what many CPU servers do:"
        ),
        "",
        *table(("traffic, Llama-3.1-8B 4 bit", "cheapest CPU", "cheapest GPU", "CPU / GPU"), rows),
    ]


def speed() -> list[str]:
    """Tokens a second of one user."""
    rows = []
    shares = []
    for model, quant in SIZES:
        one = ask(model, quant)
        cpu, gpu = (one.column("tokens_per_s_user")[held(one, gpu=kind)] for kind in (False, True))
        shares.append((float(((cpu >= 1) & (cpu <= 5)).mean()), float((gpu >= 30).mean())))
        rows.append(
            [model, quant, spread(cpu), percent(shares[-1][0]), short(cpu.max()), spread(gpu), percent(shares[-1][1])]
        )
    low, high = min(share for share, _ in shares), max(share for share, _ in shares)
    eight = ask("Llama-3.1-8B", "4bit")
    tenth = float(np.percentile(eight.column("tokens_per_s_user")[held(eight, gpu=False)], 90))
    slowest = float(np.percentile(eight.column("tokens_per_s_user")[held(eight, gpu=True)], 10))
    verdict = "Depends on the model." if low < 0.5 else "Holds."
    return [
        "## 4. “A CPU gives 1 to 5 tokens/s, a GPU 30 to 100 and more”",
        "",
        f"**{verdict}** Between {percent(low)} and {percent(high)} of the CPU offers lie between 1 and 5. One user, 512 -> 256 tokens:",
        "",
        *table(("model", "format", "CPU tokens/s", "CPU in 1–5", "best CPU", "GPU tokens/s", "GPU ≥ 30"), rows),
        (
            f"1 to 5 tokens/s is what most CPU offers give a 32B or 70B model. Of an 8B model at 4 bit a tenth of them give "
            f"{short(tenth)} and more, which is more than the slowest tenth of the GPU offers ({short(slowest)})."
        ),
        "",
    ]


def first_token() -> list[str]:
    """TTFT by prompt."""
    rows, medians = [], []
    short_one = ask("Llama-3.1-8B", "8bit", input_tokens=512)
    waits = short_one.column("ttft_ms")[held(short_one, gpu=False)]
    fits = [512 * 2000.0 / float(wait) for wait in (np.median(waits), waits.min())]
    for prompt in (128, 512, 1155, 4096, 8192):
        one = ask("Llama-3.1-8B", "8bit", input_tokens=prompt)
        cpu, gpu = (one.column("ttft_ms")[held(one, gpu=kind)] for kind in (False, True))
        medians.append((float(np.median(cpu)), float(np.median(gpu))))
        rows.append(
            [
                f"{prompt:,}",
                spread(cpu / 1e3),
                short(cpu.min() / 1e3),
                spread(gpu),
                f"{medians[-1][0] / medians[-1][1]:,.0f}x",
            ]
        )
    verdict = "Holds, and understates it." if medians[2][0] > 5000 and medians[2][1] < 1000 else "Holds."
    return [
        "## 5. “Time to first token: seconds on a CPU, hundreds of milliseconds on a GPU”",
        "",
        f"**{verdict}** Llama-3.1-8B, 8 bit, one user on an idle server:",
        "",
        *table(("prompt tokens", "CPU, s", "fastest CPU, s", "GPU, ms", "median CPU / GPU"), rows),
        (
            f"The ratio hardly depends on the prompt: both pay for every fresh token. Inside 2 s the median CPU server reads {short(fits[0])} "
            f"tokens and the fastest {short(fits[1])}, so what the prefix cache holds decides whether a CPU will do. Under load TTFT grows on "
            "both; the table of offers shows it at your traffic."
        ),
        "",
    ]


def bandwidth() -> list[str]:
    """Memory bandwidth of what is sold."""
    rates, usual_offers = market().memory_gb_s, usual(ask("Llama-3.1-8B", "4bit"))
    chips = {name: catalog.find_chip(name) for name in set(market().column("gpu_model")) if name}
    kind_of = [chips[name].memory_type if name and chips.get(name) else "" for name in market().column("gpu_model")]  # type: ignore[union-attr]
    count = market().column("gpu_count")
    gddr, hbm = np.isin(kind_of, GDDR), np.array(["HBM" in str(kind) for kind in kind_of])
    vcpu = ~market().is_gpu & np.isfinite(market().column("vcpus"))
    metal = ~market().is_gpu & ~np.isfinite(market().column("vcpus"))
    rows, found = [], {}
    for title, mask in (
        ("CPU: virtual machines", vcpu),
        ("CPU: dedicated servers, one socket", metal),
        ("GPU with GDDR, one card", gddr & (count == 1)),
        ("GPU with HBM, one card", hbm & (count == 1)),
    ):
        values = rates[usual_offers & mask & np.isfinite(rates)]
        found[title] = values
        rows.append([title, f"{len(values):,}", spread(values), short(values.max()) if len(values) else "–"])
    dedicated = found["CPU: dedicated servers, one socket"]
    inside = float(((dedicated >= 50) & (dedicated <= 100)).mean())
    card = found["GPU with HBM, one card"]
    within = float(((card >= 1500) & (card <= 3000)).mean())
    verdict = (
        "Neither range holds."
        if inside < 0.5 and within < 0.5
        else "Holds in part."
        if min(inside, within) < 0.5
        else "Holds."
    )
    one = ask("Llama-3.1-8B", "8bit")
    name = market().column("gpu_model")
    small = held(one, gpu=True) & (name == "L4") & (count == 1)
    rate_l4, rate_cpu = one.column("tokens_per_s_user")[small], one.column("tokens_per_s_user")[held(one, gpu=False)]
    wait_l4, wait_cpu = one.column("ttft_ms")[small], one.column("ttft_ms")[held(one, gpu=False)]
    return [
        "## 6. “Memory bandwidth: 50 to 100 GB/s against 1.5 to 3 TB/s”",
        "",
        (
            f"**{verdict}** {percent(inside)} of the dedicated servers lie between 50 and 100 GB/s, {percent(within)} of the single GPUs with HBM "
            f"between 1.5 and 3 TB/s. As the estimator reckons with it, GB/s (a CPU "
            "socket as it really reads, a GPU as its maker states):"
        ),
        "",
        *table(("", "offers", "p10 – median – p90", "highest"), rows),
        (
            f"Tokens a second of one user follow bandwidth over the bytes read for a token: an L4 (300 GB/s) gives one user of Llama-3.1-8B at "
            f"8 bit {short(float(np.median(rate_l4)))}, the fastest CPU server {short(rate_cpu.max())}. Prompts follow arithmetic: 512 tokens take "
            f"{short(float(np.median(wait_l4)))} ms on the L4 and {short(wait_cpu.min())} ms on the fastest CPU."
        ),
        "",
    ]


def throughput() -> list[str]:
    """What one server does in all."""
    work = ask("Llama-3.1-8B", "8bit", requests_per_s=1.0, ttft_ms=10_000.0, tpot_ms=200.0)
    able = work.column("requests_per_s_at_target") * 256
    good = work.column("meets_targets")
    cpu = held(work, gpu=False) & good
    best = int(np.flatnonzero(cpu)[np.argmax(able[cpu])])
    middle = float(np.median(able[cpu]))
    rows = [
        ["median CPU server that meets it", short(middle), "1x", "–"],
        [f"best CPU server ({market().offers[best].provider} {market().offers[best].server})", short(able[best]), f"{able[best] / middle:.1f}x", "1x"],
    ]  # fmt: skip
    name, count = market().column("gpu_model"), market().column("gpu_count")
    ratios = []
    for chip in ONE_GPU:
        card = catalog.find_chip(chip)
        same = np.array([entry is not None and card is not None and catalog.find_chip(entry) == card for entry in name])
        of_it = held(work, gpu=True) & same & (count == 1) & good
        if of_it.any():
            rate = float(np.median(able[of_it]))
            ratios.append(rate / middle)
            rows.append([f"1x {chip}", short(rate), f"{ratios[-1]:.0f}x", f"{rate / able[best]:.1f}x"])
    verdict = "Holds against the median CPU server, not against the best." if able[best] / middle > 3 else "Holds."
    return [
        "## 7. “A GPU's throughput is 10 to 100 times a CPU's”",
        "",
        (
            f"**{verdict}** Llama-3.1-8B, 8 bit, 512 -> 256 tokens, TTFT ≤ 10 s and TPOT ≤ 200 ms for every user: output tokens/s of one "
            "server at its limit. A GPU reads its weights once for hundreds of users; a CPU runs out of arithmetic after a few."
        ),
        "",
        *table(("server", "tokens/s", "of the median CPU", "of the best CPU"), rows),
    ]


def stored(model: str, quant: str) -> float:
    """Bytes of a model's weights in a format."""
    form = catalog.quant(quant)
    return weight_bytes(catalog.llm(model), form, gguf=is_gguf(form)).total


def weights() -> list[str]:
    """Sizes."""
    rows = []
    for model in ("Llama-2-7B", "Llama-3.1-8B", "Llama-3.3-70B", "Qwen3-30B-A3B", "Qwen3-235B-A22B"):
        llm = catalog.llm(model)
        cells = [model]
        for key in ("fp16", "fp8", "q4_k_m"):
            size = stored(model, key)
            cells.append(f"{size / 1e9:.1f} GB ({size / 2**30:.1f} GiB)")
        each = float(memory.kv_bytes_per_token(llm, 1.0)) * 2
        cells += [f"{each / 1024:,.0f} KiB", f"{each * 8192 / 2**30:.2f} GiB"]
        rows.append(cells)
    seven, seventy = stored("Llama-2-7B", "fp16") / 1e9, stored("Llama-3.3-70B", "fp16") / 1e9
    verdict = (
        "Holds for the weights, and is not what you need."
        if 13 < seven < 14.5 and 139 < seventy < 143
        else "Does not hold."
    )
    return [
        "## 8. “7B at FP16 is 14 GB, 70B is 140 GB and more”",
        "",
        f"**{verdict}** The KV cache of every running request and the engine's own memory come on top: 8,192 tokens of context, 16-bit cache:",
        "",
        *table(("model", "16 bit", "fp8", "q4_k_m", "cache a token", "cache of 8k"), rows),
        (
            "Llama-2-7B keeps keys and values for every head: sixteen such requests need 64 GiB, more than four times its weights. Models with "
            "grouped heads need a quarter or an eighth. An H100 of 80 GB therefore does not serve a 70B model at 16 bit, and two have "
            "room for a few requests only; `Mem %` and the details show weights, cache and overhead apart."
        ),
        "",
    ]


def beats(turns: Sequence[float], name: str) -> str:
    """From which traffic on the cheapest fleet costs less than an API, as `rackrate advise crossover` finds it."""
    if not turns:
        return f"No fleet of {MOST_SERVERS} servers or fewer beats the {name} API."
    if len(turns) == 1:
        return f"The cheapest fleet beats the {name} API from {turns[0]:.3g} requests/s on."
    return (
        f"The cheapest fleet first beats the {name} API at {turns[0]:.3g} requests/s, and by turns above: each further server costs before "
        "it is filled."
    )


def volume() -> list[str]:
    """Cost of a million tokens by traffic."""
    rows = []
    turn = []
    for rate in (0.01, 0.1, 1.0, 10.0, 100.0):
        work = ask("Llama-3.1-8B", "8bit", requests_per_s=rate, ttft_ms=10_000.0, tpot_ms=200.0)
        good = work.column("meets_targets") & (work.column("servers_needed") <= 50)
        cells = [f"{rate:g}", f"{rate * 768 * 3600 * 730 / 1e6:,.0f}"]
        least = []
        for kind in (False, True):
            mask = held(work, gpu=kind) & good
            cost = work.column("cost_per_m_total_tokens")[mask]
            cost = cost[np.isfinite(cost)]
            least.append(float(cost.min()) if len(cost) else float("nan"))
            cells.append(f"${short(least[-1])}" if np.isfinite(least[-1]) else "–")
        turn.append((rate, *least))
        rows.append(cells)
    own = [np.nanmin(pair) for _, *pair in turn]
    verdict = "Holds: volume decides more than the hardware." if own[0] / own[-1] > 20 else "Holds in part."
    work = ask("Llama-3.1-8B", "8bit", requests_per_s=1.0, ttft_ms=10_000.0, tpot_ms=200.0)
    found = crossover(work, np.flatnonzero(usual(work)), tokens.bundled())
    if found.api is None:
        raise RuntimeError("no API price of Llama-3.1-8B is bundled")
    against = f"{beats(found.turns[1], 'cheapest')} {beats(found.turns[0], 'median')}"
    return [
        "## 9. “At volume the GPU is cheaper per token”",
        "",
        (
            f"**{verdict}** Llama-3.1-8B, 8 bit, 512 -> 256 tokens, TTFT ≤ 10 s, TPOT ≤ 200 ms; $ per million tokens, prompt and answer, of the "
            f"cheapest fleet of whole servers that runs the whole month. Serverless APIs ask ${short(found.api.cheapest)} (cheapest) and "
            f"${short(found.api.median)} (median of {found.api.providers} prices) for the same mix. {against}"
        ),
        "",
        *table(("requests/s", "million tokens a month", "CPU $/M", "GPU $/M"), rows),
        "`rackrate advise buy` answers it for your model and traffic, `rackrate advise crossover` says from which traffic on.",
        "",
    ]


RARE = 0.1
"""Share of the offers below which a thing is called rare (our word)."""


def not_looked_at(work: Comparison, places: Array) -> dict[str, tuple[int, str]]:
    """By check: the offers that it does not apply to, and why (the conditions of `models.bottlenecks`)."""
    made = work.estimates
    servers = work.market.server_index[places].tolist()
    chips = [made.table.chips[int(made.table.chip_index[at])] for at in servers]
    choices = [made.choice(at) for at in servers]
    unlinked = sorted({chip.name for chip in chips if not chip.pcie_gb_s})
    return {
        "PCIe, weight load": (
            sum(not chip.pcie_gb_s for chip in chips),
            f"of chips for which no PCIe is stated ({', '.join(unlinked)})",
        ),
        "Tokenizer": (
            sum(choice is None or choice.gguf for choice in choices),
            "answered by llama.cpp, whose reading of text was not fitted",
        ),
        "Power limit": (sum(not chip.tdp_w for chip in chips), "of chips for which no power is stated"),
        "Link between GPUs": (int((made.tp_used[servers] <= 1).sum()), "that hold the model on each GPU"),
    }


def hidden() -> list[str]:
    """Host CPU, PCIe, disks and RAM of GPU servers."""
    work = ask("Llama-3.3-70B", "4bit", concurrency=4)
    places = np.flatnonzero(held(work, gpu=True))
    counts: dict[str, dict[str, int]] = {}
    values: dict[str, list[float]] = {}
    warned = 0
    for at in places.tolist():
        found = work.bottlenecks(at)
        warned += any(one.severity == "warning" for one in found)
        for one in found:
            counts.setdefault(one.name, {}).setdefault(one.severity, 0)
            counts[one.name][one.severity] += 1
            if one.value is not None and one.code in {"pcie_load", "cold_start", "tp_link", "host_cpu"}:
                values.setdefault(one.name, []).append(one.value * (100 if one.code == "tp_link" else 1))
    units = {
        "PCIe, weight load": "s",
        "Disk, cold start": "s",
        "Link between GPUs": "% of a token or a prompt",
        "Host CPU, one core": "GHz",
    }
    rows = [
        [
            name, *(f"{said.get(severity, 0):,}" for severity in ("warning", "note", "ok", "not stated")),
            f"{spread(np.array(values[name]))} {units[name]}" if name in values else "–",
        ]
        for name, said in sorted(counts.items())
    ]  # fmt: skip
    share = warned / len(places)
    verdict = (
        "Not found in what is sold."
        if not warned
        else f"Rare in what is sold ({warned:,} offers), costly where it happens."
        if share < RARE
        else f"True of {share * 100:.0f} % of what is sold, most of all of prompts over several GPUs without NVLink."
        if counts["Link between GPUs"].get("warning", 0) > warned / 2
        else f"True of {share * 100:.0f} % of what is sold."
    )
    return [
        "## 10. “A weak host CPU, PCIe, NVMe or RAM throttles the GPU”",
        "",
        (
            f"**{verdict}** The {len(places):,} GPU offers that hold Llama-3.3-70B at 4 bit, four users; how many each check warns of, notes, "
            "finds fine, or cannot look at because the seller does not state it. `rackrate advise bottlenecks` shows the checks of one server "
            "with formula, cost and source."
        ),
        "",
        *table(("check", "warning", "note", "fine", "not stated", "p10 – median – p90"), rows),
        (
            f"A row that adds up to fewer than {len(places):,} leaves out offers that its check does not apply to: "
            + "; ".join(
                f"“{name}” {count:,} {why}" for name, (count, why) in not_looked_at(work, places).items() if count
            )
            + "."
        ),
        "",
        (
            "PCIe decides the start and, over several GPUs without NVLink, a part of every prompt and token; not the speed of one GPU. Disks decide how "
            "long a server takes until its first answer. RAM below the weights fails at loading. A slow host core costs a share of the "
            "engine's own work of a step, which is small for large models."
        ),
        "",
    ]


HEAD = f"""\
# What is said about CPU and GPU servers, and what our figures say

Articles on hosting language models repeat a handful of rules. Here they are held against the {{offers}} offers bundled with rackrate
(list of {SNAPSHOT_DATE}, the last price seen on {{last}}; on-demand and monthly, none older than 24 months, none out of stock) and its estimates. Every figure
is made by `make docs` from the same code as the dashboard's; each judgement follows from the figures by a rule in `scripts/claims.py`.
Speeds are estimates: their errors are in the README under “How far to trust them”, and a GPU's are better known than a CPU's.
Three figures with dashes are the tenth percentile, the median and the ninetieth of the offers.

"""
CLAIMS = (small_models, large_models, month, speed, first_token, bandwidth, throughput, weights, volume, hidden)


def page() -> str:
    """The whole page."""
    offers = int(usual(ask("Llama-3.1-8B", "4bit")).sum())
    return HEAD.format(
        offers=f"{offers:,}", last=np.nanmax(market().source_day[usual(ask("Llama-3.1-8B", "4bit"))])
    ) + "\n".join(line for claim in CLAIMS for line in claim())


def main() -> int:
    """Write the page, or with --check say whether it is as it would be written."""
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
