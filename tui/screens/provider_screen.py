"""The provider chooser: whose offers the table shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Input

from tui import format as fmt
from tui.key_list import BY_ID
from tui.keys import bindings, hints, keys_of
from tui.screens.narrowing import Narrowing, matching
from tui.widgets.choice_list import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from tui.sellers import Seller
    from tui.widgets.choice_list import ChoiceList


class NameInput(Input):
    """A part of a name; the key that ticks is not typed."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text."""
        return key not in keys_of(BY_ID["providers.toggle"]) and super().check_consume_key(key, character)


class ProviderScreen(Narrowing["tuple[str, ...] | None"]):
    """Providers with a tick each; returns the ticked ones, none = all; None on escape."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("providers")]
    where: ClassVar[str] = "providers"

    def __init__(
        self, sellers: Sequence[Seller], ticked: Sequence[str], cost: str, *, ascii_only: bool = False
    ) -> None:
        heads = f"    {fmt.fit_width('Provider', 18)} {'Offers':>7} {f'best {cost}':>12} {'Price':>8}"
        super().__init__("Providers", Choice("", heads), ascii_only=ascii_only)
        known = {seller.name.lower(): seller.name for seller in sellers}
        self.sellers = list(sellers)
        self.ticked = [known[name.lower()] for name in ticked if name.lower() in known]
        self.touched = bool(self.ticked)
        """Whether the ticks are what counts, rather than the line under the cursor."""

    def field(self) -> Input:
        """The input, which leaves the key that ticks to the list."""
        return NameInput(placeholder="type a part of the name", compact=True)

    def on_mount(self) -> None:
        """Show all, with the first ticked one under the cursor."""
        super().on_mount()
        keys = (
            ("ticks several", "providers.toggle"),
            ("shows them", "providers.apply"),
            ("cancels", "providers.cancel"),
        )
        self.entitle(self.query_one(Vertical), keys=hints(*keys))
        if self.ticked:
            self._show(self.ticked[0])

    def lines(self) -> int:
        """How many lines the list has at most."""
        return len(self.sellers) + 1

    def _choice(self, seller: Seller) -> Choice:
        tick = "[x]" if seller.name in self.ticked else "[ ]"
        cost = fmt.number(seller.cheapest, decimals=3)
        age = (
            fmt.age(seller.age_days) if seller.age_days is not None else fmt.MISSING if not seller.offers else "undated"
        )
        name = fmt.fit_width(fmt.clean(seller.name), 18)
        return Choice(seller.name, f"{tick} {name} {seller.offers:>7,} {cost:>12} {age:>8}", seller.name)

    def narrow(self) -> None:
        """Show the providers that answer the text."""
        self._show()

    def _show(self, cursor: str | None = None) -> None:
        choices = [self._choice(seller) for seller in self.sellers]
        if self.typed.strip():
            choices = matching(self.typed, choices)
        else:
            tick = "[ ]" if self.ticked else "[x]"
            choices.insert(0, Choice("", f"{tick} any provider"))
        ids = [choice.id for choice in choices]
        self.options.show(choices, ids.index(cursor) if cursor in ids else 0)

    def action_apply(self) -> None:
        """The ticked ones, or the one under the cursor where nothing was ticked."""
        if self.touched:
            self.dismiss(tuple(self.ticked))
        elif self.options.current is not None:
            name = self.options.current.id
            self.dismiss((name,) if name else ())

    def on_choice_list_chosen(self, event: ChoiceList.Chosen) -> None:
        """A click ticks a line."""
        if event.choice in self.options.choices:
            self.action_tick()

    def action_tick(self) -> None:
        """Tick or untick the line under the cursor; "any provider" unticks all."""
        choice = self.options.current
        if choice is None:
            return
        self.touched = True
        if not choice.id:
            self.ticked = []
        elif choice.id in self.ticked:
            self.ticked.remove(choice.id)
        else:
            self.ticked.append(choice.id)
        self._show(choice.id)
