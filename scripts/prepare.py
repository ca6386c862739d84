"""Write the files that hold bundled data in a form that is quick to read; a test tells when one is older than its sources.

Run it with `make prepare`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pricing import bundled, paths


def files() -> dict[Path, str]:
    """Each prepared file and what it has to hold."""
    return {paths.bundled(bundled.PACKED): bundled.pack_bundled()}


def main() -> None:
    """Write what has changed."""
    for path, text in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            sys.stdout.write(f"wrote {path.name}\n")


if __name__ == "__main__":
    main()
