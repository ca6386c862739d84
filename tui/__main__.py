"""The `rackrate` command."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from tui import __version__  # noqa: PLC0415

    args = sys.argv[1:] if argv is None else argv
    if "--version" in args:
        sys.stdout.write(f"rackrate {__version__}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
