"""Progress bars on stderr, if that is a terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from rich.progress import (
    BarColumn,
    DownloadColumn,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from firmograph.kit.progress_bar import bar_on_terminal, counting_bar

if TYPE_CHECKING:
    from firmograph.ingest.service import Progress as ImportProgress


R = TypeVar("R")

BeginPhase = Callable[[str], Callable[[int, int], None]]

_REPORTED: Final = 100
"""Rows between two reports of progress."""


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
    with bar_on_terminal(*columns) as bar:
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
    bar = counting_bar()
    task = bar.add_task(what, total=None)

    def report(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if bar.live.is_started:
            bar.stop()


class CountedRows(Generic[R]):
    """Rows, counted and shown by a progress bar as they go."""

    def __init__(self, rows: Iterable[R], most: int) -> None:
        """Count rows, which are expected to be at most so many."""
        self._rows = rows
        self._most = most
        self.number = 0

    def __iter__(self) -> Iterator[R]:
        with count_progress("Rows") as report:
            for row in self._rows:
                self.number += 1
                if self.number % _REPORTED == 0:
                    report(self.number, max(self._most, self.number))
                yield row
            report(self.number, self.number)


def byte_progress() -> AbstractContextManager[BeginPhase]:
    """Yield a function that begins a named bar and returns a function of done and total bytes.

    A total of 0 is unknown.
    """
    return _phases(DownloadColumn())


def phase_progress() -> AbstractContextManager[BeginPhase]:
    """Yield a function that begins a named bar and returns a function of the done and total amount of anything."""
    return _phases(TaskProgressColumn())


@contextmanager
def _phases(amount: ProgressColumn) -> Iterator[BeginPhase]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        amount,
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with bar_on_terminal(*columns) as bar:

        def begin(what: str) -> Callable[[int, int], None]:
            task = bar.add_task(what, total=None, visible=False)
            return lambda done, total: bar.update(task, completed=done, total=total or None, visible=True)

        yield begin
