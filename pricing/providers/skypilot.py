"""The SkyPilot catalogue: every instance type of some clouds, one row an availability zone, gathered there (Apache-2.0).

Prices are dollars per hour. Google's GPUs are rows of their own, to be added to the machine they are part of; 700 stands for
"no price". Memory figures of GPUs are in mixed units and not read. Mithril's list holds bid floors and is not asked for.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import MIB_PER_GIB, Harvest, decimal, number, text
from pricing.provider import About, Fetched, Missing, register
from pricing.providers._catalogue import Listed, lines_of, spelling, table_rows, unnamed_gpu, whole_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

HOST = "raw.githubusercontent.com"
ADDRESS = "https://{host}/skypilot-org/skypilot-catalog/master/catalogs/{version}/{cloud}/vms.csv"
PAGE = "https://github.com/skypilot-org/skypilot-catalog"
VERSIONS = ("v9", "v8")
"""Newest first. A list that only an older version has is no longer renewed: its rows stay undated."""
CLOUDS = {"aws": True, "azure": True, "gcp": True, "cudo": False, "nebius": False}
"""Clouds asked for -> whether their list is renewed by itself; the others' rows stay undated."""
COLUMNS = ("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price", "SpotPrice", "Region")
NO_PRICE = 700.0
LOCAL_SSD_EXTRA = "local SSD billed apart"
_SIZED = re.compile(r"^(.+?)-(\d{1,3})GB$")
_GPU_INFO_CHARS = 2000
_GPUS_IN_NAME = re.compile(r"-(\d{1,2})g(?:-|$)")

GOOGLE = {
    "a2-highgpu": ("A100", "A100-40GB-SXM4"),
    "a2-megagpu": ("A100", "A100-40GB-SXM4"),
    "a2-ultragpu": ("A100-80GB", "A100-80GB-SXM4"),
    "a3-edgegpu": ("H100", "H100-80GB-SXM5"),
    "a3-highgpu": ("H100", "H100-80GB-SXM5"),
    "a3-megagpu": ("H100-MEGA", "H100-80GB-SXM5"),
    "a3-ultragpu": ("H200", "H200-141GB-SXM"),
    "a4-highgpu": ("B200", "B200-180GB-SXM"),
    "g2-standard": ("L4", "L4"),
}
"""Google's GPU machine families -> name of the accelerator row that is part of them, chip
(cloud.google.com/compute/docs/gpus, 2026)."""
G2_GPUS = {"24": 2, "48": 4, "96": 8}
"""vCPUs of a g2-standard -> L4s; all other sizes have one."""
WITH_LOCAL_SSD = ("a2-ultragpu", "a3-", "a4-")


@register
class SkyPilot:
    """Servers of several clouds, as far as their own feeds are not at hand."""

    about = About(
        "skypilot",
        "SkyPilot catalogue",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("cpu", "on_demand"), ("cpu", "spot"), ("gpu", "on_demand"), ("gpu", "spot")),
        hosts=(HOST,),
        serves=tuple(CLOUDS),
        on_request=True,
        time_limit_s=180.0,
        cannot=("stock", "disk", "T4, P100 and V100 that Google attaches to a host of your choice", "TPUs"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """One CSV a cloud. Raises FeedError if there is none of any."""

        def one(cloud: str, helper: Asker) -> None:
            helper.attempt(Missing("", provider=cloud), lambda: _ask(cloud, helper))

        ask.together([partial(one, cloud) for cloud in CLOUDS])
        if not ask.answers.items:
            raise FeedError("skypilot", ask.answers.missing[0].reason, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of all clouds; one whose file cannot be read is missing. Raises FeedError if none can."""
        harvest = Harvest.at("skypilot", "SkyPilot catalogue", PAGE, now)
        missing = list(answers.missing)
        for cloud, renewed in CLOUDS.items():
            version = next((one for one in VERSIONS if answers.first(f"{one} {cloud}")), None)
            if version is None or (answer := answers.first(f"{version} {cloud}")) is None:
                continue
            take = partial(_take, cloud, answer, harvest.now[:10] if renewed and version == VERSIONS[0] else None)
            source = f"SkyPilot catalogue {version}, {cloud}"
            missing += harvest.part(take, Missing("", provider=cloud), source=source)
        return harvest.done_with_some(missing)


def _take(cloud: str, answer: Answer, seen: str | None, harvest: Harvest) -> None:
    parse_cloud(cloud, answer.text(), harvest, seen)


def _ask(cloud: str, ask: Asker) -> None:
    for version in VERSIONS:
        try:
            ask.get(f"{version} {cloud}", ADDRESS.format(host=HOST, version=version, cloud=cloud))
        except FeedError as error:
            if error.status != 404 or version == VERSIONS[-1]:
                raise
        else:
            return


def parse_cloud(cloud: str, body: str, harvest: Harvest, source_date: str | None) -> None:
    """Offers of one cloud's list. Raises FeedError if it is not one."""
    listed = Listed(harvest)
    needed = COLUMNS if cloud != "gcp" else (*COLUMNS, "AvailabilityZone")
    rows = table_rows("skypilot", cloud, lines_of(body), needed)
    if cloud == "gcp":
        _google(list(rows), listed)
    else:
        harvest.each(rows, lambda row: _row(cloud, row, listed))
    listed.add_all(source_date)


def _row(cloud: str, row: dict[str, Any], listed: Listed) -> None:
    whole_row(row)
    facts = (row["AcceleratorName"], row["AcceleratorCount"], row["vCPUs"], row["MemoryGiB"], row.get("GpuInfo") or "")
    server, machine = _instance(cloud, row["InstanceType"], *facts)
    if machine is None:
        listed.harvest.skip(server)
        return
    key = (cloud, server, _name(row["Region"]), None)
    listed.take(key, machine, _price(row, "Price"), _price(row, "SpotPrice"))


@lru_cache(maxsize=8192)
def _instance(
    cloud: str, instance: str, accelerator: str, count: str, vcpus: str, memory_gib: str, gpu_info: str
) -> tuple[str, dict[str, Any] | None]:
    """A server's name and facts, the same in each of its zones; a reason and None if it is none. Raises BrokenRowError."""
    name = _name(instance)
    if name is None:
        return "accelerator without a host", None
    gpu, number_of = _name(accelerator), decimal({"AcceleratorCount": count}, "AcceleratorCount")
    if gpu is None and unnamed_gpu(cloud, name):
        return "accelerator that the list does not name", None
    row = {"vCPUs": vcpus, "MemoryGiB": memory_gib}
    machine: dict[str, Any] = {"vcpus": decimal(row, "vCPUs"), "ram_gib": decimal(row, "MemoryGiB")}
    if gpu is not None and number_of is not None:
        model, memory = _gpu(cloud, gpu, gpu_info)
        machine |= {"gpu_model": spelling(model, name), "gpu_count": number_of, "vram_gib_per_gpu": memory}
    return name.removeprefix("Standard_") if cloud == "azure" else name, machine


@lru_cache(maxsize=4096)
def _name(cell: str) -> str | None:
    return text({"name": cell}, "name")


def _price(row: dict[str, Any], column: str) -> float | None:
    price = decimal(row, column)
    return None if price == NO_PRICE else price


def _gpu(cloud: str, accelerator: str, gpu_info: str) -> tuple[str, float | None]:
    """A GPU's name, and its memory in GiB where the name tells it ("A100-80GB").

    The list's memory field holds GiB, MiB, totals or 0, from cloud to cloud; only Cudo's is known to be MiB per GPU.
    """
    sized = _SIZED.match(accelerator)
    info = _one_gpu(gpu_info)
    if sized:
        return info.get("Name") or sized[1], float(sized[2])
    mib = info.get("MemoryInfo") if cloud == "cudo" else None
    return accelerator, mib / MIB_PER_GIB if mib else None


def _one_gpu(gpu_info: str) -> dict[str, Any]:
    """Name and memory of the one kind of GPU in a text such as "{'Gpus': [{'Name': 'A100 PCIe', ...}]}"; {} if it is another."""
    if not gpu_info.startswith("{") or len(gpu_info) > _GPU_INFO_CHARS:
        return {}
    try:
        (gpu,) = ast.literal_eval(gpu_info)["Gpus"]
        return {"Name": text(gpu, "Name"), "MemoryInfo": number(gpu, "MemoryInfo", "SizeInMiB")}
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        return {}


def _google(rows: list[dict[str, Any]], listed: Listed) -> None:
    """Machines with the price of the GPUs that are part of them, zone by zone."""
    gpus: dict[tuple[str, float, str], tuple[float | None, float | None]] = {}
    listed.harvest.each(rows, lambda row: _google_gpu(row, gpus, listed))
    listed.harvest.each((row for row in rows if row.get("InstanceType")), _google_machine(gpus, listed))


def _google_gpu(row: dict[str, Any], gpus: dict[Any, Any], listed: Listed) -> None:
    whole_row(row)
    name, count, zone = text(row, "AcceleratorName"), decimal(row, "AcceleratorCount"), text(row, "AvailabilityZone")
    if text(row, "InstanceType") or name is None or count is None or zone is None:
        return
    if name.startswith("tpu"):
        listed.harvest.skip("TPU slice")
        return
    gpus[name, count, zone] = (_price(row, "Price"), _price(row, "SpotPrice"))


def _google_machine(gpus: dict[Any, Any], listed: Listed) -> Callable[[dict[str, Any]], None]:
    def take(row: dict[str, Any]) -> None:
        name, zone = text(row, "InstanceType") or "", text(row, "AvailabilityZone")
        machine: dict[str, Any] = {"vcpus": decimal(row, "vCPUs"), "ram_gib": decimal(row, "MemoryGiB")}
        full, spot = _price(row, "Price"), _price(row, "SpotPrice")
        part = _google_part(name)
        if part is not None:
            accelerator, chip, count = part
            gpu_full, gpu_spot = gpus.get((accelerator, count, zone), (None, None))
            full = round(full + gpu_full, 6) if full and gpu_full else None
            spot = round(spot + gpu_spot, 6) if spot and gpu_spot else None
            machine |= {"gpu_model": chip, "gpu_count": count}
            if name.startswith(WITH_LOCAL_SSD):
                machine["note"] = LOCAL_SSD_EXTRA
        elif "gpu" in name or unnamed_gpu("gcp", name):
            listed.harvest.skip("accelerator that the list does not name")
            return
        listed.take(("gcp", name, text(row, "Region"), None), machine, full, spot)

    return take


@lru_cache(maxsize=1024)
def _google_part(machine: str) -> tuple[str, str, float] | None:
    """(name of the accelerator row, chip, number) of the GPUs in a machine type; None if it has none that we know."""
    family, _, size = machine.rpartition("-") if machine.startswith("g2-") else (machine, "", "")
    if family == "g2-standard":
        return (*GOOGLE[family], float(G2_GPUS.get(size, 1)))
    found = _GPUS_IN_NAME.search(machine)
    part = GOOGLE.get(machine[: found.start()]) if found else None
    return (*part, float(found[1])) if part and found else None
