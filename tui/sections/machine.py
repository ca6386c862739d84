"""The machine of an offer, and what to watch on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from tui import format as fmt
from tui.rows import short_cpu
from tui.text import Section, TextLine

if TYPE_CHECKING:
    from pricing.offer import Offer
    from tui.rows import Rows


UNKNOWN = (
    "No estimate is made for it. `rackrate catalog hardware` lists the names it knows; a newer rackrate may know more."
)
"""What to do about hardware that the catalog does not have."""


def machine(rows: Rows, i: int) -> Section:
    """Chips or cores, host, memory speed, disk."""
    offer = rows.offer(i)
    facts = [rows.hardware(i) if offer.cores or not offer.vcpus else rows.hardware(i).replace("v ", " vCPU ", 1)]
    if offer.kind == "gpu":
        host = [
            f"{offer.vcpus:g} vCPU" if offer.vcpus else f"{offer.cores:g} cores" if offer.cores else "",
            short_cpu(offer.cpu_model) if offer.cpu_model else "",
            f"{offer.ram_gib:.4g} GiB RAM" if offer.ram_gib else "",
        ]
        facts.append("host " + (" ".join(part for part in host if part) or "not stated"))
        if offer.interconnect and offer.interconnect != "none":
            facts.append(offer.interconnect)
        if offer.pcie_gb_s_measured:
            facts.append(f"PCIe {offer.pcie_gb_s_measured:.3g} GB/s measured")
    elif memory := memory_speed(offer):
        facts.append(memory)
    if offer.numa_nodes and offer.numa_nodes > 1:
        facts.append(f"{offer.numa_nodes} NUMA nodes")
    if offer.storage:
        facts.append(offer.storage)
    load = rows.value("load_s", i)
    if load is not None:
        facts.append(f"loads the weights in {fmt.duration(load * 1000)}")
    return Section("Machine", [[("; ".join(facts), "text")]])


def memory_speed(offer: Offer) -> str:
    """Channels and speed of a CPU server's memory: the offer's where it states them, else the platform's, said to be assumed."""
    if offer.memory_channels and offer.memory_mts:
        return f"{offer.memory_channels:g} channels × {offer.memory_mts:g} MT/s"
    cpu = catalog.find_cpu(offer.cpu_model) if offer.cpu_model else None
    if cpu is None or not cpu.memory_channels or not (offer.memory_mts or cpu.memory_mts):
        return f"memory at {offer.memory_mts:g} MT/s" if offer.memory_mts else ""
    speed = f"{offer.memory_mts:g} MT/s" if offer.memory_mts else f"{cpu.memory_mts:g} MT/s"
    whole = "all populated" if offer.memory_mts else "the platform's"
    return f"{cpu.memory_channels} channels a socket × {speed} (assumed: {whole})"


def watch(rows: Rows, i: int) -> Section | None:
    """What misses a target and what to be careful about; None where there is nothing."""
    lines: list[TextLine] = []
    if reason := rows.reason(i):
        lines.append([("! ", "miss"), (reason, "text")])
        if not rows.comparison.market.known_hardware[i]:
            lines.append([(UNKNOWN, "muted")])
    lines += [[("! ", "miss"), (warning, "text")] for warning in rows.warnings(i)]
    return Section("Watch", lines, wide=True) if lines else None
