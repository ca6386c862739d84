"""The provider chooser: whose offers the table shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Input

from tui import format as fmt
from tui.key_list import BY_ID
from tui.keys import bindings, first, keys_of
from tui.screens.dialog import Dialog
from tui.screens.picker import ROOMY, nearness, score
from tui.widgets.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.sellers import Seller


class NameInput(Input):
    """A part of a name; the key that ticks is not typed."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text."""
        return key not in keys_of(BY_ID["providers.toggle"]) and super().check_consume_key(key, character)


class ProviderScreen(Dialog["tuple[str, ...] | None"]):
    """Providers with a tick each; returns the ticked ones, none = all; None on escape."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("providers")]
    where: ClassVar[str] = "providers"

    def __init__(
        self, sellers: Sequence[Seller], ticked: Sequence[str], currency: str, *, ascii_only: bool = False
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        known = {seller.name.lower(): seller.name for seller in sellers}
        self.sellers = list(sellers)
        self.ticked = [known[name.lower()] for name in ticked if name.lower() in known]
        self.touched = bool(self.ticked)
        """Whether the ticks are what counts, rather than the line under the cursor."""
        self.sign = fmt.symbol(currency)
        self.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """What is typed, the column heads, the list."""
        heads = f"    {fmt.fit_width('Provider', 18)} {'Offers':>7} {'best ' + self.sign + '/Mtok':>12} {'Price':>8}"
        with Vertical(classes="dialog tall") as dialog:
            dialog.border_title = "Providers"
            keys = (("ticks several", "toggle"), ("shows them", "apply"), ("cancels", "cancel"))
            hint = " · ".join(f"{first(f'providers.{name}')} {label}" for label, name in keys)
            dialog.border_subtitle = fmt.to_ascii(hint) if self.ascii_only else hint
            yield NameInput(placeholder="type a part of the name", compact=True)
            yield ChoiceList([Choice("", heads)], ascii_only=self.ascii_only)
            yield ChoiceList(ascii_only=self.ascii_only)

    def on_mount(self) -> None:
        """Show all, with the first ticked one under the cursor."""
        for widget in self.query(ChoiceList):
            widget.can_focus = False
        heads = self.query(ChoiceList).first()
        heads.cursor = -1
        heads.add_class("heads")
        self._narrow("")
        if self.ticked:
            ids = [choice.id for choice in self.options.choices]
            self.options.show(self.options.choices, ids.index(self.ticked[0]))
        self.on_resize()

    def on_resize(self) -> None:
        """As high as the list, within the screen."""
        frame = 2 if self.query_one(Vertical).styles.border.top[0] else 0
        height = self.app.size.height
        available = height if frame == 0 or height < ROOMY else round(height * 0.9)
        self.query_one(Vertical).styles.height = max(min(len(self.sellers) + 3 + frame, available), 3)

    @property
    def options(self) -> ChoiceList:
        """The list."""
        return self.query(ChoiceList).last()

    def _choice(self, seller: Seller) -> Choice:
        tick = "[x]" if seller.name in self.ticked else "[ ]"
        cost = fmt.number(seller.cheapest, decimals=3)
        age = (
            fmt.age(seller.age_days) if seller.age_days is not None else fmt.MISSING if not seller.offers else "undated"
        )
        name = fmt.fit_width(fmt.clean(seller.name), 18)
        return Choice(seller.name, f"{tick} {name} {seller.offers:>7,} {cost:>12} {age:>8}", seller.name)

    def _narrow(self, typed: str, keep: str | None = None) -> None:
        choices = [self._choice(seller) for seller in self.sellers]
        if typed.strip():
            scored = [(score(typed, choice.words), choice) for choice in choices]
            found = [(points, choice) for points, choice in scored if points is not None]
            found.sort(key=lambda pair: (nearness(typed, pair[1]), -pair[0]))
            choices = [choice for _, choice in found]
        else:
            tick = "[ ]" if self.ticked else "[x]"
            choices.insert(0, Choice("", f"{tick} any provider"))
        ids = [choice.id for choice in choices]
        self.options.show(choices, ids.index(keep) if keep in ids else 0)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow as typed."""
        self._narrow(event.value)

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
        self._narrow(self.query_one(Input).value, keep=choice.id)

    def action_move(self, step: int) -> None:
        """Move the cursor in the list while the text keeps the focus."""
        self.options.action_move(step)
