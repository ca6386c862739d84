"""Write the files that hold bundled data in a form that is quick to read; a test tells when one is older than its sources.

Run it with `make prepare`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from models import constants, cpu_measured, measured_rows
from pricing import bundled, bundled_servers, paths

if TYPE_CHECKING:
    from collections.abc import Callable


FILES: dict[Path, Callable[[], bytes]] = {
    constants.PREPARED: constants.prepare,
    measured_rows.PREPARED: measured_rows.prepare,
    cpu_measured.PREPARED: cpu_measured.prepare,
    paths.bundled(bundled.PACKED): bundled.prepare,
    paths.bundled(bundled_servers.PACKED): bundled_servers.prepare,
}
"""Each prepared file and what makes it; one made of another comes after it."""


def main() -> None:
    """Write what has changed."""
    for path, prepare in FILES.items():
        made = prepare()
        if not path.exists() or path.read_bytes() != made:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(made)
            sys.stdout.write(f"wrote {path.name}\n")


if __name__ == "__main__":
    main()
