"""The app's styles, which are not read again for a theme that they were read for."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet


class ThemeSheet(Stylesheet):
    """A start sets its theme, and then Textual tells that it was set: the second reading would cost as much as the first."""

    _unchanged = False

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take a theme's colours."""
        self._unchanged = variables == self._variables
        if not self._unchanged:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Read all styles again, unless the colours just set were those before."""
        if not self._unchanged:
            super().reparse()
        self._unchanged = False
