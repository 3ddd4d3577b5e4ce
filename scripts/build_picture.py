"""Draw the picture of the README, real output of commands: `build_picture.py [FILE]`, by default `docs/demo.svg`.

Needs the database that `make demo` leaves in `.demo/` of the current folder.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

WIDTH = 95
"""Columns of the picture: room for the longest command. What commands print fits 80."""
COMMANDS = (
    "firmograph prospect contacts --title senator --state Ohio --has work_email --limit 4",
    "printf '%s\\n' amd.com intel.com nvidia.com qualcomm.com broadcom.com > chipmakers.txt",
    "firmograph lookalike companies --seeds chipmakers.txt --limit 1 --explain",
    "firmograph buying-group --domain northwind.example.com --limit 3",
)
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Rich refers to fonts of another site, which a reader's browser should not ask."""


def main() -> None:
    """Run the commands and write the picture."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/demo.svg")
    database = Path(".demo/firmograph.db").resolve()
    if not database.exists():
        sys.exit(f"{database} is missing; make demo makes it")
    with open(os.devnull, "w") as nowhere, tempfile.TemporaryDirectory() as folder:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for command in COMMANDS:
            console.print("$", style="green", end=" ")
            console.print(command, style="bold", highlight=False, markup=False)
            console.print(output(command, database, Path(folder)), highlight=False, markup=False)
    target.write_text(_FONTS.sub("", console.export_svg(title="Firmograph", theme=MONOKAI, unique_id="demo")))


def output(command: str, database: Path, folder: Path) -> str:
    """Return what a command prints on a terminal. Raises CalledProcessError if it fails."""
    reader, writer = pty.openpty()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "FIRMOGRAPH_DATABASE_URL": f"sqlite:///{database}",
        "TERM": "dumb",
    }
    process = subprocess.Popen(command, shell=True, cwd=folder, env=environment, stdout=writer, stderr=writer)
    os.close(writer)
    printed = b""
    try:
        while part := os.read(reader, 4096):
            printed += part
    except OSError:  # the end, as Linux says it
        pass
    os.close(reader)
    if process.wait():
        raise subprocess.CalledProcessError(process.returncode, command, printed)
    return printed.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    main()
