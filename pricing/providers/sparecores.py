"""Spare Cores' inspection data: what their programs measured on rented machines, for machines that the bundled tables lack.

One text file a task and machine: lscpu (JSON), bw_mem (one line an operation and size), llm (llama-bench, one JSON line a test).
Figures only, kept in files of their own under the data's licence, CC BY-SA 4.0.
"""

from __future__ import annotations

import json
import math
import re
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, items, number, text
from pricing.measured_machines import Figure, file_name, format_figures
from pricing.provider import About, Fetched, Missing, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

HOST = "raw.githubusercontent.com"
DATA = f"https://{HOST}/SpareCores/sc-inspector-data/main/data"
PAGE = "https://github.com/SpareCores/sc-inspector-data"
VENDORS = {"hetzner": "hcloud", "alibaba": "alicloud"}
"""Our names of providers -> theirs, where they differ."""
MAX_MACHINES = 40
MAX_BYTES = 4 * 1024 * 1024
_MACHINE = re.compile(r"([a-z][a-z0-9]{1,15})/([A-Za-z0-9][A-Za-z0-9._-]{0,79})")
_LSCPU = {
    "Model name:": "cpu_model",
    "CPU(s):": "vcpus",
    "Thread(s) per core:": "threads_per_core",
    "Core(s) per socket:": "cores_per_socket",
    "Socket(s):": "sockets",
    "NUMA node(s):": "numa_nodes",
}
_BW_MEM = {"rd": "read", "wr": "write", "rdwr": "read_and_write"}
_TESTS = {(128, 0): "pp128", (512, 0): "pp512", (0, 16): "tg16", (0, 128): "tg128"}
"""(prompt tokens, generated tokens) of the llama-bench tests that are kept; the longer ones are the bundled table's."""


@register
class SpareCores:
    """Measured machines; `regions` are the machines to ask for, as vendor/server."""

    about = About(
        "sparecores",
        "Spare Cores inspection data",
        "machines",
        # Types that models/data/measured/cpu_instances.csv.gz has no line of.
        regions=(
            "aws/c7a.32xlarge",
            "aws/c7g.16xlarge",
            "aws/c8a.8xlarge",
            "aws/c8i.16xlarge",
            "aws/c8i.metal-48xl",
            "aws/m7a.4xlarge",
            "aws/m7a.16xlarge",
            "aws/m7i.8xlarge",
            "aws/m8a.24xlarge",
            "aws/m8g.8xlarge",
            "aws/m9g.16xlarge",
            "aws/r7i.24xlarge",
            "azure/Standard_D16as_v7",
            "azure/Standard_D64as_v7",
            "gcp/c3-highmem-176",
            "gcp/c4-highcpu-96",
            "gcp/c4a-standard-32",
            "gcp/c4d-standard-16",
            "gcp/h4d-standard-192",
            "hcloud/cax31",
            "hcloud/ccx43",
            "hcloud/ccx53",
            "hcloud/ccx63",
            "hcloud/cpx62",
            "ovh/b3-256",
            "ovh/b3-640",
            "ovh/c3-320",
            "upcloud/PREMIUM-80xCPU-512GB",
            "upcloud/HICPU-64xCPU-128GB",
            "vultr/vbm-24c-384gb-amd5",
        ),
        hosts=(HOST,),
        on_request=True,
        time_limit_s=600.0,
        verified="2025-10",
        cannot=("prices", "machines that were not rented and measured"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """Five small files a machine. Raises FeedError if a name is none, or no machine was measured."""
        machines = [_machine(name) for name in dict.fromkeys(ask.regions)]
        if len(machines) > MAX_MACHINES:
            raise FeedError("sparecores", f"at most {MAX_MACHINES} machines are asked for at a time.")
        ask.together([partial(_ask, vendor, server) for vendor, server in machines])
        if not ask.answers.items:
            raise FeedError("sparecores", ask.answers.missing[0].reason, hint="Are the machines' names right?")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """A file of figures a machine. Raises FeedError if there is no figure in any answer."""
        found: dict[str, list[Figure]] = {}
        skipped: dict[str, int] = {}
        days = {
            (one.region, one.part.removesuffix(" date")): _start(one) for one in answers if one.part.endswith(" date")
        }
        for answer in answers:
            read = _READERS.get(answer.part)
            machine = _MACHINE.fullmatch(answer.region or "")
            if read is None or machine is None:
                continue
            name = file_name(_provider(machine[1]), machine[2])
            figures = [] if name is None else _read(read, answer, days.get((answer.region, answer.part), ""), now)
            if name is None or not figures:
                skipped[f"{answer.part} without figures"] = skipped.get(f"{answer.part} without figures", 0) + 1
                continue
            found.setdefault(name, []).extend(figures)
        if not found:
            raise FeedError(
                "sparecores", "the answers hold no figures.", hint="The data has changed; what is at hand stays."
            )
        machines = {name: format_figures(figures) for name, figures in sorted(found.items())}
        return Fetched(machines=machines, skipped=skipped, missing=tuple(answers.missing))


def _machine(name: str) -> tuple[str, str]:
    found = _MACHINE.fullmatch(name.strip())
    if found is None:
        raise FeedError(
            "sparecores", f"{name[:60]!r} is no machine.", hint="Write it as vendor/server: aws/c8i.4xlarge."
        )
    return VENDORS.get(found[1], found[1]), found[2]


def _provider(vendor: str) -> str:
    return next((ours for ours, theirs in VENDORS.items() if theirs == vendor), vendor)


def _ask(vendor: str, server: str, ask: Asker) -> None:
    where = f"{vendor}/{server}"
    missing = Missing("", provider=_provider(vendor), region=where)

    def get(part: str, file: str) -> Answer | None:
        address = f"{DATA}/{where}/{file}"
        return ask.attempt(missing, lambda: ask.get(part, address, region=where, max_bytes=MAX_BYTES))

    for task in ("lscpu", "bw_mem"):
        if get(task, f"{task}/stdout") is not None:
            get(f"{task} date", f"{task}/meta.json")
    # Small machines run no model: that they were not tried is no failure.
    get("llm", "llm/stdout")


def _read(read: Callable[[Answer, str], Iterator[Figure]], answer: Answer, day: str, now: datetime) -> list[Figure]:
    try:
        return [figure for figure in read(answer, day) if figure.date <= now.date().isoformat()]
    except (FeedError, BrokenRowError):
        return []


def _start(answer: Answer) -> str:
    """The ISO day of a task's meta.json; empty if it has none."""
    try:
        return _day(text(answer.json(), "start"))
    except (FeedError, BrokenRowError):
        return ""


def _day(moment: str | None) -> str:
    try:
        return date.fromisoformat((moment or "")[:10]).isoformat()
    except ValueError:
        return ""


def _url(answer: Answer) -> str:
    return f"{DATA}/{answer.region}/{answer.part}/stdout"


def _lscpu(answer: Answer, day: str) -> Iterator[Figure]:
    """What the machine says of its CPU."""
    told = {text(row, "field"): text(row, "data") for row in items(answer.json(), "lscpu")}
    for field, metric in _LSCPU.items():
        value = told.get(field)
        if value and (metric == "cpu_model" or (value.isascii() and value.isdigit() and 0 < int(value[:6]) < 100_000)):
            yield Figure("lscpu", metric, "", value, "", "", day, _url(answer))


def _bw_mem(answer: Answer, day: str) -> Iterator[Figure]:
    """Memory rates of the largest block that was measured: smaller ones sit in the caches."""
    rates: dict[str, tuple[float, float]] = {}
    for line in answer.text().splitlines():
        words = line.split()
        if len(words) != 3 or words[0] not in _BW_MEM:
            continue
        try:
            size_mb, mb_s = float(words[1]), float(words[2])
        except ValueError:
            continue
        if (
            math.isfinite(mb_s)
            and 0 < mb_s < 1e8
            and math.isfinite(size_mb)
            and size_mb > rates.get(words[0], (0, 0))[0]
        ):
            rates[words[0]] = (size_mb, mb_s)
    for name, (size_mb, mb_s) in rates.items():
        metric = f"{_BW_MEM[name]}_{size_mb:g}mb"
        yield Figure("bw_mem", metric, "", f"{mb_s / 1000:.5g}", "GB/s", "", day, _url(answer))


def _llm(answer: Answer, _: str) -> Iterator[Figure]:
    """llama-bench results, those of a broken line left out."""
    for line in answer.text().splitlines():
        try:
            row = json.loads(line)
            test = _TESTS.get((_whole(row, "n_prompt"), _whole(row, "n_gen")))
            rate, threads, model = number(row, "avg_ts"), _whole(row, "n_threads"), text(row, "model_filename")
            day = _day(text(row, "test_time"))
        except (ValueError, RecursionError):
            continue
        if test is None or model is None or rate is None or not 0 < rate < 1e7 or not 0 < threads < 100_000:
            continue
        name = model.rsplit("/", 1)[-1].removesuffix(".gguf")
        yield Figure("llm", test, name, f"{rate:.6g}", "tokens/s", str(threads), day, _url(answer))


def _whole(row: Any, name: str) -> int:
    value = number(row, name, zero=True)
    if value is None or value != int(value):
        raise BrokenRowError(f"{name} is {value}")
    return int(value)


_READERS: dict[str, Callable[[Answer, str], Iterator[Figure]]] = {"lscpu": _lscpu, "bw_mem": _bw_mem, "llm": _llm}
