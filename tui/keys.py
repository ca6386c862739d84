"""Every key of the dashboard in one list: the bindings, the footer, the help screen, the palette and the README come from it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.keys import format_key


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
    where: str = "dashboard"
    """The screen, dialog or widget that the key belongs to: one of WHERES."""
    priority: bool = False
    """Comes before a text input that has the focus."""

    @property
    def command(self) -> str:
        """The action as a screen runs it, for a click or the list of commands."""
        return f"app.{self.action}" if self.where == "app" else self.action

    @property
    def now(self) -> str:
        """The keys as a person reads them, with the user's own."""
        return display(_OWN[self.id]) if self.id in _OWN else self.shown


_OWN: dict[str, str] = {}
"""The user's own keys by id, as Textual names them; `use` sets them once at the start."""


BINDINGS: tuple[Key, ...] = (
    # workload
    Key("workload.edit", "e", "edit_workload", "e", "edit", "edit the workload: Tab between fields, ↑ ↓ steps a value", "Workload", 4),
    Key("workload.model", "m", "pick_model", "m", "model", "choose the language model from a list", "Workload", 5),
    Key("workload.preset", "w", "pick_workload", "w", "workloads", "your saved workloads, and presets: chat, rag, ...", "Workload", 12),
    Key("workload.save", "W", "save_workload", "W", "", "save the workload under a name", "Workload"),
    Key("quant.pick", "b", "pick_quant", "b", "", "number formats: bits, size, published loss, offers that hold it", "Workload"),
    Key("quant.lower", "left_square_bracket", "step_quant(-1)", "[", "", "weights in fewer bits", "Workload"),
    Key("quant.higher", "right_square_bracket", "step_quant(1)", "]", "", "weights in more bits", "Workload"),
    Key("traffic.halve", "minus", "step_traffic(-1)", "-", "", "less traffic: ... 5 2 1 0.5 ...", "Workload"),
    Key("traffic.double", "equals_sign,plus", "step_traffic(1)", "=", "", "more traffic: ... 0.5 1 2 5 ...", "Workload"),
    Key("prompt.halve", "left_curly_bracket", "scale_prompt(0.5)", "{", "", "half the prompt length", "Workload"),
    Key("prompt.double", "right_curly_bracket", "scale_prompt(2)", "}", "", "twice the prompt length", "Workload"),
    Key("workload.undo", "u", "undo", "u", "undo", "undo the last change of the workload", "Workload", 13),
    Key("workload.redo", "U", "redo", "U", "", "redo it", "Workload"),
    # what the table shows
    Key("filter.edit", "slash", "edit_filter", "/", "filter", "filter: gpu>=24  $mo<900  provider:hetzner  !spot  words", "Table", 1),
    Key("filter.fit", "f", "cycle_fit", "f", "fit", "show all, those that hold the model, those that meet the targets", "Table", 6),
    Key("filter.kind", "t", "cycle_kind", "t", "type", "show any kind, GPU servers, CPU servers", "Table", 7),
    Key("filter.terms", "i", "cycle_terms", "i", "prices", "include more prices: all terms; then undated and old ones", "Table", 15),
    Key("filter.providers", "v", "pick_providers", "v", "", "choose providers from a list with their best price", "Table"),
    Key("jump", "J", "jump", "J", "", "jump to an offer by a part of its name; hides nothing", "Table"),
    Key("mark.toggle", "space", "mark", "space", "mark", "mark or unmark the offer and go down one", "Table", 16),
    Key("mark.clear", "C", "clear_marks", "C", "", "take all marks away", "Table"),
    Key("compare", "c", "compare", "c", "compare", "marked offers side by side; with one or none, this one and the next", "Table", 17),
    Key("alternatives", "a", "alternatives", "a", "other", "other quantizations and models on this server, side by side", "Table", 18),
    Key("copy.row", "y", "copy_row", "y", "copy", "copy the offer with its header, tab-separated", "Table", 19),
    Key("copy.table", "Y", "copy_table", "Y", "", "copy the marked offers, or this one, as a Markdown table", "Table"),
    Key("sort.menu", "s", "sort_menu", "s", "sort", "sort by a column; the same again reverses", "Table", 2),
    Key("sort.nth", "1,2,3,4,5,6,7,8,9", "sort_nth", "1-9", "", "sort by the n-th visible column; again reverses", "Table"),
    Key("sort.left", "less_than_sign", "sort_neighbour(-1)", "<", "", "sort by the column to the left", "Table"),
    Key("sort.right", "greater_than_sign", "sort_neighbour(1)", ">", "", "sort by the column to the right", "Table"),
    Key("columns.choose", "full_stop", "choose_columns", ".", "", "choose, move and widen the columns", "Table"),
    Key("cost.unit", "dollar_sign", "cycle_unit", "$", "", "cost of a million tokens, a month, an hour", "Table"),
    # moving
    Key("move.up", "up,k", "move(-1)", "↑ k", "", "up", "Moving", where="table"),
    Key("move.down", "down,j", "move(1)", "↓ j", "", "down", "Moving", where="table"),
    Key("move.page_up", "pageup,ctrl+u", "page(-1)", "PgUp", "", "a page up (also ctrl+u)", "Moving", where="table"),
    Key("move.page_down", "pagedown,ctrl+d", "page(1)", "PgDn", "", "a page down (also ctrl+d)", "Moving", where="table"),
    Key("move.first", "home,g", "first", "Home g", "", "first offer", "Moving", where="table"),
    Key("move.last", "end,G", "last", "End G", "", "last offer", "Moving", where="table"),
    Key("columns.left", "left,h", "scroll_columns(-1)", "← h", "", "columns to the left (the name stays)", "Moving", where="table"),
    Key("columns.right", "right,l", "scroll_columns(1)", "→ l", "", "columns to the right", "Moving", where="table"),
    Key("pane.next", "tab", "next_pane(1)", "Tab", "", "next pane: table, details, plot", "Moving"),
    Key("pane.previous", "shift+tab", "next_pane(-1)", "shift+Tab", "", "pane before", "Moving"),
    Key("pane.zoom", "z", "zoom", "z", "", "the pane with the focus on the whole screen, and back", "Moving"),
    Key("plot.next", "p", "next_plot(1)", "p", "plot", "next plot: price and speed, CPU or GPU, memory, latency, providers", "Moving", 8),
    Key("plot.previous", "P", "next_plot(-1)", "P", "", "plot before", "Moving"),
    Key("details.open", "enter", "details", "enter", "details", "details of the offer on the full screen", "Moving", 3),
    Key("back", "escape", "back", "esc", "", "back; clears the filter; cancels a refresh", "Moving"),
    # the rest
    Key("export", "x", "export", "x", "export", "write visible, marked or all offers to a file: CSV, JSON, Markdown", "More", 9),
    Key("export.svg", "S", "save_svg", "S", "", "save the screen as an SVG picture", "More", where="app"),
    Key("refresh", "r", "refresh", "r", "refresh", "fetch current prices (esc cancels)", "More", 10),
    Key("feeds", "F", "feeds", "F", "", "price feeds: what each said last, its age, what to do", "More"),
    Key("open.source", "o", "open_source", "o", "", "open the page the price comes from", "More"),
    Key("reset", "R", "reset", "R", "", "forget what was kept: workload, filter, order, columns, marks, theme as at first", "More"),
    Key("theme", "T", "next_theme", "T", "", "next colour theme", "More", where="app"),
    Key("help", "question_mark,f1", "help", "?", "help", "this help (also F1)", "More", 14, where="app"),
    Key("palette", "ctrl+p", "command_palette", "ctrl+p", "", "everything by name: models, themes and currencies too", "More", where="app"),
    Key("quit", "q", "app.quit", "q", "quit", "leave (ctrl+c too)", "More", 11),
    Key("quit.always", "ctrl+c", "quit", "ctrl+c", "", "leave, from anywhere", "More", where="app", priority=True),
    # the fields of the workload
    Key("field.next", "tab", "field(1)", "Tab", "", "next field", "Workload fields", where="workload"),
    Key("field.previous", "shift+tab", "field(-1)", "shift+Tab", "", "field before", "Workload fields", where="workload"),
    Key("field.up", "up", "step(1)", "↑", "", "next value up", "Workload fields", where="workload"),
    Key("field.down", "down", "step(-1)", "↓", "", "next value down", "Workload fields", where="workload"),
    Key("field.keep", "enter", "keep", "enter", "", "keep the value", "Workload fields", where="workload"),
    Key("field.cancel", "escape", "cancel", "esc", "", "take the change back", "Workload fields", where="workload"),
    # the filter, the jump, the choosers of columns and providers
    Key("filter.complete", "tab", "complete(1)", "Tab", "", "complete the word; again: the next candidate", "Filter", where="filter"),
    Key("filter.complete_back", "shift+tab", "complete(-1)", "shift+Tab", "", "the candidate before", "Filter", where="filter"),
    Key("filter.older", "up", "history(1)", "↑", "", "the filter used before", "Filter", where="filter"),
    Key("filter.newer", "down", "history(-1)", "↓", "", "the filter used after", "Filter", where="filter"),
    Key("filter.keep", "enter", "submit", "enter", "", "keep the filter", "Filter", where="filter"),
    Key("filter.clear", "escape", "screen.back", "esc", "", "clear the filter", "Filter", where="filter"),
    Key("jump.next", "down", "match(1)", "↓", "", "next match", "Jump", where="jump"),
    Key("jump.previous", "up", "match(-1)", "↑", "", "match before", "Jump", where="jump"),
    Key("jump.stay", "enter", "submit", "enter", "", "stay on the match", "Jump", where="jump"),
    Key("jump.back", "escape", "screen.back", "esc", "", "go back to where it was", "Jump", where="jump"),
    Key("columns.toggle", "space", "tick", "space", "", "show or hide the column", "Columns", where="columns"),
    Key("columns.up", "left_square_bracket,K,shift+up", "shift(-1)", "[ K", "", "left (also shift+↑)", "Columns", where="columns"),
    Key("columns.down", "right_square_bracket,J,shift+down", "shift(1)", "] J", "", "right (also shift+↓)", "Columns", where="columns"),
    Key("columns.narrower", "minus", "widen(-1)", "-", "", "narrower", "Columns", where="columns"),
    Key("columns.wider", "equals_sign,plus", "widen(1)", "=", "", "wider", "Columns", where="columns"),
    Key("columns.reset", "0", "reset", "0", "", "the usual columns and widths", "Columns", where="columns"),
    Key("columns.close", "escape,enter,full_stop,q", "dismiss(None)", "esc", "", "close", "Columns", where="columns", priority=True),
    Key("providers.toggle", "space", "tick", "space", "", "tick a provider", "Providers", where="providers", priority=True),
    Key("providers.up", "up,shift+tab", "move(-1)", "↑", "", "up", "Providers", where="providers", priority=True),
    Key("providers.down", "down,tab", "move(1)", "↓", "", "down", "Providers", where="providers", priority=True),
    Key("providers.page_up", "pageup", "move(-10)", "PgUp", "", "ten up", "Providers", where="providers", priority=True),
    Key("providers.page_down", "pagedown", "move(10)", "PgDn", "", "ten down", "Providers", where="providers", priority=True),
    Key("providers.apply", "enter", "apply", "enter", "", "show the ticked ones", "Providers", where="providers", priority=True),
    Key("providers.cancel", "escape", "dismiss(None)", "esc", "", "close without a change", "Providers", where="providers"),
    # details on the full screen
    Key("details.back", "escape,enter,q", "back", "esc", "", "back to the table (also enter, q)", "Details", where="details"),
    Key("details.previous", "left,h,p", "other(-1)", "← h", "", "offer before (also p)", "Details", where="details"),
    Key("details.next", "right,l,n", "other(1)", "→ l", "", "offer after (also n)", "Details", where="details"),
    Key("details.source", "o", "open_source", "o", "", "open the page the price comes from", "Details", where="details"),
    # plots
    Key("plot.before", "left,up,h,k", "step(-1)", "← ↑ h k", "", "to the point or bar before", "Plots", where="plot"),
    Key("plot.after", "right,down,l,j", "step(1)", "→ ↓ l j", "", "the next one, on the frontier the next better", "Plots", where="plot"),
    Key("plot.first", "home,g", "end(False)", "Home g", "", "to the first one", "Plots", where="plot"),
    Key("plot.last", "end,G", "end(True)", "End G", "", "to the last one", "Plots", where="plot"),
    Key("plot.table", "enter", "to_table", "enter", "", "to the offer in the table", "Plots", where="plot"),
    Key("plot.text", "t", "text", "t", "", "the plot as text (on the whole screen)", "Plots", where="plot"),
    Key("details.copy", "y", "copy", "y", "", "copy all of it as text", "Details", where="details"),
    # servers side by side
    Key("compare.back", "escape,q,c", "back", "esc", "", "back to the table (also q, c)", "Comparison", where="compare"),
    Key("compare.left", "left,h", "server(-1)", "← h", "", "server to the left", "Comparison", where="compare"),
    Key("compare.right", "right,l", "server(1)", "→ l", "", "server to the right", "Comparison", where="compare"),
    Key("compare.differing", "d", "differing", "d", "", "only the lines in which they differ; again all", "Comparison", where="compare"),
    Key("compare.open", "enter", "open", "enter", "", "details of the chosen server", "Comparison", where="compare"),
    Key("compare.unmark", "space", "unmark", "space", "", "unmark the chosen server and take it out", "Comparison", where="compare"),
    Key("compare.copy", "y", "copy('tsv')", "y", "", "copy the comparison, tab-separated", "Comparison", where="compare"),
    Key("compare.markdown", "Y", "copy('markdown')", "Y", "", "copy the comparison as a Markdown table", "Comparison", where="compare"),
    # other formats and models on one server
    Key("alternatives.view", "tab,shift+tab", "other_view", "Tab", "", "quantizations or models", "Alternatives", where="alternatives",
        priority=True),
    Key("alternatives.back", "escape,q,a", "dismiss(None)", "esc", "", "back, nothing changed", "Alternatives", where="alternatives"),
    # texts: details, help, reports
    Key("text.up", "up,k", "scroll_up", "↑ k", "", "a line up", "Texts", where="text"),
    Key("text.down", "down,j", "scroll_down", "↓ j", "", "a line down", "Texts", where="text"),
    Key("text.page_up", "pageup,ctrl+u", "page_up", "PgUp", "", "a page up (also ctrl+u)", "Texts", where="text"),
    Key("text.page_down", "pagedown,ctrl+d", "page_down", "PgDn", "", "a page down (also ctrl+d)", "Texts", where="text"),
    Key("text.first", "home,g", "scroll_home", "Home g", "", "to the beginning", "Texts", where="text"),
    Key("text.last", "end,G", "scroll_end", "End G", "", "to the end", "Texts", where="text"),
    Key("report.close", "escape,enter,q", "dismiss(None)", "esc", "", "close (also enter, q)", "Texts", where="report"),
    # lists to choose from
    Key("picker.up", "up,shift+tab", "move(-1)", "↑", "", "up", "Lists", where="picker", priority=True),
    Key("picker.down", "down,tab", "move(1)", "↓", "", "down", "Lists", where="picker", priority=True),
    Key("picker.page_up", "pageup", "move(-10)", "PgUp", "", "ten up", "Lists", where="picker", priority=True),
    Key("picker.page_down", "pagedown", "move(10)", "PgDn", "", "ten down", "Lists", where="picker", priority=True),
    Key("picker.cancel", "escape", "dismiss(None)", "esc", "", "close without a choice", "Lists", where="picker"),
    Key("workloads.delete", "delete,ctrl+d", "delete", "del", "", "delete your own workload under the cursor (also ctrl+d)", "Lists",
        where="workloads", priority=True),
    Key("name.cancel", "escape", "dismiss(None)", "esc", "", "close without saving", "Lists", where="name"),
    Key("list.up", "up,k", "move(-1)", "↑ k", "", "up", "Lists", where="list"),
    Key("list.down", "down,j", "move(1)", "↓ j", "", "down", "Lists", where="list"),
    Key("list.page_up", "pageup", "move(-10)", "PgUp", "", "ten up", "Lists", where="list"),
    Key("list.page_down", "pagedown", "move(10)", "PgDn", "", "ten down", "Lists", where="list"),
    Key("list.first", "home,g", "move(-100000)", "Home g", "", "first", "Lists", where="list"),
    Key("list.last", "end,G", "move(100000)", "End G", "", "last", "Lists", where="list"),
    Key("list.choose", "enter", "choose", "enter", "", "choose", "Lists", where="list"),
    # other dialogs
    Key("help.close", "escape,enter,q,question_mark,f1", "close", "esc", "", "close; first takes a search back", "Help", where="help"),
    Key("help.search", "slash", "search", "/", "", "search the help", "Help", where="help"),
    Key("export.cancel", "escape", "cancel", "esc", "", "close without writing", "Export", where="export"),
    Key("export.write", "enter", "write", "enter", "", "write the file", "Export", where="export"),
    Key("feeds.refresh", "r", "refresh_feed", "r", "", "fetch the prices of this feed only", "Price feeds", where="feeds"),
    Key("feeds.all", "R", "refresh_all", "R", "", "fetch the prices of all feeds", "Price feeds", where="feeds"),
    Key("feeds.stop", "x", "stop_refresh", "x", "", "stop the refresh", "Price feeds", where="feeds"),
    Key("feeds.close", "escape,q,F", "dismiss(None)", "esc", "", "close (also q); a refresh goes on", "Price feeds", where="feeds"),
    Key("failure.go_on", "enter,escape", "dismiss(None)", "enter", "", "go on (also esc)", "Errors", where="failure"),
    Key("failure.copy", "c,y", "copy_report", "c", "", "copy the report (also y)", "Errors", where="failure"),
    Key("failure.quit", "q", "app.quit", "q", "", "leave rackrate", "Errors", where="failure"),
    Key("dialog.help", "f1,question_mark", "app.help", "F1", "", "help for this (? too where nothing is typed)", "Lists", where="dialog"),
)  # fmt: skip

BY_ID = {key.id: key for key in BINDINGS}

GROUPS: tuple[str, ...] = ("Workload", "Table", "Moving", "More")
"""The groups of the main screen, in the help's order; those of other screens follow in the order of the list."""

WHERES: dict[str, tuple[str, tuple[str, ...]]] = {
    "table": ("the table", ("dashboard", "table", "app")),
    "pane": ("the details beside the table", ("text", "dashboard", "app")),
    "plot": ("the plot", ("plot", "dashboard", "app")),
    "dashboard": ("the main screen", ("dashboard", "table", "app")),
    "app": ("any screen", ("app",)),
    "workload": ("the fields of the workload", ("workload",)),
    "filter": ("the filter", ("filter",)),
    "jump": ("the jump", ("jump",)),
    "columns": ("the column chooser", ("columns", "list", "dialog")),
    "providers": ("the provider chooser", ("providers", "dialog")),
    "details": ("the details on the full screen", ("details", "text", "app")),
    "compare": ("servers side by side", ("compare", "text", "app")),
    "alternatives": ("other formats and models on one server", ("alternatives", "list", "dialog")),
    "text": ("texts that scroll", ("text",)),
    "report": ("a text", ("report", "text", "dialog")),
    "help": ("the help", ("help", "text")),
    "picker": ("a list", ("picker", "dialog")),
    "workloads": ("the list of workloads", ("workloads", "picker", "dialog")),
    "name": ("a name", ("name", "dialog")),
    "list": ("a list", ("list", "dialog")),
    "export": ("the export", ("export", "list", "dialog")),
    "feeds": ("the price feeds", ("feeds", "list", "dialog")),
    "failure": ("the report of an error", ("failure", "text", "dialog")),
    "dialog": ("dialogs", ("dialog",)),
    "palette": ("the list of commands", ("picker", "dialog")),
}
"""Where the user can be: how that is called, and whose keys work there together."""


def bindings(where: str) -> list[Binding]:
    """The keys of a screen, dialog or widget for its BINDINGS."""
    return textual_bindings(tuple(key for key in BINDINGS if key.where == where))


def textual_bindings(keys: tuple[Key, ...] = BINDINGS) -> list[Binding]:
    """Keys as Textual bindings; digits carry their number to the action."""
    made: list[Binding] = []
    for key in keys:
        parts = [(key.id, key.keys, key.action)]
        if key.id == "sort.nth":
            parts = [(f"sort.{digit}", digit, f"sort_nth({digit})") for digit in key.keys.split(",")]
        made += [
            Binding(pressed, action, key.help, show=False, id=name, priority=key.priority)
            for name, pressed, action in parts
        ]
    return made


def use(own: dict[str, str]) -> None:
    """Take the user's keys by id, as Textual names them, separated by commas; replaces those of before."""
    _OWN.clear()
    _OWN.update(own)


def keys_of(key: Key) -> list[str]:
    """Textual's names of a command's keys, with the user's own."""
    return _OWN.get(key.id, key.keys).split(",")


_SHORT = {"pageup": "PgUp", "pagedown": "PgDn", "escape": "esc", "tab": "Tab", "home": "Home", "end": "End", "enter": "enter",
          "shift+tab": "shift+Tab", "delete": "del", "backspace": "backspace", "space": "space"}  # fmt: skip


def display(names: str) -> str:
    """Textual's key names as a person reads them: "slash,ctrl+f" is "/ ctrl+f"."""
    return " ".join(_SHORT.get(name) or (name.upper() if name[:1] == "f" and name[1:].isdigit() else format_key(name))
                    for name in names.split(","))  # fmt: skip


def shown(key_id: str) -> str:
    """How a command's keys are written, for messages that name them. Raises KeyError for an unknown id."""
    return BY_ID[key_id].now


def first(key_id: str) -> str:
    """The first of a command's keys as written, where there is room for one only. Raises KeyError for an unknown id."""
    return BY_ID[key_id].now.split(" ")[0]


def while_typing(key_id: str) -> str:
    """The first of a command's keys that acts while text is typed; "" where all of them write something."""
    return next((display(name) for name in keys_of(BY_ID[key_id]) if len(format_key(name)) > 1), "")


def footer_keys() -> list[Key]:
    """The footer's commands, most important first."""
    return sorted((key for key in BINDINGS if key.footer), key=lambda key: key.footer)


def groups(keys: tuple[Key, ...] = BINDINGS) -> dict[str, list[Key]]:
    """The keys by group: the main screen's groups first, then the others in the order of the list."""
    found: dict[str, list[Key]] = {group: [] for group in GROUPS}
    for key in keys:
        found.setdefault(key.group, []).append(key)
    return {group: inside for group, inside in found.items() if inside}


def markdown() -> str:
    """The key tables of the README, one a group; those of the other screens are folded away."""
    lines: list[str] = []
    folded = False
    for group, keys in groups().items():
        if group not in GROUPS and not folded:
            folded = True
            lines += ["", "<details><summary>Keys inside fields, lists, plots and other screens</summary>"]
        lines += ["", f"| {group} | does |", "|---|---|"]
        for key in keys:
            meaning = key.help.replace("|", "\\|")
            lines.append(f"| {' '.join(f'`{part}`' for part in key.shown.split())} | {meaning} |")
    if folded:
        lines += ["", "</details>"]
    return "\n".join(lines[1:])
