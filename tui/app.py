"""The dashboard's application: theme, palette, and the one screen it starts with."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from textual.screen import ModalScreen

from tui import format as fmt
from tui import keeping, keys
from tui.ascii_filter import AsciiFilter
from tui.key_list import BY_ID
from tui.keys import bindings
from tui.notes import noted
from tui.own_constants import use_own
from tui.resilient import Resilient
from tui.saved import Keeper, read, state_file
from tui.screens.dashboard import Dashboard
from tui.screens.details_screen import has_browser
from tui.session import Session
from tui.stylesheet import ThemeSheet
from tui.terminal import gone as terminal_gone
from tui.terminal import short
from tui.theme import DARK, PLAIN_TERMINALS, THEMES, shades, tones, usual_theme
from tui.type_ahead import TypeAhead
from tui.widgets import plain_bars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.style import Style
    from textual.binding import BindingType
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import SeverityLevel
    from textual.screen import Screen

    from tui.saved import Saved


WATCH_S = 2.0
"""So often is it looked whether the terminal is still there."""
HANG_UP = 1
"""SIGHUP's number."""
KEEP_S = 1.0
"""So often is it looked whether something changed that is to be kept."""


class RackrateApp(TypeAhead, Resilient):
    """rackrate on the full screen."""

    ALLOW_SELECT = False
    """Lines are painted whole, so Textual's selection marks and copies nothing of them; the terminal's own selects (with shift held)."""

    TITLE = "rackrate"
    CSS_PATH = "styles.tcss"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-narrow"),
        (100, "-normal"),
        (165, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - same
        (0, "-tiny"),
        (12, "-short"),
        (20, "-medium"),
        (30, "-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    ENABLE_COMMAND_PALETTE = False  # Textual's key for it could not be changed; ours is in the list of keys

    def __init__(
        self,
        session: Session | None = None,
        *,
        ascii_only: bool | None = None,
        theme: str | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        # Without colours Textual keeps what reverse and bold say only where it thinks that the terminal's own ones are used.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.stylesheet = ThemeSheet()
        self.session = session or Session()
        self.ascii_only = wants_ascii() if ascii_only is None else ascii_only
        plain_bars.use(ascii_only=self.ascii_only)
        self.set_class(self.ascii_only, "-ascii")
        self._last_look = [AsciiFilter()] if self.ascii_only else []
        self._said: dict[str, float] = {}
        """What has been said, and until when it is on the screen."""
        for ours in THEMES:
            self.register_theme(ours)
        self.usual_theme = DARK.name
        """What a reset brings back."""
        self.theme = theme if theme is not None and theme in self.available_themes else self.usual_theme
        self.keeper = keeper
        self.use_keys(self.session.settings.keys if self.session.settings is not None else {})

    @property
    def tones(self) -> dict[str, Style]:
        """Text styles of the present theme."""
        return tones(self.current_theme)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, and in ASCII mode the one that lets nothing else through."""
        return [*super().get_line_filters(), *self._last_look]

    def get_driver_class(self) -> type[Driver]:
        """The terminal's driver, which writes as little as it can."""
        return short(super().get_driver_class())

    def get_default_screen(self) -> Screen[None]:
        """Start on the dashboard."""
        return Dashboard(self.session)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for the themes that do not have them."""
        return shades(self.current_theme)

    def on_load(self) -> None:
        """Read the styles for the theme there is. Leave in order when told to, so that the terminal is given back as it was."""
        self.stylesheet.set_variables(self.get_css_variables())
        if self.is_headless or threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
            # Not on Windows.
            with suppress(NotImplementedError):
                if number is not None:
                    loop.add_signal_handler(number, self.leave, number)

    def leave(self, number: int) -> None:
        """End with the code that shells use for a signal."""
        self.exit(return_code=128 + number)

    def fit_terminal(self) -> None:
        """Take the theme that fits the terminal, unless another one was chosen before."""
        chosen = self.theme if self.theme != self.usual_theme else None
        self.usual_theme = usual_theme(os.environ, self.console.color_system).name
        self.theme = chosen or self.usual_theme

    def use_keys(self, own: Mapping[str, str]) -> None:
        """Put the user's own keys in force; those that cannot be used are told with the prices."""
        from tui import keymap

        used, told = keymap.read(own)
        keys.use(used)
        self.set_keymap(keymap.for_textual(used))
        self.session.messages += told

    def on_mount(self) -> None:
        """Repaint the self-painted widgets when the theme changes."""
        self.theme_changed_signal.subscribe(self, lambda _theme: self._restyle())
        if self.keeper is not None:
            self.keeper.tell = self._not_kept
            self.set_interval(KEEP_S, self._keep)
        if not self.is_headless:
            self.set_interval(WATCH_S, self._watch_terminal)

    def _watch_terminal(self) -> None:
        """Leave when the terminal has gone without a signal (a window closed over ssh, a multiplexer killed)."""
        if terminal_gone(getattr(self._driver, "fileno", -1)):
            self.leave(HANG_UP)

    def _keep(self) -> None:
        if self.keeper is not None:
            self.keeper.note(self.kept())

    def _not_kept(self, said: str) -> None:
        # Not waited for: who writes holds a lock that leaving waits for.
        self.call_later(self.notify, said, severity="warning", timeout=10)

    def kept(self) -> Saved:
        """What the next start is to find."""
        return keeping.collect(self.session, None if self.theme == self.usual_theme else self.theme)

    def _restyle(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Dashboard):
                screen.restyle(self.tones)
                screen.show()
            elif hasattr(screen, "restyle"):
                screen.restyle(self.tones)

    def action_next_theme(self) -> None:
        """Our own themes in turn; the palette offers all others."""
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]

    def action_help(self) -> None:
        """The help for where the user is."""
        from tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            where = getattr(self.screen, "where", "dialog")
            self.push_screen(HelpScreen(where, self.tones, ascii_only=self.ascii_only))

    def action_save_svg(self) -> None:
        """Write a picture of the screen to a new file."""
        from models.errors import RackrateError
        from tui import exporting

        try:
            path = exporting.write_svg(self.session, self.export_screenshot(title="rackrate"))
        except (RackrateError, OSError) as error:
            reason = getattr(error, "strerror", None) or error
            self.notify(f"The picture cannot be written: {reason}", severity="warning", timeout=8)
        else:
            self.notify(f"Wrote {path.name} in {path.parent}", timeout=8)

    def action_command_palette(self) -> None:
        """Everything by name."""
        from tui.screens.command_screen import CommandScreen

        below = self.screen
        if not isinstance(below, ModalScreen):
            self.push_screen(CommandScreen(below, self), lambda chosen: self._run(below, chosen))

    async def _run(self, below: Screen[Any], chosen: str | None) -> None:
        kind, _, name = (chosen or "").partition(":")
        if kind == "command":
            await below.run_action(BY_ID[name].command)
        elif kind == "theme":
            self.theme = name
        elif kind and isinstance(below, Dashboard):
            below.take(kind, name)

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Open a page in the browser, or say its address where there is none."""
        if has_browser():
            super().open_url(url, new_tab=new_tab)
            self.notify(f"Opening {url}")
        else:
            self.notify(f"There is no browser here. The page is {url}", severity="warning", timeout=15)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - Textual's callers give it
    ) -> None:
        """Say something that is not being said already; never as markup: names of models, files and keys are in it."""
        message = noted(fmt.shown(message, ascii_only=self.ascii_only), severity, self.size.width)
        # What was cut has got an ellipsis.
        message, title = (fmt.shown(text, ascii_only=self.ascii_only) for text in (message, title))
        now = time.monotonic()
        seconds = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self._said = {text: until for text, until in self._said.items() if until > now}
        if message not in self._said:
            self._said[message] = now + seconds
            super().notify(message, title=title, severity=severity, timeout=seconds, markup=False)


def wants_ascii() -> bool:
    """True where RACKRATE_ASCII is set or the terminal's encoding or font cannot show box and sign glyphs."""
    if (asked := os.environ.get("RACKRATE_ASCII", "")) or os.environ.get("TERM", "") in PLAIN_TERMINALS:
        return asked != "0"
    encoding = (getattr(sys.__stdout__, "encoding", None) or "utf-8").lower().replace("-", "")
    return not encoding.startswith("utf")


def started(session: Session | None = None, *, ascii_only: bool | None = None) -> RackrateApp:
    """The dashboard as the last time left it, ready to run."""
    session = session or Session()
    keeping.read_settings(session)
    path = state_file()
    session.first_start = not path.exists()
    saved, told = read(path)
    session.messages += told
    keeping.restore(session, saved)
    session.was_restored = not session.first_start
    return RackrateApp(session, ascii_only=ascii_only, theme=saved.theme, keeper=Keeper(path, saved))


def run(session: Session | None = None, *, ascii_only: bool | None = None) -> int:
    """Show the dashboard until the user leaves; the exit code."""
    # What a start makes lives as long as the program: there is no garbage to look for before the first table, and
    # freezing it then (RefreshKeys) keeps later looks short.
    gc.disable()
    session = session or Session()
    if note := use_own():
        session.messages.append(note)
    app = started(session, ascii_only=ascii_only)
    app.fit_terminal()
    try:
        app.run()
    finally:
        if (keeper := app.keeper) is not None:
            keeper.tell = lambda said: print(f"rackrate: {said}", file=sys.stderr)  # noqa: T201 - the screen is the shell's again
            keeper.finish(app.kept())
    return app.return_code or 0
