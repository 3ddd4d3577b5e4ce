"""Search over the database and its index without a server."""

from collections.abc import Iterator
from typing import Final

from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.output import Row
from firmograph.cli.prospect.previews import PreviewReader
from firmograph.installation import Installation
from firmograph.kit.logs import set_up_logs
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.engines.registry import engine_factory
from firmograph.prospecting.service import Matches

PROGRESS_THRESHOLD: Final = 5_000
"""Number of rows above which a progress bar is shown."""


def open_search(installation: Installation) -> None:
    """Put the engine of the settings in service for this command, with all changes as of now.

    A missing, unusable or outdated checkpoint is renewed first, as `firmograph index` does.
    """
    settings = installation.settings
    # the progress bar replaces the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    with count_progress("Search index") as report:
        engine = engine_factory(settings).open(installation.database, settings, report)
    installation.get(ServedSearch).active.serve(engine)


def rows_of(installation: Installation, matches: Matches, start: int, end: int) -> Iterator[Row]:
    """Yield the previews of a range of matches in order, without deleted records."""
    previews = PreviewReader(installation.record_ids)
    for numbers in matches.batches(start, end):
        with installation.database.read() as session:
            rows = previews.rows(session, matches.query.entity, numbers)
            active = matches.signal_types(session, rows)
        for number, types in active.items():
            rows[number]["signalTypes"] = types
        yield from rows.values()
