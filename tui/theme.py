"""Colours: a dark and a light theme of blue and orange (Okabe-Ito), so that no meaning hangs on red against green."""

from __future__ import annotations

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

DARK = Theme(
    name="rackrate",
    dark=True,
    primary="#56b4e9",
    secondary="#8fb8d0",
    accent="#e69f00",
    warning="#e69f00",
    error="#e69f00",
    success="#56b4e9",
    foreground="#d5dce4",
    background="#0f1419",
    surface="#151b22",
    panel="#1b232c",
    boost="#222c37",
    variables={
        "border": "#33404d",
        "border-blurred": "#26303a",
        "input-cursor-background": "#56b4e9",
        "input-selection-background": "#2b4a63",
        "scrollbar": "#33404d",
        "scrollbar-hover": "#4a5c6e",
        "scrollbar-active": "#56b4e9",
        "scrollbar-background": "#151b22",
        "footer-key-foreground": "#56b4e9",
        "muted": "#8794a1",
        "faint": "#5a6773",
        "block-cursor-background": "#26465f",
        "block-cursor-foreground": "#ffffff",
    },
)

LIGHT = Theme(
    name="rackrate-light",
    dark=False,
    primary="#0067a5",
    secondary="#3d6b8a",
    accent="#a35400",
    warning="#a35400",
    error="#a35400",
    success="#0067a5",
    foreground="#1d252d",
    background="#fbfbf8",
    surface="#f3f4f1",
    panel="#e9ebe8",
    boost="#dfe3e3",
    variables={
        "border": "#b9c1c7",
        "border-blurred": "#d0d6da",
        "input-cursor-background": "#0067a5",
        "input-selection-background": "#bcd9ec",
        "scrollbar": "#b9c1c7",
        "scrollbar-hover": "#93a0aa",
        "scrollbar-active": "#0067a5",
        "scrollbar-background": "#f3f4f1",
        "footer-key-foreground": "#0067a5",
        "muted": "#5a6570",
        "faint": "#8a949d",
        "block-cursor-background": "#cfe4f3",
        "block-cursor-foreground": "#0b1a26",
    },
)

THEMES = (DARK, LIGHT)


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
