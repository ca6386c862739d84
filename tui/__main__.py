"""The `rackrate` command: reads its words first and imports what a command needs last."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING

from models.errors import InputError, RackrateError, brief
from tui.cli import stderr
from tui.cli.parser import build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.cli.parser import Parser

INTERRUPTED = 130
"""What shells use for a command ended by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a partial one, 2 bad input with one sentence on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    unseen = _replace_closed_streams()
    # The arrays are small: threads to multiply them cost the start a tenth of a second of a second processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _any_text_may_be_written()
    try:
        code = _run(words)
        sys.stdout.flush()
        if unseen is not None and unseen.tell():
            raise InputError("stdout is closed: the result has nowhere to go.")
    except RackrateError as error:
        _say(f"rackrate: {error}")
        return error.exit_code
    except BrokenPipeError:
        # The reader has what it wanted (`rackrate compare | head`). Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        stderr.give_up(sys.stdout)  # a full disk takes no rest at exit either
        where = f"{brief(str(error.filename))[1:-1]}: " if error.filename else ""
        _say(f"rackrate: {where}{error.strerror or error}.")
        return 2
    except KeyboardInterrupt:
        _say("rackrate: stopped.")
        return INTERRUPTED
    return code


def _run(words: list[str]) -> int:
    if words in ([], ["--ascii"]):
        if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
            return _dashboard(ascii_only=True if words else None)
        if sys.stdout.isatty():
            _say("TERM is dumb, and such a terminal cannot show the dashboard: this is the comparison as a table.")
        words = ["compare"]
    parser = build()
    words = _join_descending(words)
    _check_first(words, parser)
    _check_dashes(words)
    _check_flags(words, parser)
    try:
        args, rest = parser.parse_known_args(words)
    except SystemExit as leaving:  # --help and --version have printed
        return int(leaving.code or 0)
    if not args.command:
        parser.error("the following arguments are required: COMMAND")
    if rest:
        parser.commands()[args.command].error(f"unrecognized arguments: {' '.join(rest)}")
    return int(importlib.import_module(f"tui.cli.{args.command}").run(args))


_USUAL = {
    "TEXTUAL_ANIMATIONS": "none",  # a page that glides sends three times the bytes
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "TEXTUAL_FPS": "240",  # a change is painted at once, not at the next sixtieth of a second
}
"""Read by Textual when it is imported; what the user has set stays."""


def usual() -> None:
    """Tell Textual how the dashboard is painted, before it is imported."""
    for name, value in _USUAL.items():
        os.environ.setdefault(name, value)


def _dashboard(*, ascii_only: bool | None) -> int:
    usual()
    # Importing makes a hundred thousand objects that all stay; looking for garbage among them costs a tenth of the
    # start. The dashboard switches the collector on again once its first table is there.
    gc.disable()
    return int(importlib.import_module("tui.app").run(ascii_only=ascii_only))


def _join_descending(words: list[str]) -> list[str]:
    """`--sort -ttft_ms` as one word: argparse would take a leading dash for another flag."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--sort" and word.startswith("-") and not word.startswith("--"):
            joined[-1] = f"--sort={word}"
        else:
            joined.append(word)
    return joined


def _check_first(words: list[str], parser: Parser) -> None:
    """A flag before the command: say so, before its value is mistaken for the command."""
    first = words[0].split("=")[0]
    if first == "--ascii":
        parser.error("--ascii is for the dashboard and takes no command")
    if first.startswith("-") and first not in {"-h", "--help", "--version"}:
        parser.error(f"unrecognized arguments: {first}")


def _check_dashes(words: list[str]) -> None:
    """`--kind=--`: argparse would take the two dashes for an end of the flags and hand on a list of nothing."""
    for word in words:
        flag, equals, value = word.partition("=")
        if flag.startswith("-") and equals and value == "--":
            raise InputError(f"{flag} cannot be '--'.", hint="Write a value after the = sign.")


def _check_flags(words: list[str], parser: Parser) -> None:
    """An unknown flag is told before its value is taken for a word that the command expects. Raises InputError."""
    commands = parser.commands()
    command = commands.get(words[0])
    if command is None:
        return
    actions = command.commands()
    known = {*command.flags(), *(flag for action in actions.values() for flag in action.flags())}
    for word in words[1 : words.index("--") if "--" in words else None]:
        flag = word.partition("=")[0]
        if flag.startswith("--") and flag not in known:
            owners = [name for name, other in commands.items() if flag in other.flags()]
            if owners:
                raise InputError(
                    f"{flag} is no flag of `rackrate {words[0]}`.", hint=f"It belongs to `rackrate {owners[0]}`."
                )
            command.error(f"unrecognized arguments: {flag}")


def _replace_closed_streams() -> io.StringIO | None:
    """Python has None for a stream that the shell closed (`>&-`); returns what stands in for stdout, if anything does."""
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        sys.stdout = io.StringIO()
        return sys.stdout
    return None


def _any_text_may_be_written() -> None:
    """Names are in any script: a pipe gets UTF-8 everywhere, a terminal that cannot show a sign shows a question mark."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _say(message: str) -> None:
    stderr.write(f"{message}\n")


if __name__ == "__main__":
    sys.exit(main())
