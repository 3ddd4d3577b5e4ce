"""Commands for operators, one module per group.

No other package imports this one.
"""

import sys


def run() -> None:
    """Run the command line. The import is here because child processes of commands import this module again."""
    if sys.platform == "win32":
        sys.exit("Error: Firmograph runs on Linux and macOS; on Windows, run it in WSL")
    from firmograph.cli import main

    main.run()
