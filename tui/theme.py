"""Colours: themes of blue and orange (Okabe-Ito), so that no meaning hangs on red against green, and which one a terminal gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping


def _theme(name: str, *, primary: str, accent: str, grounds: tuple[str, str, str, str], **more: Any) -> Theme:
    """A theme of two hues: one for what is well and can be acted on, one for what needs a look."""
    background, surface, panel, boost = grounds
    return Theme(name=name, primary=primary, success=primary, accent=accent, warning=accent, error=accent,
                 background=background, surface=surface, panel=panel, boost=boost, **more)  # fmt: skip


DARK = _theme(
    "rackrate", dark=True, primary="#56b4e9", secondary="#8fb8d0", accent="#e69f00", foreground="#d5dce4",
    grounds=("#0f1419", "#151b22", "#1b232c", "#222c37"),
    variables={
        "muted": "#8794a1", "faint": "#66737f", "border": "#33404d", "border-blurred": "#26303a",
        "scrollbar": "#33404d", "scrollbar-hover": "#4a5c6e", "scrollbar-active": "#56b4e9",
        "scrollbar-background": "#151b22",
        "input-cursor-background": "#56b4e9", "input-selection-background": "#2b4a63",
        "block-cursor-background": "#1f3d54", "block-cursor-foreground": "#ffffff",
    },
)  # fmt: skip
LIGHT = _theme(
    "rackrate-light", dark=False, primary="#0067a5", secondary="#3d6b8a", accent="#964c00", foreground="#1d252d",
    grounds=("#fbfbf8", "#f3f4f1", "#e9ebe8", "#dfe3e3"),
    variables={
        "muted": "#5a6570", "faint": "#7d8790", "border": "#b9c1c7", "border-blurred": "#d0d6da",
        "scrollbar": "#b9c1c7", "scrollbar-hover": "#93a0aa", "scrollbar-active": "#0067a5",
        "scrollbar-background": "#f3f4f1",
        "input-cursor-background": "#0067a5", "input-selection-background": "#bcd9ec",
        "block-cursor-background": "#cfe4f3", "block-cursor-foreground": "#0b1a26",
    },
)  # fmt: skip
CONTRAST = _theme(
    "rackrate-contrast", dark=True, primary="#7cc8ff", secondary="#a8d8f5", accent="#ffb000", foreground="#ffffff",
    grounds=("#000000", "#0a0a0a", "#161616", "#2a2a2a"),
    variables={
        "muted": "#d0d0d0", "faint": "#a8a8a8", "border": "#a0a0a0", "border-blurred": "#808080",
        "scrollbar": "#808080", "scrollbar-hover": "#b0b0b0", "scrollbar-active": "#ffffff",
        "scrollbar-background": "#161616",
        "input-cursor-background": "#ffffff", "input-selection-background": "#005a9c",
        "block-cursor-background": "#003f70", "block-cursor-foreground": "#ffffff",
    },
)  # fmt: skip
CONTRAST_LIGHT = _theme(
    "rackrate-contrast-light", dark=False, primary="#004a80", secondary="#00375f", accent="#7a3a00", foreground="#000000",
    grounds=("#ffffff", "#f7f7f7", "#ececec", "#d8d8d8"),
    variables={
        "muted": "#333333", "faint": "#595959", "border": "#5a5a5a", "border-blurred": "#707070",
        "scrollbar": "#707070", "scrollbar-hover": "#404040", "scrollbar-active": "#000000",
        "scrollbar-background": "#ececec",
        "input-cursor-background": "#000000", "input-selection-background": "#9fd0f5",
        "block-cursor-background": "#b8dcfa", "block-cursor-foreground": "#000000",
    },
)  # fmt: skip


def _sixteen(name: str, *, dark: bool, primary: str, accent: str) -> Theme:
    """A theme of the terminal's own colours; the cursor is its text colour reversed, which any pair of colours allows."""
    plain = "ansi_default"
    return _theme(
        name, ansi=True, dark=dark, primary=primary, secondary=primary, accent=accent, foreground=plain,
        grounds=(plain, plain, plain, plain),
        variables={
            "border": "ansi_bright_black", "border-blurred": "ansi_bright_black", "scrollbar": "ansi_bright_black",
            "scrollbar-hover": plain, "scrollbar-active": primary, "scrollbar-background": plain,
            "muted": plain, "faint": "ansi_bright_black",
            "ansi-background": "ansi_black" if dark else "ansi_white", "ansi-foreground": "ansi_white" if dark else "ansi_black",
            "block-cursor-background": "ansi_white" if dark else "ansi_black",
            "block-cursor-foreground": "ansi_black" if dark else "ansi_white",
            "input-cursor-background": "ansi_white" if dark else "ansi_black",
            "input-cursor-foreground": "ansi_black" if dark else "ansi_white", "input-cursor-text-style": "none",
            "input-selection-background": primary, "input-selection-foreground": "ansi_black" if dark else "ansi_white",
        },
    )  # fmt: skip


SIXTEEN = _sixteen("rackrate-ansi", dark=True, primary="ansi_bright_cyan", accent="ansi_bright_yellow")
SIXTEEN_LIGHT = _sixteen("rackrate-ansi-light", dark=False, primary="ansi_blue", accent="ansi_red")

THEMES = (DARK, LIGHT, CONTRAST, CONTRAST_LIGHT, SIXTEEN, SIXTEEN_LIGHT)
"""Ours, in the order of the key that takes the next one."""

PLAIN_TERMINALS = frozenset({"linux", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25", "dumb"})
"""Values of TERM whose fonts or sets of characters lack the signs of the tables."""


def is_light(environ: Mapping[str, str]) -> bool:
    """Whether the terminal says that its background is light: some set COLORFGBG to "text;background"."""
    return environ.get("COLORFGBG", "").rpartition(";")[2] in {"7", "15"}


def usual_theme(environ: Mapping[str, str], color_system: str | None) -> Theme:
    """What fits the terminal: its background, and its own colours where it has only sixteen."""
    light = is_light(environ)
    if color_system in {None, "standard"}:
        return SIXTEEN_LIGHT if light else SIXTEEN
    return LIGHT if light else DARK


def shades(theme: Theme) -> dict[str, str]:
    """The colours that only our themes name, for any theme: weaker than its text, and weaker still."""
    if theme.ansi:  # sixteen colours that the terminal chooses: nothing can be mixed from them
        return {"muted": "ansi_default", "faint": "ansi_bright_black"}
    made = theme.to_color_system().generate()
    foreground, background = Color.parse(made["foreground"]), Color.parse(made["background"])
    return {"muted": foreground.blend(background, 0.3).hex, "faint": foreground.blend(background, 0.55).hex}


def tones(theme: Theme) -> dict[str, Style]:
    """Named text styles for widgets that paint their own lines; each tone goes with a glyph or a word that says the same."""
    variables = shades(theme) | theme.variables
    muted, faint = variables["muted"], variables["faint"]
    foreground = theme.foreground or ("#dddddd" if theme.dark else "#222222")

    def style(colour: str | None, *, bold: bool = False) -> Style:
        # Textual's names of colours ("ansi_default") are not Rich's.
        return Style(color=Color.parse(colour).rich_color if colour else None, bold=bold or None)

    return {
        "text": style(foreground),
        "strong": style(foreground, bold=True),
        "muted": style(muted),
        "faint": style(faint),
        "good": style(theme.success or theme.primary),
        "miss": style(theme.warning or theme.accent, bold=True),
        "accent": style(theme.primary, bold=True),
        "key": style(theme.primary, bold=True),
        "gpu": style(theme.primary),
        "cpu": style(foreground),
        "weights": style(theme.primary),
        "kv": style(theme.accent),
        "overhead": style(muted),
        "free": style(faint),
    }
