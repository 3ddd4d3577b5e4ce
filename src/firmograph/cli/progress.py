"""Progress bars on stderr; without a terminal, only their final state is printed."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

if TYPE_CHECKING:
    from firmograph.ingest.service import Progress as ImportProgress


class ImportReporter(Protocol):
    def __call__(self, progress: "ImportProgress") -> None: ...


class _RowsPerSecond(ProgressColumn):
    def render(self, task: Task) -> Text:
        rows, elapsed = task.fields["rows"], task.finished_time or task.elapsed or 0
        pace = f"{rows / elapsed:,.0f} rows/s" if elapsed else ""
        return Text(f"{rows:,} rows  {pace}")


@contextmanager
def import_progress(paths: Sequence[str]) -> Iterator[ImportReporter]:
    """Yield a function that shows the progress of an import of these files."""
    sizes = [Path(path).stat().st_size for path in paths]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _RowsPerSecond(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(file=sys.stderr), refresh_per_second=4) as bar:
        task = bar.add_task(Path(paths[0]).name, total=sum(sizes) or 1, rows=0)

        def report(progress: "ImportProgress") -> None:
            if progress.detecting:
                bar.update(task, description="Looking for signals", completed=sum(sizes) or 1)
                return
            bar.update(
                task,
                description=Path(paths[progress.file]).name,
                completed=sum(sizes[: progress.file]) + progress.bytes_read,
                rows=progress.summary.read,
            )

        yield report
        bar.update(task, completed=sum(sizes) or 1)


@contextmanager
def count_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows the done and total number; nothing is written before the first call."""
    bar = _counting_bar()
    task = bar.add_task(what, total=None)

    def report(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if bar.live.is_started:
            bar.stop()


def _counting_bar(*, transient: bool = False) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    return Progress(*columns, console=Console(file=sys.stderr), refresh_per_second=4, transient=transient)


@contextmanager
def byte_progress() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Yield a function that begins a named bar and returns a function of done and total bytes.

    A total of 0 is unknown.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(file=sys.stderr), refresh_per_second=4) as bar:

        def begin(what: str) -> Callable[[int, int], None]:
            task = bar.add_task(what, total=None, visible=False)
            return lambda done, total: bar.update(task, completed=done, total=total or None, visible=True)

        yield begin


class IndexLine:
    """Progress line on a terminal while a server builds its search index, below the log."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def show(self, progress: tuple[int, int] | None) -> None:
        """Show the indexed and total number of records; None removes the line."""
        if progress is None:
            bar, self._bar = self._bar, None
            if bar is not None:
                bar.stop()
            return
        done, total = progress
        if self._bar is None:
            self._bar = _counting_bar(transient=True)
            self._task = self._bar.add_task("Building the search index", completed=done, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total)
