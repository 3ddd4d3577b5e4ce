"""The operator's commands, one file a group."""


def run() -> None:
    """Run the command line: the entry point, which every process that a command starts imports once more."""
    from firmograph.cli import main

    main.run()
