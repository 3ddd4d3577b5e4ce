"""Registrations of packages below `installation`, which cannot import it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from firmograph import __version__
from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.metrics import Metrics
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.jobs.metrics import JobMetrics
    from firmograph.privacy.declarations import PersonalData
    from firmograph.privacy.suppression import Suppression
    from firmograph.table_rows import RowWriter


def _metrics(installation: Installation) -> "Metrics":
    from firmograph.api.metrics import Metrics

    return Metrics(__version__)


def _job_metrics(installation: Installation) -> "JobMetrics":
    from firmograph.api.metrics import Metrics
    from firmograph.jobs.metrics import JobMetrics

    return JobMetrics(installation.get(Metrics))


def _create_job_metrics(installation: Installation) -> None:
    from firmograph.jobs.metrics import JobMetrics

    installation.get(JobMetrics)


def _record_lookup(installation: Installation) -> "RecordLookup":
    from firmograph.directory.lookup.record_lookup import RecordLookup

    settings = installation.settings
    return RecordLookup(
        installation.record_ids, installation.digests, settings.match_threshold, settings.match_margin
    )


def _jobs_data() -> "Sequence[PersonalData]":
    from firmograph.jobs.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _privacy_data() -> "Sequence[PersonalData]":
    from firmograph.privacy.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _suppression(installation: Installation) -> "Suppression":
    from firmograph.privacy.suppression import Suppression

    return Suppression(
        installation.database, installation.keyring, installation.clock, installation.personal_data
    )


def _row_writer(installation: Installation) -> "RowWriter":
    from firmograph.record_tables.table_write import TableWriter

    return installation.get(TableWriter)


FOUNDATIONS: Final[Mapping[str, Registration]] = {
    "api": Registration(services={"Metrics": _metrics}),
    "directory": Registration(services={"RecordLookup": _record_lookup}),
    "jobs": Registration(
        personal_data=_jobs_data, services={"JobMetrics": _job_metrics}, metrics=_create_job_metrics
    ),
    "privacy": Registration(personal_data=_privacy_data, services={"Suppression": _suppression}),
    "table_rows": Registration(services={"RowWriter": _row_writer}),
}
