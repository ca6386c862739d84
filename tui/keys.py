"""Every key of the dashboard in one list: the bindings, the footer, the help screen, the palette and the README come from it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Key:
    """One command: what it is called, which keys start it and what it does."""

    id: str
    """Name for rebinding in the settings; stable."""
    keys: str
    """Textual key names, separated by commas."""
    action: str
    """The screen's action, without `action_`."""
    shown: str
    """The keys as a person reads them."""
    label: str
    """One word for the footer."""
    help: str
    """One line for the help, the palette and the README."""
    group: str
    footer: int = 0
    """Place in the footer's order of importance; 0 = not in the footer."""


BINDINGS: tuple[Key, ...] = (
    # workload
    Key("workload.edit", "e", "edit_workload", "e", "edit", "edit the workload: Tab between fields, ↑ ↓ steps a value", "Workload", 4),
    Key("workload.model", "m", "pick_model", "m", "model", "choose the language model from a list", "Workload", 5),
    Key("workload.preset", "w", "pick_preset", "w", "preset", "choose a traffic preset: chat, rag, agent, ...", "Workload", 11),
    Key("quant.lower", "left_square_bracket", "step_quant(-1)", "[", "", "weights in fewer bits", "Workload"),
    Key("quant.higher", "right_square_bracket", "step_quant(1)", "]", "", "weights in more bits", "Workload"),
    Key("traffic.halve", "minus", "step_traffic(-1)", "-", "", "less traffic: ... 5 2 1 0.5 ...", "Workload"),
    Key("traffic.double", "equals_sign,plus", "step_traffic(1)", "=", "", "more traffic: ... 0.5 1 2 5 ...", "Workload"),
    Key("prompt.halve", "left_curly_bracket", "scale_prompt(0.5)", "{", "", "half the prompt length", "Workload"),
    Key("prompt.double", "right_curly_bracket", "scale_prompt(2)", "}", "", "twice the prompt length", "Workload"),
    Key("workload.undo", "u", "undo", "u", "undo", "undo the last change of the workload", "Workload", 12),
    Key("workload.redo", "U", "redo", "U", "", "redo it", "Workload"),
    # what the table shows
    Key("filter.edit", "slash", "edit_filter", "/", "filter", "filter: gpu>=24  $mo<900  provider:hetzner  !spot  words", "Table", 1),
    Key("filter.fit", "f", "cycle_fit", "f", "fit", "show all, those that hold the model, those that meet the targets", "Table", 6),
    Key("filter.kind", "t", "cycle_kind", "t", "type", "show any kind, GPU servers, CPU servers", "Table", 7),
    Key("filter.terms", "v", "cycle_terms", "v", "terms", "show on-demand and monthly prices, all, undated and old ones too", "Table", 14),
    Key("sort.menu", "s", "sort_menu", "s", "sort", "sort by a column; the same again reverses", "Table", 2),
    Key("sort.nth", "1,2,3,4,5,6,7,8,9", "sort_nth", "1-9", "", "sort by the n-th visible column; again reverses", "Table"),
    Key("sort.left", "less_than_sign", "sort_neighbour(-1)", "<", "", "sort by the column to the left", "Table"),
    Key("sort.right", "greater_than_sign", "sort_neighbour(1)", ">", "", "sort by the column to the right", "Table"),
    # moving
    Key("move.up", "up,k", "move(-1)", "↑ k", "", "up", "Moving"),
    Key("move.down", "down,j", "move(1)", "↓ j", "", "down", "Moving"),
    Key("move.page_up", "pageup,ctrl+u", "page(-1)", "PgUp", "", "a page up (also ctrl+u)", "Moving"),
    Key("move.page_down", "pagedown,ctrl+d", "page(1)", "PgDn", "", "a page down (also ctrl+d)", "Moving"),
    Key("move.first", "home,g", "first", "Home g", "", "first offer", "Moving"),
    Key("move.last", "end,G", "last", "End G", "", "last offer", "Moving"),
    Key("columns.left", "left,h", "scroll_columns(-1)", "← h", "", "columns to the left (the server's name stays)", "Moving"),
    Key("columns.right", "right,l", "scroll_columns(1)", "→ l", "", "columns to the right", "Moving"),
    Key("pane.next", "tab", "next_pane", "Tab", "", "next pane: table, details", "Moving"),
    Key("details.open", "enter", "details", "enter", "details", "details of the offer on the full screen", "Moving", 3),
    Key("back", "escape", "back", "esc", "", "back; clears the filter; cancels a refresh", "Moving"),
    # the rest
    Key("export", "x", "export", "x", "export", "write the table to a CSV file", "More", 8),
    Key("refresh", "r", "refresh", "r", "refresh", "fetch current prices (esc cancels)", "More", 9),
    Key("open.source", "o", "open_source", "o", "", "open the page the price comes from", "More"),
    Key("theme", "T", "next_theme", "T", "", "next colour theme", "More"),
    Key("help", "question_mark,f1", "help", "?", "help", "this help (also F1)", "More", 13),
    Key("palette", "ctrl+p", "command_palette", "ctrl+p", "", "every command by name", "More"),
    Key("quit", "q", "quit", "q", "quit", "leave", "More", 10),
)  # fmt: skip

BY_ID = {key.id: key for key in BINDINGS}

GROUPS: tuple[str, ...] = ("Workload", "Table", "Moving", "More")

TABLE_ACTIONS = frozenset({"move", "page", "first", "last", "scroll_columns"})
"""Actions of the table widget itself; all others belong to the screen or the app."""


def textual_bindings(keys: tuple[Key, ...] = BINDINGS) -> list[Binding]:
    """The list as Textual bindings; digits carry their number to the action."""
    bindings: list[Binding] = []
    for key in keys:
        if key.action == "command_palette":
            continue  # Textual's own
        action = f"app.{key.action}" if key.action in {"quit", "next_theme"} else key.action
        if key.id == "sort.nth":
            bindings += [
                Binding(digit, f"sort_nth({digit})", key.help, show=False, id=f"sort.{digit}") for digit in "123456789"
            ]
            continue
        bindings.append(Binding(key.keys, action, key.help, show=False, id=key.id))
    return bindings


def shown(key_id: str) -> str:
    """How a command's keys are written, for messages that name them. Raises KeyError for an unknown id."""
    return BY_ID[key_id].shown


def footer_keys() -> list[Key]:
    """The footer's commands, most important first."""
    return sorted((key for key in BINDINGS if key.footer), key=lambda key: key.footer)


def markdown() -> str:
    """The key table of the README."""
    lines = ["| key | does |", "|---|---|"]
    for key in BINDINGS:
        shown = " ".join(f"`{part}`" for part in key.shown.split())
        meaning = key.help.replace("|", "\\|")
        lines.append(f"| {shown} | {meaning} |")
    return "\n".join(lines)
