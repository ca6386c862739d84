"""The gpuhunt catalogue (dstack): GPU servers of several clouds, gathered there from keyed APIs, one zipped CSV a cloud.

Prices are dollars per hour of the whole instance, on-demand and spot in rows of their own. Only the instance families that dstack
can start are listed, so nothing bundled is replaced as a whole. No licence is stated for the data: figures are taken, not files.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from datetime import date
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import BrokenRowError, Harvest, decimal, text
from pricing.identity import find_gpu
from pricing.provider import About, Fetched, Missing, register
from pricing.providers._catalogue import Listed, spelling, table_rows, unnamed_gpu, whole_row

if TYPE_CHECKING:
    from datetime import datetime

    from pricing.answers import Answer, Answers
    from pricing.asking import Asker

HOST = "dstack-gpu-pricing.s3.eu-west-1.amazonaws.com"
PAGE = "https://github.com/dstackai/gpuhunt"
CLOUDS = {
    "aws": "aws",
    "azure": "azure",
    "cloudrift": "cloudrift",
    "gcp": "gcp",
    "lambdalabs": "lambda",
    "nebius": "nebius",
    "oci": "oci",
    "runpod": "runpod",
    "verda": "verda",
}
"""The catalogue's name of a cloud -> ours."""
COLUMNS = ("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot")
MAX_UNZIPPED_BYTES = 200 * 1024 * 1024
GB_PER_GIB = 1.074
"""Lambda's GiB are listed multiplied by this, all others' as they are."""
_VERSION = re.compile(r"(\d{8})-\d{1,6}")
_A10_SLICE = re.compile(r"ads_A10_v[45]$")
_VERDA_SXM = re.compile(r"\.\d+S\.")


@register
class GpuHunt:
    """GPU servers of nine clouds, as far as their own feeds are not at hand."""

    about = About(
        "gpuhunt",
        "gpuhunt catalogue (dstack)",
        "prices",
        kinds=("gpu", "cpu"),
        hosts=(HOST,),
        serves=tuple(CLOUDS.values()),
        time_limit_s=180.0,
        cannot=("instance families that dstack does not start", "stock", "disk", "local SSDs that Google bills apart"),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """A version and a zipped CSV a cloud. Raises FeedError if there is none of any."""

        def one(cloud: str, helper: Asker) -> None:
            helper.attempt(Missing("", provider=CLOUDS[cloud]), lambda: _ask(cloud, helper))

        for provider in sorted(ask.answered & set(CLOUDS.values())):
            ask.answers.missing.append(Missing("its own feed has answered", provider=provider, asked=False))
        ask.together([partial(one, cloud) for cloud, provider in CLOUDS.items() if provider not in ask.answered])
        if not any(answer.part.startswith("catalog ") for answer in ask.answers):
            why = next((part.reason for part in ask.answers.missing if part.asked), "no cloud was asked about.")
            raise FeedError("gpuhunt", why, hint="Old prices stay in use.")

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of all clouds; one whose file cannot be read is missing. Raises FeedError if none can."""
        harvest = Harvest.at("gpuhunt", "gpuhunt catalogue", PAGE, now)
        missing = list(answers.missing)
        for cloud, provider in CLOUDS.items():
            version, catalog = answers.first(f"version {cloud}"), answers.first(f"catalog {cloud}")
            if version is None or catalog is None:
                continue
            take = partial(_read, cloud, version, catalog)
            missing += harvest.part(take, Missing("", provider=provider))
        return harvest.done_with_some(missing)


def _ask(cloud: str, ask: Asker) -> None:
    answer = ask.get(f"version {cloud}", f"https://{HOST}/v3/{cloud}/version", max_bytes=1024)
    _day(answer)
    ask.get(f"catalog {cloud}", f"https://{HOST}/v3/{cloud}/{answer.text().strip()}/catalog.zip")


def _day(version: Answer) -> str:
    """The day in a version such as 20260818-42. Raises FeedError: it becomes part of an address."""
    found = _VERSION.fullmatch(version.text().strip())
    try:
        return date.fromisoformat(found[1] if found else "").isoformat()
    except ValueError:
        hint = "The feed has changed; old prices stay in use."
        raise FeedError("gpuhunt", "the version is none.", hint=hint) from None


def _read(cloud: str, version: Answer, catalog: Answer, harvest: Harvest) -> None:
    """Offers of one cloud's zip. Raises FeedError."""
    day = _day(version)
    listed = Listed(harvest)
    hint = "Old prices stay in use."
    try:
        with zipfile.ZipFile(io.BytesIO(catalog.body)) as archive:
            files = [entry for entry in archive.infolist() if entry.filename.endswith(".csv")]
            if len(files) != 1 or sum(entry.file_size for entry in archive.infolist()) > MAX_UNZIPPED_BYTES:
                raise FeedError("gpuhunt", f"the archive of {cloud} is not one list of a sane size.", hint=hint)
            # The file is read in memory under no name of its own; a reader stops at the size that was just checked.
            with archive.open(files[0]) as packed, io.TextIOWrapper(packed, "utf-8", newline="") as lines:
                rows = table_rows("gpuhunt", cloud, lines, COLUMNS)
                harvest.each(rows, lambda row: _row(cloud, row, listed))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise FeedError("gpuhunt", f"the archive of {cloud} is damaged.", hint=hint) from error
    listed.add_all(day)


def _row(cloud: str, row: dict[str, Any], listed: Listed) -> None:
    whole_row(row)
    name, price = text(row, "instance_name"), decimal(row, "price")
    if name is None or price is None:
        listed.harvest.skip("no price")
        return
    if text(row, "gpu_vendor") == "google" or name.startswith("tpu-"):
        listed.harvest.skip("TPU slice")
        return
    if "runpod-cluster" in (text(row, "flags") or "").split():
        listed.harvest.skip("cluster of several machines")
        return
    spot = {"True": True, "False": False}.get(text(row, "spot") or "")
    if spot is None:
        raise BrokenRowError("spot is neither True nor False")
    machine = _machine(cloud, name, row)
    location = text(row, "location")
    if not machine["gpu_model"] and unnamed_gpu(CLOUDS[cloud], name):
        listed.harvest.skip("accelerator that the list does not name")
        return
    tier = None
    if cloud == "runpod":
        # Its own cloud is listed by data centre (US-TX-3), its partners' by country (US).
        tier = "secure" if location and "-" in location else "community"
    if cloud == "gcp" and location:
        location = location.rpartition("-")[0]
    price = round(price, 6)
    key = (CLOUDS[cloud], _server(cloud, name, machine), location, tier)
    listed.take(key, machine, None if spot else price, price if spot else None)


def _machine(cloud: str, name: str, row: dict[str, Any]) -> dict[str, Any]:
    count, gpu, memory = decimal(row, "gpu_count"), text(row, "gpu_name"), decimal(row, "gpu_memory")
    ram = decimal(row, "memory")
    machine = {
        "vcpus": decimal(row, "cpu"),
        "ram_gib": _gib(ram) if cloud == "lambdalabs" and ram else ram,
        "gpu_model": None,
        "gpu_count": None,
        "vram_gib_per_gpu": None,
    }
    if gpu is None or count is None:
        return machine
    # RunPod's instances are named by the card itself, more exactly than the catalogue does.
    spelled = name if cloud == "runpod" else spelling(gpu, name)
    if cloud == "verda" and _VERDA_SXM.search(name):
        spelled = f"{gpu} SXM"
    if memory and cloud == "azure" and count == 1 and _A10_SLICE.search(name):
        count = _share_of_a10(memory)
    if count >= 1:
        memory = _memory(spelled, memory, count)
    return machine | {"gpu_model": spelled, "gpu_count": count, "vram_gib_per_gpu": memory}


@lru_cache(maxsize=1024)
def _memory(spelled: str, stated: float | None, count: float) -> float | None:
    """GiB per GPU: as stated, else without the factor for GB, else a total over all GPUs; whichever the catalog knows."""
    if stated is None:
        return None
    readings = (stated, stated / GB_PER_GIB, stated / count)
    return next((one for one in readings if find_gpu(spelled, one)), stated)


def _share_of_a10(memory_gib: float) -> float:
    whole = find_gpu("A10")
    return round(memory_gib / whole.memory_gib, 4) if whole else 1.0


def _gib(listed_gb: float) -> float:
    return round(listed_gb / GB_PER_GIB, 2)


def _server(cloud: str, name: str, machine: dict[str, Any]) -> str:
    """The provider's name of the instance; where one name is sold in several sizes, with what tells them apart."""
    count, gpu = machine["gpu_count"], machine["gpu_model"]
    if cloud == "azure":
        return name.removeprefix("Standard_")
    if cloud == "gcp" and gpu and name.startswith("n1-"):
        return f"{name}+{f'{count:g}x' if count > 1 else ''}{gpu.lower()}"
    if cloud == "runpod" and gpu and count > 1:
        return f"{name} x{count:g}"
    if cloud == "nebius" and " " in name:
        return name.replace(" ", "_")
    if cloud == "nebius" and "vcpu-" not in name and machine["vcpus"] and machine["ram_gib"]:
        gpus = f"{count:g}gpu-" if gpu else ""
        return f"{name}_{gpus}{machine['vcpus']:g}vcpu-{machine['ram_gib']:g}gb"
    return name
