"""Keys that choose which offers the table shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.widgets import Input, Static

from tui import format as fmt
from tui.columns import BY_ID
from tui.filter_line import hint, said
from tui.keys import first
from tui.rows import usual_sort
from tui.screens.base import DashboardBase
from tui.screens.recomputing import THREADED_OFFERS
from tui.screens.workload_keys import TYPING_PAUSE_S
from tui.state import FITS, KINDS, TERMS, following
from tui.widgets.filter_input import FilterInput

if TYPE_CHECKING:
    from pricing.market import Market


class FilterKeys(DashboardBase):
    """The filter line with completion and history; type, fit, terms; providers."""

    _used = -1
    """Place in the filters used before, -1 = what is typed now."""
    _draft = ""
    """What was typed before going through the filters used before."""
    _completed: tuple[str, Any, int, str] | None = None
    """The text before, what it can become, which of those it is, and the text after a completion."""

    @property
    def _field(self) -> FilterInput:
        return self.query_one("#filter", FilterInput)

    def action_edit_filter(self) -> None:
        """Type a filter."""
        self._open_filter(is_open=True)
        field = self._field
        with field.prevent(Input.Changed):
            field.value = self.session.view.where
        field.cursor_position = len(field.value)
        self._used, self._completed = -1, None
        field.focus()
        self._hint_filter()
        self._show_lines()
        if self.session.market is not None and len(self.session.market) >= THREADED_OFFERS:
            self._learn_words(self.session.market)

    @work(thread=True, exclusive=True, group="words")
    def _learn_words(self, market: Market) -> None:
        from tui.completion import words

        words(market)

    def _open_filter(self, *, is_open: bool) -> None:
        self.query_one("#filter-box").set_class(is_open, "-open")
        self.query_one("#filter-hint").set_class(is_open, "-open")
        self.line("filter-line").display = not is_open and self.size.height >= 9

    @on(Input.Changed, "#filter")
    def _filter_typed(self, event: Input.Changed) -> None:
        if not self.filtering:  # typed ahead, behind the enter that closed it
            return
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE_S, lambda: self._use_filter(event.value))

    def _use_filter(self, text: str) -> None:
        self._typing = None
        fine = self.session.set_where(text)
        self._field.set_class(not fine, "-invalid-value")
        self._hint_filter()
        if fine:
            self.rearrange()

    def _hint_filter(self) -> None:
        error, options, chosen, meaning = self.session.where_error, (), -1, ""
        field = self._field
        if self._completed is not None and self._completed[3] == field.value:
            options, chosen = self._completed[1].options, self._completed[2]
        elif self.session.comparison is not None and field.value:
            found = self._completion()
            options, meaning = found.options, found.meaning
            if options and f"{found.word!r}" in error:  # half a term is no mistake yet
                error = ""
        text, tone = hint(error, options, chosen, meaning)
        shown = said(text, tone, self.app.tones, ascii_only=self.app.ascii_only)
        self.query_one("#filter-hint", Static).update(shown)

    def _completion(self) -> Any:
        from tui.completion import completion

        assert self.session.comparison is not None  # noqa: S101 - callers have checked
        return completion(self._field.value, self._field.cursor_position, self.session.comparison)

    @on(FilterInput.Complete)
    def _complete(self, message: FilterInput.Complete) -> None:
        field = self._field
        if self.session.comparison is None:
            return
        if self._completed is not None and self._completed[3] == field.value:
            before, found, place, _ = self._completed
            place = (place + message.step) % len(found.options)
        else:
            before, found, place = field.value, self._completion(), 0 if message.step > 0 else -1
            if not found.options:
                return
            place %= len(found.options)
        option = found.options[place]
        text = found.apply(before, option)
        # Behind a field's name the next Tab is for its values.
        self._completed = None if option.endswith((":", "=")) else (before, found, place, text)
        field.value = text
        field.cursor_position = found.start + len(option)

    @on(FilterInput.History)
    def _other_filter(self, message: FilterInput.History) -> None:
        field, wheres = self._field, self.session.wheres
        if self._used < 0:
            self._draft = field.value
        place = max(-1, min(self._used + message.step, len(wheres) - 1))
        if place >= 0 and self._used < 0 and wheres[place] == field.value:  # what stands there is no older filter
            place = min(place + 1, len(wheres) - 1)
        if place == self._used:
            return
        self._used = place
        field.value = wheres[place] if place >= 0 else self._draft
        field.cursor_position = len(field.value)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._use_filter(event.value)
        if not self.session.where_error:
            self.session.remember_where()
            self._leave_filter()

    def _leave_filter(self) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._typing = None
        self._open_filter(is_open=False)
        self._field.remove_class("-invalid-value")
        self.session.where_error = ""
        self.back_to_pane()
        self._show_lines()

    def _view(self, **changes: Any) -> None:
        self.session.view = self.session.view.changed(**changes)
        self.rearrange()

    def clear_filter(self) -> None:
        """Show all again: one key takes away whatever hides offers; a filter that was typed can be had back."""
        where = self.session.view.where
        self.session.remember_where()
        self.session.where_error = ""
        if self.filtering:
            self._leave_filter()
            self._view(where="")
        else:
            self._view(where="", kind="any", fit="all", terms=TERMS[0])
        if where:
            back = f"{first('filter.edit')} {first('filter.older')}"
            self.notify(f"Cleared {where}\n{back} brings it back.", timeout=4)

    def action_drop_term(self, place: int) -> None:
        """Take one term out of the filter."""
        from pricing.where import terms_of

        terms = terms_of(self.session.view.where)
        if 0 <= place < len(terms):
            self.session.remember_where()
            self._view(where=" ".join(terms[:place] + terms[place + 1 :]))

    def action_cycle_fit(self) -> None:
        """All, those that hold the model, those that meet the targets."""
        self._view(fit=following(FITS, self.session.view.fit))

    def action_cycle_kind(self) -> None:
        """Any, GPU, CPU."""
        self._view(kind=following(KINDS, self.session.view.kind))

    def action_cycle_terms(self) -> None:
        """On-demand and monthly, all terms, everything."""
        self._view(terms=following(TERMS, self.session.view.terms))

    def action_pick_providers(self) -> None:
        """Choose whose offers are shown."""
        from tui.screens.provider_screen import ProviderScreen
        from tui.sellers import providers_in, sellers

        if self.session.comparison is not None:
            chosen = providers_in(self.session.view.where)
            usual = BY_ID[usual_sort(self.session.comparison.workload)]
            cost = usual.title(fmt.symbol(self.session.comparison.terms.currency))
            screen = ProviderScreen(sellers(self.session), chosen, cost, ascii_only=self.app.ascii_only)
            self.app.push_screen(screen, self._providers_picked)

    def _providers_picked(self, names: tuple[str, ...] | None) -> None:
        from tui.sellers import with_providers

        if names is not None:
            self.session.remember_where()
            if self.session.set_where(with_providers(self.session.view.where, names)):
                self.session.remember_where()
            self.rearrange()
