"""Lists to choose from: models, number formats, workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from models import catalog
from models.quality import loss
from models.quantize import CLASSES, format_for, is_gguf, weight_bytes
from tui import format as fmt
from tui.input_steps import GGUF_STEPS, GPU_STEPS
from tui.input_text import show_traffic, show_ttft, show_user_speed
from tui.keys import bindings, first
from tui.screens.picker import Picker
from tui.widgets.choice_list import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.await_complete import AwaitComplete
    from textual.binding import BindingType

    from models.llm import LLM
    from models.quant import Quant
    from models.traffic import Preset, Workload

GIB = 2**30
_RUNS_ON, _WIDE = 69, 97
"""Cells before the last column of the number formats, and of a whole line in the widest dialog."""


def billions(params: int | None) -> str:
    """Parameters as people say them: 8.03B, 671B."""
    return fmt.MISSING if params is None else f"{fmt.number(params / 1e9, decimals=2)}B"


def weights_gib(llm: LLM, wanted: str) -> float:
    """GiB of a model's weights in a format; a class counts as the format that any GPU runs it in."""
    quant = catalog.quant(format_for(llm, wanted, None, gguf=False))
    return weight_bytes(llm, quant, gguf=is_gguf(quant)).total / GIB


# models


def _model_choice(model: LLM, quant: str) -> Choice:
    active = billions(model.params_active) if model.moe is not None else "dense"
    context = fmt.MISSING if model.max_context is None else f"{round(model.max_context / 1024):,}k"
    size = fmt.number(weights_gib(model, quant), decimals=1)
    figures = f"{billions(model.params_total):>7} {active:>7} {size:>7} {context:>7}"
    short = f"{fmt.fit_width(model.name, 28)} {figures}  {model.license or fmt.MISSING}"
    text = f"{fmt.fit_width(short, 73)} {fmt.fit_width(model.family, 11)} {model.release_date or fmt.MISSING}"
    return Choice(model.name, text, f"{model.name} {model.hf_id or ''} {model.family} {model.license or ''}", short)


def model_picker(workload: Workload, *, ascii_only: bool) -> Picker:
    """All models with their size at the present number format, context, licence and age."""
    short = f"{'Model':<28} {'Params':>7} {'Active':>7} {'GiB':>7} {'Context':>7}  Licence"
    heads = Choice("", f"{short:<73} {'Family':<11} Released", short=short)
    choices = [_model_choice(model, workload.quant) for model in catalog.llms()]
    title = f"Model: GiB of the weights in {workload.quant}"
    return Picker(title, heads, choices, workload.model.name, ascii_only=ascii_only)


# number formats


def formats(workload: Workload) -> list[str]:
    """What the list offers: the classes, the formats of serving engines, those of llama.cpp, each from many bits to few."""
    known = [one for one in catalog.quants() if one.bytes_per_weight and one.kernel_class != "kv"]
    usual = [one for one in known if one.key in {*GPU_STEPS, *GGUF_STEPS} or loss(one.key) or one.key == workload.quant]
    sizes = {one.key: weights_gib(workload.model, one.key) for one in usual}
    usual.sort(key=lambda one: (is_gguf(one), -sizes[one.key], one.key))
    return [*CLASSES, *(one.key for one in usual)]


def quant_choice(workload: Workload, name: str, holds: Mapping[str, int]) -> Choice:
    """One format as a line; `holds` are the offers that hold the model in it, as far as they are counted."""
    count = f"{holds[name]:,}" if name in holds else "…"
    size = f"{fmt.number(weights_gib(workload.model, name), decimals=1):>6}"
    if name in CLASSES:
        head = f"{name:<14} {name.removesuffix('bit'):>5} {size} {count:>7}"
        own = sorted({format_for(workload.model, name, chip, gguf=False) for chip in catalog.chips()})
        cpu = format_for(workload.model, name, None, gguf=True)
        return Choice(
            name,
            f"{head}  each server's own: {', '.join(own)}; llama.cpp {cpu}",
            f"{name} class",
            f"{head}  {', '.join(own)}",
        )
    quant = catalog.quant(name)
    known = loss(name)
    said = f"{known.words} ({known.model.removesuffix('-Instruct')})" if known is not None else fmt.MISSING
    head = f"{fmt.fit_width(name, 14)} {_bits(quant):>5} {size} {count:>7}  {said}"
    runs = f"{', '.join(quant.engines[:2])}: {quant.needs_hardware}"
    text = fmt.fit_width(f"{fmt.fit_width(head, _RUNS_ON)} {runs}", _WIDE)
    return Choice(name, text, f"{name} {quant.bit_class} {' '.join(quant.engines)}", head)


def _bits(quant: Quant) -> str:
    bits = quant.bits_per_weight_model or (quant.bytes_per_weight or 0.0) * 8
    return fmt.number(bits, decimals=1 if bits < 10 else 0)


class QuantPicker(Picker):
    """Number formats; how many offers hold the model in each is counted while the list is open."""

    def __init__(self, workload: Workload, *, ascii_only: bool) -> None:
        self.workload = workload
        self.closed = False
        self.holds: dict[str, int] = {}
        self.names = formats(workload)
        heads = f"{'Format':<14} {'Bits':>5} {'GiB':>6} {'Held by':>7}  Published change against 16 bits"
        super().__init__(
            f"Weights of {workload.model.name}: bits, size, offers shown that hold it",
            Choice("", f"{heads:<{_RUNS_ON}} Runs on", short=heads),
            self._lines(),
            workload.quant,
            ascii_only=ascii_only,
        )

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close, and count no further."""
        self.closed = True
        return super().dismiss(result)

    def _lines(self) -> list[Choice]:
        return [quant_choice(self.workload, name, self.holds) for name in self.names]

    def count(self, name: str, offers: int) -> None:
        """So many of the offers shown hold the model in this format."""
        if self.closed:
            return
        self.holds[name] = offers
        self.replace(quant_choice(self.workload, name, self.holds))


# workloads


def _figures(workload: Workload) -> str:
    return (
        f"{workload.input_tokens:>7,} {workload.output_tokens:>7,} {workload.prefix_hit * 100:>6.0f}% "
        f"{show_ttft(workload):>10} {show_user_speed(workload):>8}"
    )


def _preset_choice(preset: Preset, workload: Workload) -> Choice:
    shown = workload.changed(
        input_tokens=preset.input_tokens,
        output_tokens=preset.output_tokens,
        prefix_hit=preset.prefix_hit,
        ttft_ms=preset.ttft_ms,
        ttft_at=preset.ttft_at,
        tpot_ms=preset.tpot_ms,
    )
    name = fmt.fit_width(preset.name, 20)
    text = f"{name} {_figures(shown)}  {preset.title}"
    return Choice(preset.name, text, f"{preset.name} {preset.title} preset", short=f"{name} {_figures(shown)}")


def _saved_choice(name: str, workload: Workload) -> Choice:
    shown = fmt.fit_width(name, 20)
    what = f"{workload.model.name} {workload.quant}, {show_traffic(workload)}"
    text = f"{shown} {_figures(workload)}  {what}"
    return Choice(name, text, f"{name} {what} saved", short=f"{shown} {_figures(workload)}")


class WorkloadPicker(Picker):
    """The user's own workloads, then the presets; returns a name. One's own can be deleted, when asked twice."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("workloads")]
    where: ClassVar[str] = "workloads"

    def __init__(self, saved: Mapping[str, Workload], workload: Workload, *, ascii_only: bool) -> None:
        self.saved = dict(saved)
        self._asked = ""
        figures = f"{'Prompt':>7} {'Output':>7} {'Cached':>7} {'TTFT ≤':>10} {'tok/s ≥':>8}"
        present = next((name for name, one in saved.items() if one == workload), workload.preset)
        super().__init__(
            "Workloads: your own, then presets"
            if saved
            else f"Workloads: presets ({first('workload.save')} saves your own)",
            Choice("", f"{'Name':<20} {figures}  What", short=f"{'Name':<20} {figures}"),
            [
                *(_saved_choice(name, one) for name, one in saved.items()),
                *(_preset_choice(preset, workload) for preset in catalog.presets()),
            ],
            present,
            ascii_only=ascii_only,
        )

    def action_delete(self) -> None:
        """Ask, and at the second time forget the workload under the cursor."""
        from models.errors import RackrateError
        from tui import named

        choice = self.options.current
        if choice is None or choice.id not in self.saved:
            self.say("presets stay: only your own can be deleted")
            return
        if self._asked != choice.id:
            self._asked = choice.id
            self.say(f"{first('workloads.delete')} again deletes {fmt.clean(choice.id)}")
            return
        self._asked = ""
        try:
            named.delete(choice.id)
        except RackrateError as error:
            self.notify(str(error), severity="warning")
            return
        del self.saved[choice.id]
        self.choices.remove(choice)
        self.narrow()
        self.say(f"{fmt.clean(choice.id)} is deleted")
