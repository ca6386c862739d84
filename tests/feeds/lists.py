"""Lists that others keep, invented: exchange rates, token prices, catalogues of several clouds, measured machines."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import TYPE_CHECKING

from feeds.asked import DAY, NOT_FOUND, PAYLOADS, USD_PER_VCPU_HOUR, Reply, as_json, as_text, card_usd

if TYPE_CHECKING:
    from collections.abc import Iterable

    from feeds.asked import Ask

RATES = {"USD": 1.131, "GBP": 0.8612, "CHF": 0.9384, "PLN": 4.2511, "SEK": 11.013, "JPY": 171.25, "CZK": 24.19}
"""Those of payloads/ecb.xml among them: both feeds pass on the same fixing."""
LITELLM_MODELS, OPENROUTER_MODELS = 4800, 400
SKYPILOT_ROWS = {"aws": 60_000, "azure": 45_000, "gcp": 30_000, "cudo": 3000, "nebius": 200}
GPUHUNT_ROWS = {"aws": 9000, "azure": 40_000, "gcp": 30_000, "oci": 3000}
GPUHUNT_VERSION = "20261126-42"
_INFO = (
    "{{'Gpus': [{{'Name': '{0}', 'Manufacturer': 'NVIDIA', 'Count': {1}, 'MemoryInfo': {{'SizeInMiB': {2}}}}}], "
    "'TotalGpuMemoryInMiB': {2}}}"
)


def ecb(ask: Ask) -> Reply:
    """The daily fixing."""
    return Reply((PAYLOADS / "ecb.xml").read_bytes(), 200, {"Content-Type": "text/xml"})


def frankfurter(ask: Ask) -> Reply:
    """The same as JSON."""
    return as_json({"amount": 1.0, "base": "EUR", "date": DAY, "rates": RATES})


def litellm(ask: Ask) -> Reply:
    """A table of models by name."""
    table = json.loads((PAYLOADS / "litellm_prices.json").read_bytes())
    for number in range(LITELLM_MODELS if ask.big else 20):
        table[f"vendor{number % 90}/model-{number}"] = {
            "litellm_provider": f"vendor{number % 90}",
            "mode": "chat",
            "input_cost_per_token": 1e-7 * (1 + number % 30),
            "output_cost_per_token": 4e-7 * (1 + number % 30),
            "max_input_tokens": 131_072,
            "max_output_tokens": 8192,
            "max_tokens": 8192,
            "supports_function_calling": True,
            "supports_tool_choice": True,
            "supports_response_schema": True,
            "source": "https://vendor.example/pricing",
        }
    return as_json(table)


def openrouter(ask: Ask) -> Reply:
    """A list of models."""
    data = json.loads((PAYLOADS / "openrouter_models.json").read_bytes())["data"]
    for number in range(OPENROUTER_MODELS if ask.big else 20):
        data.append(
            {
                "id": f"vendor{number % 40}/model-{number}",
                "canonical_slug": f"vendor{number % 40}/model-{number}",
                "name": f"Vendor: Model {number}",
                "description": "An invented model. " * (20 if ask.big else 1),
                "context_length": 131_072,
                "architecture": {"modality": "text->text", "tokenizer": "Other"},
                "pricing": {
                    "prompt": f"{1e-7 * (1 + number % 30):.9f}",
                    "completion": f"{4e-7 * (1 + number % 30):.9f}",
                },
                "top_provider": {"context_length": 131_072, "max_completion_tokens": 16_384},
                "supported_parameters": ["max_tokens", "temperature", "tools"],
            }
        )
    return as_json({"data": data})


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def skypilot(ask: Ask) -> Reply:
    """A cloud's list in the newest version that has it."""
    found = re.fullmatch(r"/skypilot-org/skypilot-catalog/master/catalogs/(v\d)/(\w+)/vms\.csv", ask.path)
    if found is None or found[2] not in SKYPILOT_ROWS or (found[2] == "cudo") != (found[1] == "v8"):
        return NOT_FOUND
    cloud = found[2]
    header = ("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "GpuInfo", "Price", "SpotPrice",
              "Region", "AvailabilityZone")  # fmt: skip
    count = SKYPILOT_ROWS[cloud] if ask.big else 12
    return as_text(_csv(header, (_skypilot_row(cloud, number) for number in range(count))))


def _skypilot_row(cloud: str, number: int) -> tuple[object, ...]:
    place, vcpus = f"{cloud[:2]}-test-{number // 3 % 30}", 2 ** (1 + number // 90 % 6)
    zone = f"{place}-{'abc'[number % 3]}"
    if number % 11 == 5 and cloud in {"cudo", "nebius"}:
        card, usd = "L40S", card_usd("L40S", 48) * 2
        info = _INFO.format(card, 2, 49_152)
        return f"gpu-l40s_2gpu-{number // 90}", card, 2, 32, 192, info, usd, round(usd * 0.5, 4), place, zone
    prefix = {"azure": "Standard_D", "gcp": "n2-standard-", "aws": "m7i."}.get(cloud, "cpu-")
    usd = vcpus * USD_PER_VCPU_HOUR
    name = f"{prefix}{vcpus}x{number // 540}"
    return name, "", "", float(vcpus), vcpus * 4.0, "", usd, round(usd * (0.3 + number % 3 / 10), 4), place, zone


def gpuhunt(ask: Ask) -> Reply:
    """A cloud's version and its zipped list."""
    found = re.fullmatch(r"/v3/(\w+)/(?:version|20\d{6}-\d+/catalog\.zip)", ask.path)
    if found is None:
        return NOT_FOUND
    if ask.path.endswith("/version"):
        return as_text(f"{GPUHUNT_VERSION}\n")
    cloud = found[1]
    header = ("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot",
              "disk_size", "gpu_vendor", "flags", "provider_data")  # fmt: skip
    rows = []
    for number in range(GPUHUNT_ROWS.get(cloud, 300) if ask.big else 10):
        count = (1, 2, 4, 8)[number // 2 % 4]
        usd = round(card_usd("L40S", 48) * count * (0.4 if number % 2 else 1.0), 4)
        name = "NVIDIA L40S" if cloud == "runpod" else f"gpu-l40s-{count}-{number // 240}"
        place = f"{cloud[:2]}-test-{number // 8 % 30}-a"
        spot = "True" if number % 2 else "False"
        rows.append((name, place, usd, 16 * count, 96.0 * count, count, "L40S", 48.0, spot, "", "nvidia", "", ""))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"{cloud}.csv", (2026, 11, 26, 0, 0, 0)), _csv(header, rows))
    return Reply(out.getvalue(), 200, {"Content-Type": "application/zip"})


def sparecores(ask: Ask) -> Reply:
    """The files of one task on one machine."""
    parts = ask.path.split("/")
    task, file = parts[-2], parts[-1]
    if file == "meta.json":
        return as_json({"start": f"{DAY}T10:00:00", "end": f"{DAY}T10:01:00", "exit_code": 0})
    if task == "lscpu":
        fields = {"Architecture:": "x86_64", "CPU(s):": "16", "Model name:": "AMD EPYC 9R14", "Thread(s) per core:": "1",
                  "Core(s) per socket:": "16", "Socket(s):": "1", "NUMA node(s):": "1"}  # fmt: skip
        return as_json({"lscpu": [{"field": name, "data": value} for name, value in fields.items()]})
    if task == "bw_mem":
        return as_text(
            "".join(f"{kind} {size} {2e5 / size:.2f}\n" for kind in ("rd", "wr", "rdwr") for size in (16, 256))
        )
    tests = ((128, 0, 200.0), (512, 0, 190.0), (0, 16, 20.0), (0, 128, 19.0))
    lines = [
        json.dumps(
            {
                "model_filename": "/models/SmolLM-135M.Q4_K_M.gguf",
                "n_prompt": prompt,
                "n_gen": gen,
                "n_threads": 16,
                "avg_ts": rate,
                "test_time": f"{DAY}T10:00:00Z",
            }
        )
        for prompt, gen, rate in tests
    ]
    return as_text("\n".join(lines) + "\n")


FEEDS = {
    "ecb": ecb, "frankfurter": frankfurter, "litellm": litellm, "openrouter": openrouter, "skypilot": skypilot,
    "gpuhunt": gpuhunt, "sparecores": sparecores,
}  # fmt: skip
