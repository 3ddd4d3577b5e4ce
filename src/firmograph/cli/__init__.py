"""Commands for operators, one module per group.

No other package imports this one.
"""

import sys

_NOT_ON_WINDOWS = "Error: Firmograph needs Linux or macOS; on Windows run it in WSL (wsl --install)"


def run() -> None:
    """Run the command line. The import is here because child processes of commands import this module again."""
    if sys.platform == "win32":
        # packages that the commands import are not there
        sys.exit(_NOT_ON_WINDOWS)
    from firmograph.cli import main

    main.run()
