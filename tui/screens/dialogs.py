"""Fills the pickers with what they show: models, presets, columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models import catalog
from tui import format as fmt
from tui.columns import COLUMNS
from tui.inputs import show_ttft, show_user_speed
from tui.screens.picker import Picker
from tui.widgets.choice_list import Choice

if TYPE_CHECKING:


    from models.llm import LLM
    from models.traffic import Preset, Workload
    from tui.state import ViewState


def billions(params: int | None) -> str:
    """Parameters as people say them: 8.03B, 671B."""
    return fmt.MISSING if params is None else f"{fmt.number(params / 1e9, decimals=2)}B"


def _model_choice(model: LLM) -> Choice:
    active = billions(model.params_active) if model.moe is not None else "dense"
    context = fmt.MISSING if model.max_context is None else f"{round(model.max_context / 1024):,}k"
    short = f"{fmt.fit_width(model.name, 30)} {billions(model.params_total):>7} {active:>7} {context:>7}  {model.license or fmt.MISSING}"
    text = f"{fmt.fit_width(short, 76)} {model.release_date or fmt.MISSING}"
    return Choice(model.name, text, f"{model.name} {model.hf_id or ''} {model.family}", short)


def model_picker(workload: Workload, *, ascii_only: bool) -> Picker:
    """All models with size, context and licence."""
    short = f"{'Model':<30} {'Params':>7} {'Active':>7} {'Context':>7}  Licence"
    heads = Choice("", f"{short:<76} Released", short=short)
    choices = [_model_choice(model) for model in catalog.llms()]
    return Picker("Model", heads, choices, workload.model.name, ascii_only=ascii_only)


def _preset_choice(preset: Preset, workload: Workload) -> Choice:
    shown = workload.changed(ttft_ms=preset.ttft_ms, tpot_ms=preset.tpot_ms)
    figures = (
        f"{preset.input_tokens:>7,} {preset.output_tokens:>7,} {preset.prefix_hit * 100:>6.0f}% {show_ttft(shown):>8} "
        f"{show_user_speed(shown):>8}"
    )
    name = fmt.fit_width(preset.name, 17)
    return Choice(preset.name, f"{name} {fmt.fit_width(preset.title, 24)} {figures}", short=f"{name} {figures}")


def preset_picker(workload: Workload, *, ascii_only: bool) -> Picker:
    """The traffic presets with their lengths and targets."""
    figures = f"{'Prompt':>7} {'Output':>7} {'Cached':>7} {'TTFT ≤':>8} {'tok/s ≥':>8}"
    heads = Choice("", f"{'Preset':<17} {'What':<24} {figures}", short=f"{'Preset':<17} {figures}")
    choices = [_preset_choice(preset, workload) for preset in catalog.presets()]
    return Picker("Preset", heads, choices, workload.preset, ascii_only=ascii_only)


def sort_picker(view: ViewState, currency: str, *, ascii_only: bool) -> Picker:
    """The columns to sort by."""
    choices = []
    for column in COLUMNS:
        arrow = ("↓" if view.descending else "↑") if column.id == view.sort else " "
        choices.append(
            Choice(column.id, f"{fmt.fit_width(column.title(fmt.symbol(currency)), 9)}{arrow} {column.help}")
        )
    return Picker(
        "Sort by",
        Choice("", "Column    What it is (the same again reverses)"),
        choices,
        view.sort,
        ascii_only=ascii_only,
    )
