"""`rackrate advise bottlenecks` from the command line: which servers are checked, and that links are among the checks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tui.__main__ import main

if TYPE_CHECKING:
    import pytest


def _findings(capsys: pytest.CaptureFixture[str], *flags: str) -> list[dict[str, Any]]:
    assert main(["advise", "bottlenecks", "--format", "json", *flags]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    return found


def test_a_model_of_several_cards_has_its_link_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """The cheapest offer is one large card, which has no link; the cheapest split stands beside it, and a CPU."""
    found = _findings(capsys, "--model", "Llama-3.3-70B")
    links = [one for one in found if one["name"] == "Link between GPUs"]
    assert links
    assert links[0]["chosen_as"] == "the cheapest that splits the model over GPUs"
    assert found[0]["chosen_as"] == "the cheapest that meets the targets"
    assert len({one["offer_id"] for one in found}) >= 3
    two = _findings(capsys, "--model", "Llama-3.3-70B", "--where", "gpus=2")
    assert any(one["name"] == "Link between GPUs" for one in two)


def test_a_named_server_is_the_only_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "bottlenecks", "--server", "4x L40S"]) == 0
    said = capsys.readouterr().out
    assert "4× L40S" in said
    assert "the cheapest for this traffic is taken" in said
    assert main(["advise", "bottlenecks", "--server", "pyc"]) == 2
    written = capsys.readouterr()
    assert (written.out, written.err.count("\n")) == ("", 1)
