"""The commands that would check an estimate on the server itself: start the engine, send the workload's traffic, compare.

Flags as documented, read 2026-11-30: vLLM 0.11 to 0.12 and main (docs.vllm.ai, vllm/benchmarks/serve.py), SGLang 0.5
(docs/developer_guide/bench_serving.md, server_arguments), TensorRT-LLM 1.2 (trtllm-serve), llama.cpp of 2026-11
(tools/llama-bench, tools/server, tools/batched-bench). Names of models may come from a user's file: every word is quoted for a POSIX shell.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.quantize import native_mxfp4
from tui.format import clean, plain

if TYPE_CHECKING:
    from models.engine_choice import Choice
    from models.traffic import Workload

_SPARE_TOKENS = 64
"""Room beside prompt and answer: random prompts are a few tokens longer after they were decoded and encoded again."""
_SECONDS = 300
"""How long a test at a request rate should last."""
_ROUNDS = 20
"""Requests a user of a closed loop: the first wave starts together, which the estimate does not count."""
_LEAST, _MOST = 100, 5000
LLAMA_URL, TRT_URL = "http://127.0.0.1:8080", "http://127.0.0.1:8000"

CHECKPOINT = "MODEL"
"""The shell's variable for a checkpoint whose name only the user knows."""
_NAMED = f"${CHECKPOINT}"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """How the estimate puts the model on one server, and the traffic that this server gets."""

    tp: int
    replicas: int
    cores: int
    """Threads of llama.cpp on a CPU."""
    on_gpu: bool
    sequences: float
    """Running on average."""
    requests_per_s: float | None
    """None = a closed loop of `users`."""
    users: int


@dataclass(frozen=True, slots=True)
class Step:
    """One command and what it is for."""

    what: str
    words: Words

    @property
    def line(self) -> str:
        """The command on one line, quoted."""
        return " ".join(_quoted(word) for word in self.words)

    def lines(self, width: int) -> list[str]:
        """The command over lines of at most `width` cells where its words allow it, each but the last continued."""
        quoted = [_quoted(word) for word in self.words]
        found = [quoted[0]]
        for place, word in enumerate(quoted[1:], 1):
            # An option and its value stay on one line.
            value = not self.words[place].startswith("-") and self.words[place - 1].startswith("-")
            ahead = (
                "" if value or place + 1 >= len(quoted) or self.words[place + 1].startswith("-") else quoted[place + 1]
            )
            needed = len(found[-1]) + len(word) + (len(ahead) + 1 if ahead else 0) + 3
            if not value and needed > width:
                found[-1] += " \\"
                found.append(f"  {word}")
            else:
                found[-1] += f" {word}"
        return found


def _quoted(word: str) -> str:
    """A word for the shell: the variable stays one, and its assignment."""
    if word == _NAMED:
        return f'"{word}"'
    lead, sign, value = word.partition("=")
    return f"{lead}={shlex.quote(value)}" if sign and lead == CHECKPOINT else shlex.quote(word)


@dataclass(frozen=True, slots=True)
class Check:
    """The steps, and what must be known about them."""

    steps: tuple[Step, ...]
    notes: tuple[str, ...]


def check(workload: Workload, choice: Choice, layout: Layout) -> Check:
    """Commands for the engine that the estimate assumes; no steps where it has none that is public."""
    if choice.gguf or choice.engine in {"llama.cpp", "ik_llama.cpp", "llama.cpp-ampere", "ampere-llama.cpp"}:
        return _llama(workload, choice, layout)
    if choice.engine == "sglang":
        return _sglang(workload, choice, layout)
    if choice.engine.startswith("trt"):
        return _trt(workload, choice, layout)
    if choice.engine.startswith("vllm") or choice.engine == "habana":
        return _vllm(workload, choice, layout)
    return Check((), (f"No public benchmark command is known for {choice.engine_name}.",))


def _model(workload: Workload) -> str:
    """The model's public name, or its own; never an option or a variable."""
    name = clean(workload.model.hf_id or workload.model.name).strip() or "MODEL"
    return f"./{name}" if name.startswith(("-", "$")) else name


def _context(workload: Workload) -> int:
    return workload.input_tokens + workload.output_tokens + _SPARE_TOKENS


def _prompts(layout: Layout) -> int:
    wanted = layout.requests_per_s * _SECONDS if layout.requests_per_s is not None else layout.users * _ROUNDS
    return int(min(max(math.ceil(wanted), _LEAST), _MOST))


def _traffic(layout: Layout) -> Words:
    if layout.requests_per_s is not None:
        return ("--request-rate", plain(layout.requests_per_s, 4))
    return ("--max-concurrency", str(layout.users))


def _lengths(workload: Workload) -> Words:
    """Fixed lengths; a share of the prompt that is cached is a prefix that all requests have in common."""
    shared = round(workload.input_tokens * workload.prefix_hit)
    prefix: Words = ("--random-prefix-len", str(shared)) if shared else ()
    asked = max(workload.input_tokens - shared, 1)
    return (*prefix, "--random-input-len", str(asked), "--random-output-len", str(workload.output_tokens))


def _bench(model: str, workload: Workload, layout: Layout, *server: str) -> Step:
    """The load generator of vLLM, which measures any server with OpenAI's interface."""
    return Step(
        "send the traffic",
        ("vllm", "bench", "serve", *server, "--model", model, "--dataset-name", "random", *_lengths(workload),
         "--ignore-eos", *_traffic(layout), "--num-prompts", str(_prompts(layout))),
    )  # fmt: skip


_DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
_AS_IT_IS = frozenset({*_DTYPES, ""})


def _checkpoint(workload: Workload, choice: Choice, made_at_start: frozenset[str]) -> tuple[tuple[Step, ...], str]:
    """(the line that names a checkpoint, the model as commands name it); the model's own name where it has the format, or gets it."""
    key = choice.quant.key if choice.quant is not None else ""
    own = key == "mxfp4" and native_mxfp4(workload.model)
    if own or key in _AS_IT_IS or key in made_at_start:
        return (), _model(workload)
    article = "a" if key[0] in "gqs" else "an"
    name = f"{article}-{key}-checkpoint-of-{_model(workload).rpartition('/')[2] or workload.model.name}"
    what = f"{article} {key} checkpoint, for the model's own name would load its original weights"
    return (Step(what, (f"{CHECKPOINT}={name}",)),), _NAMED


_AT_START = frozenset({"fp8"})
"""What vLLM and SGLang make of the original weights when they start."""


def _format(choice: Choice) -> Words:
    """Flags of a weight format in vLLM and SGLang: fp8 is made at the start, others are read from their checkpoint."""
    key = choice.quant.key if choice.quant is not None else ""
    if key in _DTYPES:
        return ("--dtype", _DTYPES[key])
    return ("--quantization", key) if key in _AT_START else ()


def _vllm(workload: Workload, choice: Choice, layout: Layout) -> Check:
    named, model = _checkpoint(workload, choice, _AT_START)
    notes: tuple[str, ...] = ()
    words = ["vllm", "serve", model, *_format(choice), "--tensor-parallel-size", str(layout.tp)]
    if layout.replicas > 1:
        words += ["--data-parallel-size", str(layout.replicas)]
    words += ["--max-model-len", str(_context(workload))]
    cache = workload.kv_quant
    if cache in {"fp8", "kv_fp8"}:
        words += ["--kv-cache-dtype", "fp8"]
    elif cache != "16bit":
        notes = (*notes, f"--kv-cache-dtype {cache}: only where the engine's version has it.")
    if not workload.prefix_hit:
        words.append("--no-enable-prefix-caching")
    if choice.engine == "habana":
        notes = (*notes, "On Gaudi with Intel's plugin or fork of vLLM.")
    steps = Step("start vLLM", tuple(words)), _bench(model, workload, layout, "--backend", "vllm")
    return Check((*named, *steps), (*notes, *_again(layout)))


def _again(layout: Layout) -> tuple[str, ...]:
    seed = "Another --seed for every run, or cached prompts flatter it."
    first = "The first wave starts together, the estimate counts later ones: long tests come nearer."
    return (seed,) if layout.requests_per_s is not None else (seed, first)


def _sglang(workload: Workload, choice: Choice, layout: Layout) -> Check:
    named, model = _checkpoint(workload, choice, _AT_START)
    notes: tuple[str, ...] = ()
    words = ["python", "-m", "sglang.launch_server", "--model-path", model, *_format(choice), "--tp", str(layout.tp)]
    if layout.replicas > 1:
        words += ["--dp", str(layout.replicas)]
    words += ["--context-length", str(_context(workload))]
    if workload.kv_quant in {"fp8", "kv_fp8"}:
        words += ["--kv-cache-dtype", "fp8_e4m3"]
    if not workload.prefix_hit:
        words.append("--disable-radix-cache")
    bench = (
        "python", "-m", "sglang.bench_serving", "--backend", "sglang", "--model", model, "--dataset-name", "random",
        "--random-input-len", str(workload.input_tokens), "--random-output-len", str(workload.output_tokens),
        "--random-range-ratio", "1", *_traffic(layout), "--num-prompts", str(_prompts(layout)),
    )  # fmt: skip
    if workload.prefix_hit:
        notes = ("This test shares no prefix: TTFT comes out higher than with the cached share.",)
    steps = Step("start SGLang", tuple(words)), Step("send the traffic", bench)
    return Check((*named, *steps), (*notes, *_again(layout)))


def _trt(workload: Workload, choice: Choice, layout: Layout) -> Check:
    named, model = _checkpoint(workload, choice, frozenset())
    words = ("trtllm-serve", model, "--tp_size", str(layout.tp), "--max_seq_len", str(_context(workload)))
    notes = ["Formats and KV cache can be set in its configuration file."]
    if layout.replicas > 1:
        notes.append(f"{layout.replicas} of them on GPUs of their own, behind a balancer.")
    bench = _bench(model, workload, layout, "--backend", "openai", "--base-url", TRT_URL)
    return Check((*named, Step("start TensorRT-LLM", words), bench), (*notes, *_again(layout)))


def _file(workload: Workload, choice: Choice) -> str:
    key = choice.quant.key if choice.quant else "q4_k_m"
    name = clean(workload.model.name).replace("/", "-").strip() or "MODEL"
    return f"./{name}-{key.upper()}.gguf"


def _llama(workload: Workload, choice: Choice, layout: Layout) -> Check:
    """llama-bench for one stream, llama-batched-bench for several, llama-server for the traffic itself."""
    file, asked, answered = _file(workload, choice), str(workload.input_tokens), str(workload.output_tokens)
    place: Words = ("-ngl", "99") if layout.on_gpu else ("-ngl", "0", "-t", str(layout.cores))
    kind = {"q8_0": "q8_0", "fp8": "q8_0", "int8": "q8_0", "q4_0": "q4_0"}.get(workload.kv_quant.removeprefix("kv_"))
    cache: Words = ("-ctk", kind, "-ctv", kind) if kind else ()
    streams = max(round(layout.sequences), 1)
    slots = max(streams, layout.users if layout.requests_per_s is None else streams)
    room = str(_context(workload) * slots)
    bench = ("llama-bench", "-m", file, *place, *cache)
    steps = [
        Step("one prompt alone", (*bench, "-p", asked, "-n", "0")),
        Step("one answer alone", (*bench, "-p", "0", "-n", answered, "-d", asked)),
    ]
    if streams > 1:
        many = ("-c", str(_context(workload) * streams), "-npp", asked, "-ntg", answered, "-npl", f"1,{streams}")
        steps.append(Step(f"{streams} streams at once", ("llama-batched-bench", "-m", file, *place, *cache, *many)))
    steps.append(Step("start the server", ("llama-server", "-m", file, *place, *cache, "-c", room, "-np", str(slots))))
    steps.append(_bench(_model(workload), workload, layout, "--backend", "openai", "--base-url", LLAMA_URL))
    notes = ["Alone: TTFT is the prompt's tokens over its tokens/s, TPOT is 1000 over the answer's."]
    if layout.replicas > 1:
        notes.append(f"{layout.replicas} servers, each on cards of its own (CUDA_VISIBLE_DEVICES), share the traffic.")
    if not layout.on_gpu and layout.cores:
        notes.append("One socket: numactl --cpunodebind=0 --membind=0 in front where there are two.")
    return Check(tuple(steps), tuple(notes))
