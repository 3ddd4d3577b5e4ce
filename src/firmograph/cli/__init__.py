"""Commands for operators, one module per group.

No other package imports this one.
"""


def run() -> None:
    """Run the command line. The import is here because child processes of commands import this module again."""
    from firmograph.cli import main

    main.run()
