"""Progress of a number of things, as a bar on stderr."""

import sys

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


def bar_on_terminal(*columns: ProgressColumn, transient: bool = False) -> Progress:
    """Return a bar on stderr, which shows nothing unless that is a terminal."""
    return Progress(
        *columns,
        console=Console(file=sys.stderr),
        refresh_per_second=4,
        transient=transient,
        disable=not sys.stderr.isatty(),
    )


def counting_bar(*, transient: bool = False) -> Progress:
    """Return a bar that shows the done and total number; a transient one leaves nothing behind."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    return bar_on_terminal(*columns, transient=transient)


class ProgressLine:
    """Progress line on a terminal, below the log."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def show(self, progress: tuple[int, int] | None) -> None:
        """Show the done and total number; None removes the line."""
        if progress is None:
            bar, self._bar = self._bar, None
            if bar is not None:
                bar.stop()
            return
        done, total = progress
        if self._bar is None:
            self._bar = counting_bar(transient=True)
            self._task = self._bar.add_task(self._what, completed=done, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total)
