"""The `rackrate` command: reads its words first and imports what a command needs last."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING

from models.errors import RackrateError
from tui.cli.parser import build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.cli.parser import Parser

INTERRUPTED = 130
"""What shells use for a command ended by Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a partial one, 2 bad input with one sentence on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    _any_text_may_be_written()
    try:
        code = _run(words)
        sys.stdout.flush()
    except RackrateError as error:
        _say(f"rackrate: {error}")
        return error.exit_code
    except BrokenPipeError:
        # The reader has what it wanted (`rackrate compare | head`). Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"rackrate: {where}{error.strerror or error}.")
        return 2
    except KeyboardInterrupt:
        _say("rackrate: stopped.")
        return INTERRUPTED
    return code


def _run(words: list[str]) -> int:
    if not words:
        if sys.stdout.isatty():
            return _dashboard()
        words = ["compare", "--format", "csv"]
    parser = build()
    words = _join_descending(words)
    _check_first(words, parser)
    try:
        args, rest = parser.parse_known_args(words)
    except SystemExit as leaving:  # --help and --version have printed
        return int(leaving.code or 0)
    chosen = parser.commands()[args.command] if args.command else parser
    if rest:
        chosen.error(f"unrecognized arguments: {' '.join(rest)}")
    if not args.command:
        return _dashboard()
    return int(importlib.import_module(f"tui.cli.{args.command}").run(args))


def _dashboard() -> int:
    # Importing makes a hundred thousand objects that all stay; looking for garbage among them costs a tenth of the
    # start. The dashboard switches the collector on again once its first table is there.
    gc.disable()
    return int(importlib.import_module("tui.app").run())


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
    if first.startswith("-") and first not in {"-h", "--help", "--version"}:
        parser.error(f"unrecognized arguments: {first}")


def _any_text_may_be_written() -> None:
    """Names are in any script: a pipe gets UTF-8 everywhere, a terminal that cannot show a sign shows a question mark."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")


if __name__ == "__main__":
    sys.exit(main())
