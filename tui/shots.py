"""Draws screenshots/ from the running dashboard: `make shots`, or `python -m tui.shots [NAME ...]`.

Each picture is the real application, driven by keys without a terminal, on a fixed day and without a network. PNG files
need cairosvg (`make shots` installs it); without it only the SVG files are written.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui import shot_states as states
from tui.exporting import plain_svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.app import RackrateApp
    from tui.session import Session

FOLDER = Path(__file__).resolve().parents[1] / "screenshots"
DAY = "2026-11-30"
SIZES = ((80, 24), (120, 36), (200, 50))
LIMIT_S = 60
SCALE, COLOURS = 9 / 12.2, 80


@dataclass(frozen=True, slots=True)
class Shot:
    """One state of the dashboard and the keys that lead there."""

    name: str
    keys: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = SIZES
    narrow: tuple[str, ...] | None = None
    """Other keys below 100 columns, where a plot has the whole screen at once."""
    theme: str = ""
    no_color: bool = False
    ascii_only: bool = False
    setup: Callable[[Session], None] | None = None
    """Done to the session before the start."""
    after: Callable[[RackrateApp], None] | None = None
    """Done to the application before the keys."""


def typed(text: str) -> tuple[str, ...]:
    """A text as single keys."""
    names = {" ": "space", ">": "greater_than_sign", "<": "less_than_sign", "=": "equals_sign", "$": "dollar_sign",
             ":": "colon", ".": "full_stop", "-": "minus", "!": "exclamation_mark"}  # fmt: skip
    return tuple(names.get(char, char) for char in text)


GPU_70B = ("m", *typed("llama-3.3-70b"), "enter", "w", *typed("rag"), "enter", *("equals_sign",) * 2)

IN_HOUSE = ("w", *typed("internal"), "enter")
"""An in-house assistant with patient users: a question that CPUs answer, too."""

NO_ROOM = (
    *("m", *typed("llama-3.1-405b"), "enter", "right_square_bracket"),
    *("slash", *typed("gpus=8 h100"), "enter", "f"),
)

MARKED = ("space", "space", "down", "space")

SHOTS = (
    Shot("start"),
    Shot("moved", ("down",) * 4),
    # the plots
    Shot("pareto", ("tab", "tab", "z", "right", "right"), narrow=("p", "right", "right")),
    Shot("crossover", (*IN_HOUSE, "p", "tab", "tab", "z"), narrow=(*IN_HOUSE, "p", "p")),
    Shot("memory", (*MARKED, "p", "p", "tab", "tab", "z"), narrow=(*MARKED, "p", "p", "p")),
    Shot("latency", (*("p",) * 3, "tab", "tab", "z"), narrow=("p",) * 4),
    Shot("providers", (*("p",) * 4, "tab", "tab", "z"), narrow=("p",) * 5),
    Shot("plot-as-text", ("tab", "tab", "z", "t"), narrow=("p", "t")),
    # one offer, several offers
    Shot("details", ("down", "down", "enter")),
    Shot("details-end", ("down", "down", "enter", "end")),
    Shot("compare", (*("space",) * 3, "c")),
    Shot("compare-differences", (*("space",) * 3, "c", "d")),
    Shot("alternatives", ("a",)),
    Shot("advice", ("A",)),
    # the table
    Shot("sort", ("s",)),
    Shot("columns-chooser", ("full_stop",)),
    Shot("columns", ("right",) * 4),
    Shot("providers-chooser", ("v",)),
    Shot("jump", ("J", *typed("hetz"))),
    Shot("filter", ("slash", *typed("gpu>=24 $mo<900"))),
    Shot("filter-completion", ("slash", *typed("provider:h"))),
    Shot("filter-error", ("slash", *typed("gpus>=many"))),
    Shot("cpu", ("t", "t", "f", "down")),
    # the workload
    Shot("edit", ("e", "tab", "down", "tab")),
    Shot("edit-error", ("e", "tab", *typed("q99"))),
    Shot("models", ("m", *typed("qwen3"))),
    Shot("quants", ("b",)),
    Shot("workloads", ("W", *typed("our chat"), "enter", "w")),
    Shot("llama-70b", GPU_70B),
    # help, commands, export
    Shot("help", ("question_mark",)),
    Shot("palette", ("ctrl+p", *typed("sort"))),
    Shot("export", (*MARKED, "x")),
    # states
    Shot("first-start", setup=states.first_start),
    Shot("refreshing", ("down",), after=states.refreshing),
    Shot("refreshing-feeds", ("F",), after=states.refreshing),
    Shot("feeds", ("F",), setup=states.partly),
    Shot("feed", ("F", "down", "enter"), setup=states.partly),
    Shot("stale", ("down",), setup=states.stale),
    Shot("offline", ("down",), setup=states.offline, after=states.no_network),
    Shot("error", after=states.mistake),
    Shot("empty", ("slash", *typed("gpu>=999"), "enter")),
    Shot("nothing-fits", NO_ROOM),
    Shot("unknown-hardware", ("slash", *typed("unknown"), "enter", "down", "enter")),
    Shot("tiny", ("down",), ((60, 15), (40, 10), (30, 6))),
    # colours and signs
    Shot("light", ("down",) * 2, theme="rackrate-light"),
    Shot("contrast", ("down",) * 2, theme="rackrate-contrast"),
    Shot("contrast-light", ("down",) * 2, theme="rackrate-contrast-light"),
    Shot("sixteen-colours", ("down",) * 2, theme="rackrate-ansi"),
    Shot("no-colour", ("down",) * 2, no_color=True),
    Shot("ascii", ("down",) * 2, ascii_only=True),
)


async def take(shot: Shot, size: tuple[int, int]) -> str:
    """Drive the application and return the picture as SVG."""
    from tui.app import RackrateApp
    from tui.session import Session

    session = Session()
    if shot.setup is not None:
        shot.setup(session)
    app = RackrateApp(session, ascii_only=shot.ascii_only)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(app, pilot)
        if shot.theme:
            app.theme = shot.theme
        if shot.after is not None:
            shot.after(app)
            await settle(app, pilot)
        for key in shot.narrow if shot.narrow is not None and size[0] < 100 else shot.keys:
            await pilot.press(key)
            await settle(app, pilot)
        return app.export_screenshot(title=f"rackrate · {size[0]}x{size[1]}")


async def settle(app: object, pilot: object) -> None:
    """Wait until loading, typing pauses and comparisons are over."""
    screen = app.screen_stack[0]  # type: ignore[attr-defined]
    give_up = time.monotonic() + LIMIT_S
    while time.monotonic() < give_up and app.is_running:  # type: ignore[attr-defined]
        await app.workers.wait_for_complete()  # type: ignore[attr-defined]
        await pilot.pause()  # type: ignore[attr-defined]
        if screen.session.rows is not None and screen.idle:
            return
    raise TimeoutError("the dashboard did not come to rest")


def write_png(svg: str, path: Path) -> bool:
    """Turn an SVG into a PNG; False where cairosvg (which brings Pillow) is not installed."""
    try:
        import cairosvg  # type: ignore[import-not-found,import-untyped,unused-ignore]
        from PIL import Image  # type: ignore[import-not-found,unused-ignore]
    except (ImportError, OSError):
        return False
    # A cell of 12.2 x 24.4 becomes 9 x 18 pixels, and the font at 15 pixels is exactly 9 wide: nothing is stretched.
    exact = re.sub(r' textLength="[^"]*"', "", svg).replace("font-size: 20px", f"font-size: {15 / SCALE:.3f}px")
    drawn = cairosvg.svg2png(bytestring=exact.encode(), scale=SCALE)
    # The screen has few colours: a palette makes a third of the size.
    Image.open(io.BytesIO(drawn)).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    return True


def draw(name: str, size: tuple[int, int]) -> tuple[str, bool]:
    """Take one picture in folders of its own and write its files; its name, and whether there is a PNG."""
    shot = next(shot for shot in SHOTS if shot.name == name)
    full = f"{name}-{size[0]}x{size[1]}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"RACKRATE_CONFIG_DIR": f"{folder}/config", "RACKRATE_DATA_DIR": f"{folder}/data",
                           "RACKRATE_TODAY": DAY, "TEXTUAL_ANIMATIONS": "none",
                           "RACKRATE_MIRROR": "http://127.0.0.1:9"})  # fmt: skip
        os.environ.pop("NO_COLOR", None)
        if shot.no_color:
            os.environ["NO_COLOR"] = "1"
        os.chdir(folder)  # the export dialog shows the current folder
        svg = plain_svg(asyncio.run(take(shot, size)))
        os.chdir(FOLDER)
    (FOLDER / f"{full}.svg").write_text(svg, encoding="utf-8")
    return full, write_png(svg, FOLDER / f"{full}.png")


def main(names: list[str]) -> int:
    """Take the named pictures, or all; pictures that no shot makes any more go."""
    FOLDER.mkdir(exist_ok=True)
    chosen = [shot for shot in SHOTS if not names or shot.name in names]
    if not chosen:
        sys.stderr.write(f"No such picture. There are: {', '.join(shot.name for shot in SHOTS)}.\n")
        return 2
    if not names:
        made = {f"{shot.name}-{width}x{height}" for shot in SHOTS for width, height in shot.sizes}
        for path in FOLDER.glob("*.*"):
            if path.suffix in {".svg", ".png"} and path.stem not in made:
                path.unlink()
    missing_png = False
    with ProcessPoolExecutor() as pool:
        tasks = [pool.submit(draw, shot.name, size) for shot in chosen for size in shot.sizes]
        for task in as_completed(tasks):
            name, png = task.result()
            missing_png |= not png
            sys.stdout.write(f"{name}\n")
    if missing_png:
        sys.stderr.write("No PNG: `make shots` installs cairosvg.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
