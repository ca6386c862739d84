"""Run the README's examples and put in what they print; the tables of keys and columns come from the dashboard's own lists.

`make docs` does this on a pseudo-terminal of 120 columns with folders of its own and a fixed day, so that a second run
changes nothing unless the program did.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import tempfile
import termios
from pathlib import Path

from pricing.snapshot import SNAPSHOT_DATE
from tui.columns import markdown as column_table
from tui.keys import markdown as key_table

README = Path(__file__).resolve().parents[1] / "README.md"
COLUMNS = 120
EXAMPLE = re.compile(r"```console\n\$ (rackrate[^\n]*)\n.*?```", re.DOTALL)
TABLES = {"keys": key_table, "columns": column_table}
"""What stands between `<!-- keys -->` and `<!-- /keys -->`, and the like."""
COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
CASES = """case_id,model,quant,hardware,count,input_tokens,output_tokens,concurrency,scenario
laptop,Qwen3-8B,q4_k_m,RTX 4090,1,2000,300,1,online
office,Llama-3.3-70B,fp8,H100 SXM 80GB,2,4000,500,32,online
"""


def run(words: list[str], folder: str) -> str:
    """What a command prints on a terminal, stdout and stderr as a person sees them."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("RACKRATE_", "XDG_"))}
    own = {"HOME": folder, "RACKRATE_TODAY": SNAPSHOT_DATE}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        os.execve(sys.executable, [sys.executable, "-m", "tui", *words], {**kept, **own})  # noqa: S606
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux says so when the child has closed its side
            break
        if not part:
            break
        text += part
    os.waitpid(child, 0)
    os.close(terminal)
    return COLOUR.sub("", text.decode()).replace("\r\n", "\n").replace(folder, "~")


def main() -> None:
    """Rewrite README.md in place."""
    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "cases.csv").write_text(CASES, encoding="utf-8")

        def fresh(found: re.Match[str]) -> str:
            line = found[1]
            sys.stdout.write(f"{line}\n")
            return f"```console\n$ {line}\n{run(shlex.split(line)[1:], folder)}```"

        text = EXAMPLE.sub(fresh, text)
    for name, table in TABLES.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = text.partition(start)
        text = f"{before}{start}{table().strip()}\n{end}{rest.partition(end)[2]}"
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
