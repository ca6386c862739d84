"""Oracle's GPU shapes as its documentation has them: the estimator lacks sizes of the newest and calls some x86 hosts Arm.

Source: docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm, read 2026-11-30; BM.GPU.B300.8 and
BM.GPU.RTXPRO.8 as quoted from it by gpuhunt@027c53d and SkyPilot's fetch_oci. GPUs are in gpu_instances.csv.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuShape:
    """One shape. `product` is how the price list names its GPU."""

    name: str
    product: str
    gpus: int
    ocpus: int
    ram_gib: float
    cpu_model: str | None = None
    """Bare metal has two of them."""
    vcpus_per_ocpu: int = 2


_SAPPHIRE = "Intel Xeon Platinum 8480+"
_SKYLAKE = "Intel Xeon Platinum 8167M"

GPU_SHAPES = (
    GpuShape("BM.GPU2.2", "Bare Metal GPU Standard-X7", 2, 28, 192, _SKYLAKE),
    GpuShape("VM.GPU2.1", "Virtual Machine GPU Standard-X7", 1, 12, 72, _SKYLAKE),
    GpuShape("BM.GPU3.8", "GPU Standard-V2", 8, 52, 768, _SKYLAKE),
    GpuShape("VM.GPU3.1", "GPU Standard-V2", 1, 6, 90, _SKYLAKE),
    GpuShape("VM.GPU3.2", "GPU Standard-V2", 2, 12, 180, _SKYLAKE),
    GpuShape("VM.GPU3.4", "GPU Standard-V2", 4, 24, 360, _SKYLAKE),
    GpuShape("BM.GPU4.8", "E3", 8, 64, 2048, "AMD EPYC 7542"),
    GpuShape("BM.GPU.A100-v2.8", "A100-v2", 8, 128, 2048, "AMD EPYC 7J13"),
    GpuShape("BM.GPU.A10.4", "A10", 4, 64, 1024, "Intel Xeon Platinum 8358"),
    GpuShape("VM.GPU.A10.1", "A10", 1, 15, 240, "Intel Xeon Platinum 8358"),
    GpuShape("VM.GPU.A10.2", "A10", 2, 30, 480, "Intel Xeon Platinum 8358"),
    GpuShape("BM.GPU.L40S.4", "L40S", 4, 112, 1024, _SAPPHIRE),
    GpuShape("BM.GPU.H100.8", "H100", 8, 112, 2048, _SAPPHIRE),
    GpuShape("BM.GPU.H200.8", "H200", 8, 112, 3072, _SAPPHIRE),
    GpuShape("BM.GPU.B200.8", "B200", 8, 128, 4096, "Intel Xeon Platinum 8592+"),
    GpuShape("BM.GPU.B300.8", "B300", 8, 128, 4096),
    GpuShape("BM.GPU.GB200.4", "GB200", 4, 144, 960, "NVIDIA Grace", vcpus_per_ocpu=1),
    GpuShape("BM.GPU.GB300.4", "GB300", 4, 144, 960, "NVIDIA Grace", vcpus_per_ocpu=1),
    GpuShape("BM.GPU.MI300X.8", "MI300X", 8, 112, 2048, _SAPPHIRE),
    GpuShape("BM.GPU.MI355X.8", "MI355X", 8, 128, 3072),
    GpuShape("BM.GPU.RTXPRO.8", "RTX PRO 6000", 8, 144, 3072),
)
BY_NAME = {shape.name: shape for shape in GPU_SHAPES}
