"""Import of files of page views into a site (docs/reference/visit-tracking.md#import)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec
import structlog
from pyroaring import BitMap

from firmograph.database.connection import RECORDS, Database
from firmograph.ingest.commits import Commits
from firmograph.ingest.imports.runs import ImportRun, ImportRuns
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.service import Progress
from firmograph.ingest.summary import Summary
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, FirmographError, Unavailable
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.visits.reading.files import MakeReader, open_visits
from firmograph.visits.reading.page_rule import ROBOTS_PATH, Found, LineCounts
from firmograph.visits.recognition import SiteRecognition, UnknownVisitorError, VisitorRecognition
from firmograph.visits.service import PageViews
from firmograph.visits.sessions import ROBOTS_MARK, as_robots_mark
from firmograph.visits.types import PageView, RawPageView, Site
from firmograph.visits.unnamed import UnnamedPageViews

log = structlog.get_logger("firmograph.visits")

KIND: Final = "visits"
"""Kind of such imports."""
_BATCH: Final = 4_000
"""Page views that are added together, in one transaction."""
_NO_VISITOR: Final = "it has no emailHash, customerId, visitor or valid ip"
_CLOCKS_DIFFER_SECONDS: Final = 3_600
_ALIVE_SECONDS: Final = 15.0
"""Time between two signs of life of the import."""


class VisitSummary(Summary):
    """Summary of an import of page views; `created` are those that the site did not have."""

    can_be_undone: ClassVar[bool] = False
    labels: ClassVar[Mapping[str, str]] = {
        "read": "lines read",
        "pageViews": "page views, new",
        "known": "page views that were there",
        "visitors": "visitors",
        "sessions": "sessions, new",
        "bots": "requests of bots",
        "assets": "requests for assets, feeds and downloads",
        "otherRequests": "requests with another method or answer",
        "prefetched": "pages loaded in advance",
        "otherSites": "lines of other sites",
        "ownTraffic": "own traffic",
        "closed": "page views of a closed quarter",
        "suppressed": "page views of suppressed people",
        "rejected": "lines not read",
    }

    lines: LineCounts = msgspec.field(default_factory=LineCounts)
    visitors: int = 0
    """Different visitors of the page views, known or new."""
    sessions: int = 0
    """Sessions more than before."""
    own_traffic: int = 0
    closed: int = 0
    """Page views that need the salt of a quarter that was destroyed."""

    @property
    def accepted(self) -> int:
        return self.read - self.rejected

    def json_fields(self) -> dict[str, Any]:
        return {
            "read": self.read,
            "pageViews": self.created,
            "known": self.unchanged,
            "visitors": self.visitors,
            "sessions": self.sessions,
            **msgspec.to_builtins(self.lines),
            "ownTraffic": self.own_traffic,
            "closed": self.closed,
            "suppressed": self.suppressed,
            "rejected": self.rejected,
            "rejectsFile": self.rejects_file,
            "unread": msgspec.to_builtins(self.values.unread),
            "unknown": self.values.unknown,
        }


class VisitImport:
    """Import of files into one site, in transactions of some page views each."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        recognition: VisitorRecognition,
        page_views: PageViews,
        unnamed: UnnamedPageViews,
        site: Site,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._recognition = recognition
        self._page_views = page_views
        self._unnamed = unnamed
        self._site = site
        self._commits = Commits(database, on_wait)
        self._visitors = BitMap()
        """The first 32 bits of visitors, so that millions need little memory."""
        self._alive_at = clock.seconds()

    def run(
        self,
        files: Sequence[tuple[Path, MakeReader]],
        on_reject: Callable[[int, Reject], None],
        on_progress: Callable[[Progress], None],
    ) -> VisitSummary:
        """Import recognised files and return the summary. An interrupted import does the rest when it runs again."""
        # lines of a log come by time, and so do the pages of their days
        self._database.session().relax(returns_to_pages=False)
        summary = VisitSummary()
        runs = ImportRuns(self._database, self._clock)
        run = self._commits.run_with_retry(
            lambda: runs.begin(KIND, self._site.domain, [str(path) for path, _ in files])
        )
        with run.ended_with(summary), gc_disabled():
            for number, (path, make_reader) in enumerate(files):
                self._import_file(
                    path,
                    make_reader,
                    run,
                    summary,
                    partial(on_reject, number),
                    lambda done, number=number: on_progress(Progress(number, done, summary)),  # type: ignore[misc]
                )
        return summary

    def _import_file(
        self,
        path: Path,
        make_reader: MakeReader,
        run: ImportRun,
        summary: VisitSummary,
        on_reject: Callable[[Reject], None],
        on_progress: Callable[[int], None],
    ) -> None:
        latest = self._clock.seconds() + _CLOCKS_DIFFER_SECONDS
        before = summary.read
        with open_visits(path) as file:
            found = file.read(make_reader(self._site.domain, latest, summary.lines, summary.values))
            at_end, recognition = False, None
            while not at_end:
                recognition = self._commits.run_with_retry(
                    lambda: self._recognition.for_site(self._site, recognition)  # noqa: B023 - it runs at once
                )
                batch = _Batch(self._site, recognition, self._unnamed, summary, self._commits)
                at_end = batch.fill(found, lambda reason: on_reject(Reject(file.lines.number, reason)))
                summary.read = before + file.lines.number
                self._add(batch.page_views, summary)
                self._name()
                self._keep_alive(run)
                on_progress(file.bytes_read())

    def _add(self, page_views: Sequence[PageView | None], summary: VisitSummary) -> None:
        if not page_views:
            return
        added = self._commits.run_with_retry(lambda: self._page_views.add(self._site, page_views))
        summary.created += added.new
        summary.unchanged += added.known
        summary.closed += added.closed
        summary.suppressed += added.suppressed
        summary.sessions += added.sessions
        self._visitors.update(
            int.from_bytes(one.visitor[:4], "little") for one in page_views if one and one.path != ROBOTS_MARK
        )
        summary.visitors = len(self._visitors)

    def _name(self) -> None:
        """Add the companies that the names of addresses tell."""
        is_answered = self._unnamed.wait()
        for page_views in self._unnamed.take_named().values():
            self._commits.run_with_retry(lambda some=page_views: self._page_views.add(self._site, some))  # type: ignore[misc]
        if not is_answered:
            log.warning("reverse DNS does not answer; it is not asked any more by this import")
            self._unnamed = UnnamedPageViews(None, self._clock)

    def _keep_alive(self, run: ImportRun) -> None:
        now = self._clock.seconds()
        if now - self._alive_at < _ALIVE_SECONDS:
            return

        def commit() -> None:
            with self._database.write(RECORDS) as session:
                run.keep_alive(session)

        self._commits.run_with_retry(commit)
        self._alive_at = now


class _Batch:
    """Page views that are added together."""

    def __init__(
        self,
        site: Site,
        recognition: SiteRecognition,
        unnamed: UnnamedPageViews,
        summary: VisitSummary,
        commits: Commits,
    ) -> None:
        self._site = site
        self._recognition = recognition
        self._unnamed = unnamed
        self._summary = summary
        self._commits = commits
        self.page_views: list[PageView | None] = []

    def fill(self, found: Iterator[Found], on_reject: Callable[[str], None]) -> bool:
        """Take page views until the batch is full; return whether there are no more."""
        summary, page_views = self._summary, self.page_views
        for one in found:
            if isinstance(one, str):
                summary.rejected += 1
                summary.lost += 1
                on_reject(one)
                continue
            if self._recognition.is_excluded(one):
                summary.own_traffic += 1
                continue
            try:
                page_view = self._recognise(one)
            except UnknownVisitorError:
                summary.rejected += 1
                summary.lost += 1
                on_reject(_NO_VISITOR)
                continue
            if page_view is not None and one.path == ROBOTS_PATH:
                page_view = as_robots_mark(page_view)
            elif page_view is not None and page_view.owner is None:
                self._unnamed.add(self._site, self._recognition.address_to_ask_about(one), page_view)
            page_views.append(page_view)
            if len(page_views) == _BATCH:
                return False
        return True

    def _recognise(self, one: RawPageView) -> PageView | None:
        try:
            return self._recognition.page_view(one)
        except (Busy, Unavailable):
            # it makes the salt of a quarter
            return self._commits.run_with_retry(lambda: self._recognition.page_view(one))
