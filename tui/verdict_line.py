"""The answer under the workload: a sentence or two, or the server and its price where there is room for a line only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from tui import format as fmt

if TYPE_CHECKING:
    from rich.style import Style

    from tui.session import Session

SHORT = {"cpu_enough": "CPU is enough", "gpu_cheaper": "GPU is cheaper", "gpu_needed": "GPU needed", "only_cpu": "CPU only",
         "only_gpu": "GPU only", "close": "CPU or GPU", "none_meets": "None meets the targets; nearest"}  # fmt: skip
"""The answer in a few words; codes without an offer to name are not here."""


def verdict(session: Session, tones: dict[str, Style], *, room: int | None, ascii_only: bool) -> Text:
    """The answer; `room` is the number of cells where it has one line only, None where it is wrapped."""
    found = session.verdict
    if found is None:
        return Text("")
    sentence = fmt.clean(found.sentence)
    if room is not None and cell_len(sentence) > room and (brief := short(session)):
        sentence = fmt.clean(brief)
    text = Text()
    head, colon, rest = sentence.partition(":")
    if colon and len(head) < 40:
        text.append(fmt.shown(head + colon, ascii_only=ascii_only), tones["accent"])
        sentence = rest
    text.append(fmt.shown(sentence, ascii_only=ascii_only), tones["text"])
    return text


def short(session: Session) -> str:
    """What to rent, where, for how much: "GPU needed: 2× l4-small, acme, $584/mo"; "" where no offer is named."""
    found, rows = session.verdict, session.rows
    if found is None or rows is None or found.code not in SHORT:
        return ""
    picks = [pick for pick in (found.cpu_pick, found.gpu_pick) if pick is not None]
    picks = picks or ([found.nearest] if found.nearest is not None else [])
    if not picks:
        return ""
    costs = {pick: rows.value("monthly_cost", pick) for pick in picks}
    best = min(picks, key=lambda pick: (costs[pick] is None, costs[pick] or 0.0))
    count = rows.value("servers_needed", best)
    many = f"{count:,.0f}× " if count is not None and count > 1 else ""
    if not rows.comparison.practical[best]:
        many = f"not practical, {many}"
    price = fmt.money(costs[best], rows.comparison.terms.currency)
    return f"{SHORT[found.code]}: {many}{rows.server(best)}, {rows.offer(best).provider}, {price}/mo"
