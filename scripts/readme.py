"""Run the README's examples and put in what they print; the key table comes from the dashboard's own list.

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
from tui.keys import markdown

README = Path(__file__).resolve().parents[1] / "README.md"
COLUMNS = 120
EXAMPLE = re.compile(r"```console\n\$ (rackrate[^\n]*)\n.*?```", re.DOTALL)
KEYS = re.compile(r"(<!-- keys -->\n).*?(<!-- /keys -->)", re.DOTALL)
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
    text = KEYS.sub(lambda found: f"{found[1]}{markdown().strip()}\n{found[2]}", text)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
