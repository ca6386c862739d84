"""Oracle Cloud: shapes priced by the parts that Oracle's own cost estimator bills them by.

Two keyless lists: prices per part (a GPU hour, an OCPU hour, a GB hour) and shapes made of parts. A GPU's price includes
its share of the host. Prices are the same in every commercial region; which shape is in which is not published.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pricing.errors import FeedError
from pricing.feed import Harvest, flag, items, number, rows, text
from pricing.provider import About, Fetched, Missing, register
from pricing.providers._oci_products import Product, gpu_prices, read_products
from pricing.providers._oci_shapes import BY_NAME, GPU_SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pricing.answers import Answers
    from pricing.asking import Asker

    Parts = Mapping[str, tuple[Any, Product]]
    """What a shape is billed by: "ocpu", "memory", "disk" -> its row and its price."""

PRODUCTS = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/"
ESTIMATOR = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/"
PAGE = "https://www.oracle.com/cloud/price-list/"
REGIONS = ("us-ashburn-1", "eu-amsterdam-1", "eu-stockholm-1", "ap-tokyo-1")
"""A few of some forty regions with the same prices; the European ones are those of the bundled rows."""
PREEMPTIBLE = 0.5
"""Share of on-demand, by docs.oracle.com/iaas/Content/Compute/Concepts/preemptible.htm."""
OCPUS = (1, 2, 4, 8, 16, 32, 64, 128)
GIB_PER_OCPU = (8, 16)
"""What is chosen is billed. Optimized shapes come with 14 GB an OCPU, and 18 OCPUs have at most 256 GB: 8 only."""
ARM_CORES_PER_OCPU = {"A1": 1, "A2": 2, "A4": 2}
"""Ampere cores an OCPU, by the documentation of compute shapes; every x86 OCPU is a core of two threads."""
FLEXIBLE_NOTE = "flexible shape: {each:g} GB per OCPU is one choice of many"
ANYWHERE = "one price in all commercial regions; where it is in stock is not stated"
_DISPLAY_ONLY = re.compile(r"\s*\([^)]*\)$")


@dataclass(frozen=True, slots=True)
class Server:
    """A shape with its price, before it is offered in regions."""

    name: str
    price: float
    vcpus: float | None
    cores: float | None
    ram_gib: float | None
    preemptible: bool = False
    gpu: str | None = None
    gpus: float | None = None
    gpu_gib: float | None = None
    cpu_model: str | None = None
    sockets: int | None = None
    note: str | None = None


@register
class Oci:
    """Compute shapes."""

    about = About(
        "oci",
        "Oracle Cloud",
        "prices",
        kinds=("gpu", "cpu"),
        covers=(("gpu", "on_demand"), ("gpu", "spot"), ("cpu", "on_demand"), ("cpu", "spot")),
        regional=True,
        regions=REGIONS,
        hosts=("apexapps.oracle.com", "www.oracle.com"),
        verified="2026-08",
        cannot=(
            "which region has which shape",
            "stock",
            "spot prices of a market: preemptible is half by rule",
            "disks",
        ),
        page=PAGE,
    )

    def fetch(self, ask: Asker) -> None:
        """The price list, or the estimator's copy of it, and the shapes. Raises FeedError."""
        # The label carries the regions that are wanted to `parse`: the lists know none.
        regions = " ".join(ask.regions)
        try:
            ask.get("products", PRODUCTS, params={"currencyCode": "USD"}, region=regions)
        except FeedError:
            ask.get("estimator", f"{ESTIMATOR}products.json", region=regions)
        if ask.attempt(Missing("", kind="cpu"), lambda: ask.get("shapes", f"{ESTIMATOR}shapes.json")) is None:
            ask.answers.missing[-1:] = without_shapes(ask.answers.missing[-1].reason)

    def parse(self, answers: Answers, now: datetime) -> Fetched:
        """Offers of the shapes whose parts all have a price. Raises FeedError."""
        harvest = Harvest.at("oci", "OCI price list and cost estimator shapes", PAGE, now)
        listed, copied, shapes = answers.first("products"), answers.first("estimator"), answers.first("shapes")
        source = listed or copied
        if source is None:
            return harvest.done(answers.missing)
        products = read_products(source.json(), harvest, named=listed is not None)
        harvest.check()
        missing = list(answers.missing)
        servers: dict[str, Server] = {}
        if shapes is not None:
            try:
                servers = read_shapes(shapes.json(), products, harvest)
            except FeedError as error:
                missing += without_shapes(error.message)
        for server in documented(gpu_prices(products)):
            servers.setdefault(server.name, server)
        for server in servers.values():
            for region in (source.region or "").split() or REGIONS:
                _offer(server, region, harvest)
        return harvest.done(missing)


def without_shapes(reason: str) -> list[Missing]:
    """What keeps its last rows without the estimator's list: only on-demand GPU shapes are documented."""
    return [Missing(reason, kind="cpu"), Missing(reason, kind="gpu", term="spot")]


def read_shapes(answer: Any, products: Mapping[str, Product], harvest: Harvest) -> dict[str, Server]:
    """The estimator's shapes as servers by name. Raises FeedError if the list is not in the known shape."""
    found: dict[str, Server] = {}
    shapes = Harvest("oci", harvest.source, PAGE, harvest.now)
    shapes.each(
        rows("oci", answer, "items"),
        lambda row: found.update({server.name: server for server in read_shape(row, products, shapes)}),
    )
    shapes.check()
    harvest.skipped += shapes.skipped + shapes.broken
    return found


def documented(prices: Mapping[str, float]) -> Iterator[Server]:
    """GPU shapes of the documentation whose GPU the list has a price for."""
    for shape in GPU_SHAPES:
        price = prices.get(shape.product)
        if price is not None:
            yield _gpu_server(shape.name, price, shape.gpus, None, None)


def read_shape(row: Any, products: Mapping[str, Product], harvest: Harvest) -> Iterator[Server]:
    """A shape of the estimator as servers: one, or several sizes of a flexible one. Raises BrokenRowError."""
    name = _DISPLAY_ONLY.sub("", text(row, "name") or "")
    if not name.startswith(("BM.", "VM.")) or flag(row, "hidden") or text(row, "status") not in {None, "ACTIVE"}:
        harvest.skip("shape that is not on sale")
        return
    parts: dict[str, tuple[Any, Product]] = {}
    for part in items(row, "products"):
        product = products.get(text(part, "partNumber") or "")
        if product is None:
            harvest.skip("a part of the shape has no price")
            return
        parts[text(part, "type", "value") or ""] = (part, product)
    if "ocpu" not in parts:
        harvest.skip("shape without OCPUs")
        return
    gpus = number(row, "gpuQty")
    if gpus or text(row, "subType", "value") == "gpu":
        ocpu, product = parts["ocpu"]
        if not gpus or product.metric not in {"", "GPU Per Hour"}:
            harvest.skip("GPU shape not priced by the GPU")
            return
        yield _gpu_server(name, product.usd_per_hour, gpus, number(ocpu, "qty"), row)
    elif text(row, "subType", "value") == "flexible":
        yield from _sizes(name, parts, row, harvest)
    else:
        yield from _fixed(name, parts, row, harvest)


def _gpu_server(name: str, price: float, gpus: float, ocpus: float | None, row: Any) -> Server:
    known = BY_NAME.get(name)
    memory = number(row, "gpuMemoryQty")
    if known:
        ocpus = float(known.ocpus)
        vcpus: float | None = ocpus * known.vcpus_per_ocpu
    else:
        # Grace hosts, which have one thread a core, are listed as "blackwell" like x86 ones.
        vcpus = ocpus * 2 if ocpus and ".GPU.GB" not in name else None
    return Server(
        name=name,
        price=price * gpus,
        vcpus=vcpus,
        cores=ocpus,
        ram_gib=known.ram_gib if known else number(row, "bundleMemoryQty"),
        preemptible=flag(row, "allowPreemptible") or False,
        gpu=known.product if known else name.removeprefix("BM.").removeprefix("VM."),
        gpus=gpus,
        gpu_gib=memory / gpus if memory else None,
        cpu_model=known.cpu_model if known else None,
        sockets=2 if known and known.cpu_model and name.startswith("BM.") else None,
    )


def _fixed(name: str, parts: Parts, row: Any, harvest: Harvest) -> Iterator[Server]:
    amounts = {kind: number(part, "qty") for kind, (part, _) in parts.items()}
    if None in amounts.values():
        harvest.skip("shape without quantities")
        return
    price = sum((amounts[kind] or 0.0) * product.usd_per_hour for kind, (_, product) in parts.items())
    ram_gib = amounts.get("memory") or number(row, "bundleMemoryQty")
    yield _cpu_server(name, name, price, amounts["ocpu"] or 0.0, ram_gib, row)


def _sizes(name: str, parts: Parts, row: Any, harvest: Harvest) -> Iterator[Server]:
    """Sizes of a flexible shape within the limits that the estimator states: doubling OCPUs, two amounts of memory."""
    if set(parts) != {"ocpu", "memory"}:
        harvest.skip("flexible shape with local disks")
        return
    (ocpu, cpu), (memory, ram) = parts["ocpu"], parts["memory"]
    largest, most_gib = number(ocpu, "max"), number(memory, "max")
    if largest is None or most_gib is None:
        harvest.skip("flexible shape without limits")
        return
    fewest, least_gib = number(ocpu, "min") or 1, number(memory, "min") or 1
    for count in OCPUS:
        for each in GIB_PER_OCPU:
            gib = float(count * each)
            if not (fewest <= count <= largest and least_gib <= gib <= most_gib) or (each > 8 and "Optimized" in name):
                continue
            price = count * cpu.usd_per_hour + gib * ram.usd_per_hour
            size = f"{name}.{count}OCPU.{gib:g}GB"
            yield _cpu_server(name, size, price, count, gib, row, FLEXIBLE_NOTE.format(each=each))


def _cpu_server(
    shape: str, name: str, price: float, ocpus: float, ram_gib: float | None, row: Any, note: str | None = None
) -> Server:
    arm = next((family for family in ARM_CORES_PER_OCPU if f".{family}." in shape), None)
    if arm is None and text(row, "processorType", "value") == "arm":
        cores = vcpus = None
    else:
        cores = ocpus * ARM_CORES_PER_OCPU.get(arm or "", 1)
        vcpus = cores if arm else ocpus * 2
    return Server(name, price, vcpus, cores, ram_gib, flag(row, "allowPreemptible") or False, note=note)


def _offer(server: Server, region: str, harvest: Harvest) -> None:
    terms = [("on_demand", server.price, "listed")]
    if server.preemptible:
        terms.append(("spot", server.price * PREEMPTIBLE, "derived"))
    for term, price, basis in terms:
        harvest.add(
            server=server.name,
            region=region,
            vcpus=server.vcpus,
            cores=server.cores,
            ram_gib=server.ram_gib,
            cpu_model=server.cpu_model,
            cpu_basis="documented" if server.cpu_model else None,
            sockets=server.sockets,
            gpu_model=server.gpu,
            gpu_count=server.gpus,
            vram_gib_per_gpu=server.gpu_gib,
            term=term,
            price_per_hour=round(price, 6),
            price_basis=basis,
            note="; ".join(filter(None, (server.note, ANYWHERE))),
        )
