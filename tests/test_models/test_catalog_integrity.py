"""Every row of every bundled catalog is well formed, sourced, and reachable."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from models import catalog, schema
from models.names import normalise

if TYPE_CHECKING:
    from pydantic import BaseModel

TABLES: list[tuple[str, type[BaseModel], int, str]] = [
    ("llms.json", schema.LLMRow, 188, "name"),
    ("accelerators.csv", schema.ChipRow, 216, "name"),
    ("cpus.csv", schema.CPURow, 434, "name"),
    ("quants.csv", schema.QuantRow, 71, "key"),
    ("engines.json", schema.EngineRow, 12, "key"),
    ("presets.json", schema.PresetRow, 11, "name"),
    ("instance_cpu.csv", schema.InstanceRow, 554, ""),
    ("hardware_aliases.csv", schema.AliasRow, 1600, ""),
    ("model_aliases.csv", schema.ModelAliasRow, 1400, ""),
]


def rows(file: str) -> list[dict[str, Any]]:
    text = files("models").joinpath("data", file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines())) if file.endswith(".csv") else json.loads(text)


@pytest.mark.parametrize(("file", "model", "at_least", "key"), TABLES, ids=[table[0] for table in TABLES])
def test_rows_are_valid(file: str, model: type[BaseModel], at_least: int, key: str) -> None:
    faults = []
    table = rows(file)
    for row in table:
        try:
            model.model_validate(row)
        except ValueError as error:
            faults.append(f"{row.get('name') or row.get('key') or row.get('raw')}: {error}")
    assert not faults, "\n".join(faults)
    assert len(table) >= at_least
    if key:
        spellings = [normalise(row[key]) for row in table]
        assert len(set(spellings)) == len(spellings)


@pytest.mark.parametrize(
    "load", [catalog.llms, catalog.chips, catalog.cpus, catalog.quants, catalog.engines, catalog.presets]
)
def test_loader_keeps_every_row(load: Any) -> None:
    sizes = {
        "llms": "llms.json",
        "chips": "accelerators.csv",
        "cpus": "cpus.csv",
        "quants": "quants.csv",
        "engines": "engines.json",
        "presets": "presets.json",
    }
    assert len(load()) == len(rows(sizes[load.__name__]))


def test_every_entry_answers_to_its_own_name() -> None:
    assert all(catalog.llm(one.name) is one for one in catalog.llms())
    assert all(catalog.llm(one.hf_id) is one for one in catalog.llms() if one.hf_id)
    assert all(catalog.chip(one.name) is one for one in catalog.chips())
    assert all(catalog.cpu(one.name) is one for one in catalog.cpus())
    assert all(catalog.engine(one.key) is one for one in catalog.engines())
    assert all(catalog.preset(one.name) is one for one in catalog.presets())
    for one in catalog.quants():
        assert (catalog.kv_quant(one.key) if one.kernel_class == "kv" else catalog.quant(one.key)) is one


def test_kv_elements_follow_from_the_layers() -> None:
    for model in catalog.llms():
        if model.attention_kind == "mla" or model.global_head_dim or model.k_eq_v or not model.kv_cache:
            continue
        layers: dict[str, int] = defaultdict(int)
        for mixer, _, count in model.layer_groups:
            layers[mixer] += count
        per_layer = 2 * model.kv_heads * model.head_dim
        full = layers["full"] + layers["parallel"] - model.kv_shared_full
        assert model.kv_elements_full == full * per_layer, model.name
        assert model.kv_elements_sliding == (layers["sliding"] - model.kv_shared_sliding) * per_layer, model.name


def test_latent_attention_keeps_one_vector_a_layer() -> None:
    latent = [model for model in catalog.llms() if model.mla]
    assert len(latent) == 10
    for model in latent:
        assert model.mla
        attention_layers = sum(count for mixer, _, count in model.layer_groups if mixer == "full")
        assert model.kv_elements_full == attention_layers * (model.mla.kv_lora_rank + model.mla.qk_rope_head_dim), (
            model.name
        )


def test_encoders_have_no_kv_cache() -> None:
    encoders = [model for model in catalog.llms() if not model.kv_cache]
    assert len(encoders) == 13
    assert all(model.kv_elements_full == model.kv_elements_sliding == 0 for model in encoders)


def test_parameters_follow_from_the_shape() -> None:
    """Plain decoders only: norms, biases and exotic mixers are the other half a percent."""
    checked = 0
    for model in catalog.llms():
        mixers = {mixer for mixer, _, _ in model.layer_groups}
        if (
            model.mla
            or not mixers <= {"full", "sliding"}
            or model.global_head_dim
            or not model.kv_cache
            or model.kv_shared_full
        ):
            continue
        matrices = 3 if model.mlp_gated else 2
        attention = model.hidden * model.head_dim * (2 * model.heads + 2 * model.kv_heads)
        total = model.vocab * model.hidden * (1 if model.tie_embeddings else 2)
        for _, feed, count in model.layer_groups:
            total += count * attention
            if "dense" in feed:
                total += count * matrices * model.hidden * model.ffn
            if "moe" in feed:
                assert model.moe
                total += count * (
                    matrices * model.hidden * (model.moe.experts * model.moe.moe_ffn + (model.moe.shared_ffn or 0))
                    + model.hidden * model.moe.experts
                )
        assert total == pytest.approx(model.params_total - model.params_extra, rel=0.012), model.name
        checked += 1
    assert checked > 120


def test_hardware_aliases_point_to_entries() -> None:
    known = {"gpu": {one.name for one in catalog.chips()}, "cpu": {one.name for one in catalog.cpus()}}
    assert [row["raw"] for row in rows("hardware_aliases.csv") if row["key"] not in known[row["kind"]]] == []


def test_model_aliases_point_to_entries_and_agree() -> None:
    known = {one.name for one in catalog.llms()}
    readings = defaultdict(set)
    for row in rows("model_aliases.csv"):
        assert row["key"] in known, row["raw"]
        readings[normalise(row["raw"])].add(row["key"])
    assert {raw: keys for raw, keys in readings.items() if len(keys) > 1} == {}


def test_hardware_alias_with_two_keys_has_hints_that_decide() -> None:
    readings: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows("hardware_aliases.csv"):
        readings[row["kind"], normalise(row["raw"])].append(row)
    for (kind, raw), found in readings.items():
        hints = {(row["memory_gib"], row["link"]) for row in found}
        assert len(found) == 1 or (kind == "gpu" and len(hints) == len(found) and ("", "") not in hints), raw


def test_no_spelling_is_both_a_gpu_and_a_cpu() -> None:
    kinds = defaultdict(set)
    for row in rows("hardware_aliases.csv"):
        kinds[normalise(row["raw"])].add(row["kind"])
    for kind, entries in (("gpu", catalog.chips()), ("cpu", catalog.cpus())):
        for one in entries:
            kinds[normalise(one.name)].add(kind)
    assert [raw for raw, found in kinds.items() if len(found) > 1] == []


def test_instance_families_resolve_to_cpus() -> None:
    unknown = {row["cpu_model"] for row in rows("instance_cpu.csv") if catalog.find_cpu(row["cpu_model"]) is None}
    assert unknown <= {
        "unknown",
        "Neoverse-V2",
        "Intel Xeon E5-2651 v2",
        "Intel Xeon E7-8880 v4",
        "AMD EPYC 7281",
        "AMD EPYC 7282",
    }


def test_a_release_date_is_not_that_of_the_model_whose_config_was_read() -> None:
    """Facts of a shape may come from a sister model of the same shape; its date may not."""
    for row in rows("llms.json"):
        read = re.findall(r"hf_models\.json[^;\[]*\[([^\]]+)\]", row["source"])
        own = (row["hf_id"] or "").rsplit("/", 1)[-1].lower()
        if not row.get("release_date") or not read:
            continue
        if not any(one.rsplit("/", 1)[-1].lower().startswith(own) for one in read):
            assert "; release: " in row["source"], row["name"]


def test_a_version_that_is_a_month_is_the_month_of_the_release() -> None:
    """Mistral's: 2411 is November 2024; its repository may be some days older."""
    seen = 0
    for row in rows("llms.json"):
        version = re.search(r"-(2[3-9])(0[1-9]|1[0-2])$", row["hf_id"] or "")
        if version is None or row["family"] != "mistral" or not row.get("release_date"):
            continue
        year, month = row["release_date"].split("-")[:2]
        assert abs((2000 + int(version[1])) * 12 + int(version[2]) - int(year) * 12 - int(month)) <= 1, row["name"]
        seen += 1
    assert seen >= 8
