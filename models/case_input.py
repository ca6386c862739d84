"""One row of a cases or measurements file, read into the estimator's terms."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from models import catalog
from models.case_check import check_question, check_text
from models.errors import InputError, RackrateError, UnknownNameError, known
from models.gpu_speed import ENGINES
from models.quantize import format_for, is_gguf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from models.chip import Chip
    from models.cpu import CPU
    from models.llm import LLM
    from models.quant import Quant

INPUT_COLUMNS = (
    "case_id",
    "model",
    "quant",
    "kv_quant",
    "engine",
    "engine_version",
    "hardware",
    "count",
    "sockets",
    "cores_used",
    "memory_channels",
    "memory_mts",
    "tp",
    "pp",
    "ep",
    "dp_attention",
    "input_tokens",
    "output_tokens",
    "concurrency",
    "request_rate_rps",
    "scenario",
    "max_model_len",
    "gpu_memory_utilization",
    "usable_vram_gib",
)
SCENARIOS = ("online", "server", "static", "offline", "single_stream", "bench", "startup")
ALIASES = {"id": "case_id", "kv_dtype": "kv_quant"}
"""Columns that are read under another name."""
_VERSION = re.compile(r"^[vb]?(\d+)\.(\d+)")
_YEAR = re.compile(r"^(20\d\d)\b")
_LLAMA_LIKE = ("llama.cpp", "llamafile", "ollama", "ik_llama", "ggml", "llama_hybrid")
_ENGINE_WORDS = (
    *(
        "vllm",
        "tensorrt",
        "trt",
        "sglang",
        "habana",
        "gaudi",
        "itrex",
        "neural speed",
        "nim",
        "nemo",
        "mii",
        "tgi",
        "deepspeed",
    ),
    *("lmdeploy", "pytorch", "ipex", "bigdl", "xfastertransformer", "transformers", "onnx", "openvino"),
)
"""Words of engines that have constants, or relatives with constants."""
_TIMES = re.compile(r"^(\d+)\s*[x×]\s+(?=\S)")
"""How many cards or sockets a name begins with: "8x H100 SXM"."""
_PACKING = re.compile(r"(AWS|Azure|GCP|Alibaba)\b.*EPYC", re.IGNORECASE)
"""Instance names of clouds whose AMD VMs sit on whole chiplets: memory reads there step with every eight cores."""
MAX_COUNT = 1024
"""GPUs of one case at most: beyond it is a slip, not a server."""
DEFAULT_INPUT, DEFAULT_OUTPUT = 512, 128
"""Tokens of a case that states none: what llama-bench runs by default."""


@dataclass(slots=True)
class Case:
    """A parsed row; `error` is set where it cannot be answered."""

    raw: dict[str, str]
    error: str = ""
    llm: LLM | None = None
    chip: Chip | None = None
    cpu: CPU | None = None
    quant: Quant | None = None
    kv_bytes: float = 2.0
    engine: str = ""
    """Catalog family: one of gpu_speed.ENGINES, or llama.cpp, ik_llama.cpp, itrex, ... on the streaming path."""
    gguf: bool = False
    count: float = 1.0
    tp: int = 1
    pp: int = 1
    replicas: float = 1.0
    data_parallel: bool = False
    cores: float | None = None
    sockets: int = 1
    bandwidth_gb_s: float | None = None
    input_tokens: float = DEFAULT_INPUT
    output_tokens: float = DEFAULT_OUTPUT
    concurrency: float | None = None
    rate: float | None = None
    scenario: str = "online"
    utilization: float | None = None
    usable_gib: float | None = None
    memory_gib: float | None = None
    apple: bool = False
    max_model_len: float | None = None
    packed: bool = False
    """A VM of a cloud that packs its AMD machines onto as few chiplets as the cores need."""


def number(row: Mapping[str, str], name: str) -> float | None:
    """A numeric cell, None when empty; raises InputError naming the column on anything else."""
    text = row.get(name)
    if not text or not (text := text.strip()):
        return None
    value = _value(text)
    if value is None:
        raise InputError(f"{name} is {text[:40]!r}, not a number.")
    if not 0 <= value < math.inf:
        raise InputError(f"{name} is {text[:40]!r}; it must be a number from 0 up.")
    return value


@lru_cache(maxsize=65_536)
def _value(text: str) -> float | None:
    """The number a cell holds, None where it holds none; few of a file's cells differ."""
    try:
        return float(text)
    except ValueError:
        return None


def positive(row: Mapping[str, str], name: str, default: float) -> float:
    """A numeric cell above zero, `default` when empty."""
    value = number(row, name)
    if value is None:
        return default
    if value <= 0:
        raise InputError(f"{name} is 0; leave the cell empty if it is not known.")
    return value


def _is_old(version: str, date: str, before: tuple[int, int], year: int) -> bool:
    match = _VERSION.match(version.strip())
    if match and not _YEAR.match(version.strip()):
        return (int(match.group(1)), int(match.group(2))) < before
    found = _YEAR.match(version.strip()) or _YEAR.match(date.strip())
    return bool(found) and int(found.group(1)) < year if found else False


@lru_cache(maxsize=8192)
def engine_class(name: str, version: str = "", date: str = "") -> str:
    """An engine's spelling and version to the class of constants that describes it.

    vLLM before 0.8 and TensorRT-LLM before 0.17 have their own; without a version the row's date decides, without
    either the current generation is taken.
    """
    text = name.lower()
    if "habana" in text or "gaudi" in text:
        return "habana"
    if any(part in text for part in _LLAMA_LIKE):
        if "ik_" in text:
            return "ik_llama.cpp"
        if "ampere" in text:
            return "ampere-llama.cpp"
        if "2023" in text:
            return "ggml-2023"
        return "llama.cpp-2024" if _is_old("", date, (0, 0), 2025) else "llama.cpp"
    if "itrex" in text or "neural speed" in text:
        return "itrex"
    if "nim" in text or "nemo" in text:
        return "trt_old"
    if "tensorrt" in text or "trt" in text:
        return "trt_old" if _is_old(version, date, (0, 17), 2025) else "trt_new"
    if "sglang" in text:
        return "sglang"
    if "mii" in text or "tgi" in text or "deepspeed" in text:
        return "vllm_old"
    if "lmdeploy" in text:
        return "trt_old"
    if _is_old(version, date, (0, 8), 2025):
        return "vllm_old"
    if "eager" in text:
        return "vllm_eager"
    match = _VERSION.match(version.strip())
    # A release from 0.20 on has the overheads of 2026, and so has one of today; dated rows without a version are benchmarks of 2025.
    undated = not version.strip() and not date.strip()
    return (
        "vllm_2026"
        if undated
        or (match and (int(match.group(1)), int(match.group(2))) >= (0, 20) and not _YEAR.match(version.strip()))
        else "vllm_new"
    )


_kv_quant = lru_cache(maxsize=1024)(catalog.find_kv_quant)


def _engine_known(name: str) -> None:
    """Raise UnknownNameError for a word that is no engine: its figures would be those of vLLM."""
    text = name.lower()
    if not text or any(part in text for part in (*_LLAMA_LIKE, *_ENGINE_WORDS)):
        return
    catalog.engine(name)


def _kv_bytes(case: Case, row: Mapping[str, str]) -> float:
    text = (row.get("kv_quant") or "").strip()
    if text:
        found = _kv_quant(text)
        if found is None or found.bytes_per_weight is None:
            raise InputError(
                f"kv_quant {text[:40]!r} is not a known KV-cache format.", hint="Use 16bit, fp8, int8, q8_0 or q4_0."
            )
        return found.bytes_per_weight
    small = (known(case.quant).bytes_per_weight or 2.0) < 2.0
    # TensorRT-LLM's and Habana's published engine configurations quantize the cache with the weights.
    return 1.0 if small and case.engine in {"trt_new", "trt_old", "habana"} else 2.0


@lru_cache(maxsize=8192)
def _look_up(kind: str, name: str) -> object:
    """What a catalog has under a name, or its error: the nearest names take milliseconds, and files repeat their mistakes."""
    try:
        if kind == "model":
            return catalog.llm(name)
        return catalog.quant(name) if kind == "quant" else catalog.hardware(name)
    except UnknownNameError as error:
        # A CPU nobody lists is one of its class.
        if kind == "hardware" and (guessed := catalog.unknown_cpu(name)):
            return "cpu", guessed
        return error.with_traceback(None)


def _found(kind: str, name: str) -> Any:
    found = _look_up(kind, name)
    if isinstance(found, UnknownNameError):
        # A new one each time: a raised error keeps the rows of its frames alive.
        raise UnknownNameError(found.what, found.name, found.nearest)
    return found


def _hardware(case: Case, row: Mapping[str, str]) -> None:
    name = (row.get("hardware") or "").strip()
    if not name:
        raise InputError("hardware is empty.")
    times = _TIMES.match(name)
    kind, found = _found("hardware", name[times.end() :] if times else name)
    case.count = positive(row, "count", float(times.group(1)) if times else 1.0)
    if times and case.count != float(times.group(1)):
        raise InputError(f"hardware says {times.group(1)} and count {case.count:g}; leave one of them out.")
    if case.count > MAX_COUNT or (case.count > 1 and case.count != int(case.count)):
        raise InputError(
            f"count is {case.count:g}; it must be a whole number up to {MAX_COUNT:,}, or a fraction of one GPU."
        )
    if kind == "cpu":
        case.cpu = found
        case.sockets = int(positive(row, "sockets", case.count))
        case.cores = number(row, "cores_used") or None
        case.packed = bool(_PACKING.match(name)) and "metal" not in name
        channels, mts = number(row, "memory_channels"), number(row, "memory_mts")
        cpu = known(case.cpu)
        channels = channels or cpu.memory_channels
        mts = mts or cpu.memory_mts
        if channels and mts:
            case.bandwidth_gb_s = channels * mts * 8 / 1000
    else:
        case.chip = found
        case.apple = case.chip is not None and case.chip.vendor == "Apple"


def _layout(case: Case, row: Mapping[str, str]) -> None:
    case.pp = int(positive(row, "pp", 1.0))
    dpa = number(row, "dp_attention") or 0
    tp = number(row, "tp")
    if case.count < 1:
        case.tp = 1
    elif dpa > 1:
        case.tp, case.data_parallel = int(max(tp or 1, dpa)), True
    else:
        case.tp = int(tp) if tp else max(int(case.count) // case.pp, 1)
    if case.tp * case.pp > max(case.count, 1):
        raise InputError(f"tp {case.tp} x pp {case.pp} is more than the {case.count:g} GPU of the case.")
    case.replicas = max(case.count / (case.tp * case.pp), 1.0) if case.count >= 1 else 1.0


def _read(case: Case, raw: dict[str, str]) -> None:
    """Fill a case from its row; raises InputError or UnknownNameError on what cannot be read."""
    model = raw.get("model", "").strip()
    if not model:
        raise InputError("model is empty.")
    # A person's own config.json is read again each time: it may have changed.
    case.llm = catalog.llm(model) if model.endswith(".json") else _found("model", model)
    _hardware(case, raw)
    _engine_known(raw.get("engine", "").strip())
    case.engine = engine_class(raw.get("engine", ""), raw.get("engine_version", ""), raw.get("source_date", ""))
    wanted = raw.get("quant", "").strip() or ("16bit" if case.engine in ENGINES else "4bit")
    streaming = case.cpu is not None or case.apple or case.engine not in ENGINES
    if case.cpu is not None and case.engine in ENGINES:
        text = raw.get("engine", "").lower()
        case.engine = "vllm-cpu" if "vllm" in text else "sglang-cpu" if "sglang" in text else "llama.cpp"
    elif case.apple and case.engine in ENGINES:
        case.engine = "llama.cpp"
    form = format_for(known(case.llm), wanted, case.chip, gguf=streaming and case.engine != "vllm-cpu")
    case.quant = _found("quant", form)
    case.gguf = streaming or is_gguf(known(case.quant))
    if case.gguf and case.engine in ENGINES:
        case.engine = "llama.cpp"
    case.kv_bytes = _kv_bytes(case, raw)
    _layout(case, raw)
    case.scenario = raw.get("scenario", "").strip() or (
        "server" if raw.get("request_rate_rps", "").strip() else "online"
    )
    if case.scenario == "online" and raw.get("request_rate_rps", "").strip() and not raw.get("concurrency", "").strip():
        raise InputError("scenario online has a number of users (concurrency); server has a rate (request_rate_rps).")
    if case.scenario not in SCENARIOS:
        raise InputError(f"scenario {case.scenario[:40]!r} is not one of {', '.join(SCENARIOS)}.")
    prompt, output = number(raw, "input_tokens"), number(raw, "output_tokens")
    # llama-bench measures generation from an empty context: no prompt stated means none there, elsewhere not stated.
    unstated = 1.0 if case.scenario == "bench" and output else DEFAULT_INPUT
    case.input_tokens = max(prompt or unstated, 1.0)
    case.output_tokens = max(output or DEFAULT_OUTPUT, 1.0)
    case.concurrency = number(raw, "concurrency") or None
    case.rate = number(raw, "request_rate_rps") or None
    if case.scenario == "server" and case.rate is None and case.concurrency is None:
        raise InputError("scenario server needs request_rate_rps.")
    utilization = number(raw, "gpu_memory_utilization")
    if utilization is not None and not 0 < utilization <= 1:
        raise InputError("gpu_memory_utilization must lie above 0 and at most 1.")
    case.utilization = utilization
    case.usable_gib = number(raw, "usable_vram_gib") or None
    case.max_model_len = number(raw, "max_model_len") or None


_READ = (
    *(
        "model",
        "hardware",
        "count",
        "sockets",
        "cores_used",
        "memory_channels",
        "memory_mts",
        "engine",
        "engine_version",
    ),
    *(
        "source_date",
        "quant",
        "kv_quant",
        "tp",
        "pp",
        "ep",
        "dp_attention",
        "scenario",
        "request_rate_rps",
        "concurrency",
    ),
    *("input_tokens", "output_tokens", "gpu_memory_utilization", "usable_vram_gib", "max_model_len"),
)
"""Columns that `_read` looks at."""
_fields = attrgetter(*(field.name for field in fields(Case) if field.name != "raw"))
_MOST_SEEN = 20_000


class _Header:
    """The columns of one file, and what was read from its rows so far: several metrics of one run repeat all that is read."""

    def __init__(self, columns: tuple[object, ...], *, asked: bool) -> None:
        self.names = tuple(ALIASES.get(str(key), str(key)) for key in columns)
        # A column given twice counts as it does in a dict: the last one.
        places = {name: place for place, name in enumerate(self.names) if name in _READ}
        self._places = tuple(places.values())
        self._seen: dict[tuple[str, ...], tuple[Any, ...]] = {}
        # A measured row has what a question must not: a rate beside the mean of the users that it led to.
        self._asked = asked and "metric" not in self.names

    def case(self, values: list[str]) -> Case:
        """The case of one row."""
        key = tuple([values[place] for place in self._places])
        raw = dict(zip(self.names, values, strict=True))
        known_fields = self._seen.get(key)
        if known_fields is not None:
            return Case(raw, *known_fields)
        case = Case(raw)
        try:
            check_text(raw, _READ)
            _read(case, raw)
            if self._asked:
                check_question(case, raw)
        except RackrateError as error:
            case.error = str(error)
        # A person's own config.json may change.
        if not raw.get("model", "").endswith(".json"):
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[key] = _fields(case)
        return case


_header = lru_cache(maxsize=32)(_Header)


def parse_case(row: Mapping[str, str], *, asked: bool = False) -> Case:
    """Read one row; never raises on bad content, `error` then holds one sentence.

    Args:
        row: columns and their texts.
        asked: the row is a person's question: what contradicts itself or no machine has is an error, where a published
            measurement is taken as it is.
    """
    values = list(row.values())
    try:
        "".join(values)
    except TypeError:  # numbers and None, from callers that read no file
        values = [str(each or "") for each in row.values()]
    return _header(tuple(row), asked=asked).case(values)
