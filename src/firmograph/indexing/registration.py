"""Registration of indexing: the follower that keeps the indexes of all packages up to date."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING

from firmograph.installation import Installation, RegisteredIndex, Registration

if TYPE_CHECKING:
    from firmograph.indexing.follower import IndexFollower
    from firmograph.privacy.declarations import PersonalData


def registered_indexes(installation: Installation) -> list[RegisteredIndex]:
    """Return the indexes of all packages."""
    return [each for one in installation.registrations.values() for each in one.indexes(installation)]


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.indexing.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _follower(installation: Installation) -> "IndexFollower":
    from firmograph.indexing.follower import IndexFollower

    following = [each for one in registered_indexes(installation) for each in one.following]
    return IndexFollower(installation.database, installation.clock, following)


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    from firmograph.indexing.follower import IndexFollower
    from firmograph.kit.lifespans import running

    return [running(installation.get(IndexFollower))]


def _metrics(installation: Installation) -> None:
    """Report the progress of each index; the difference of its two gauges is its lag in changes."""
    from firmograph.api.metrics import Metrics

    metrics = installation.get(Metrics)
    for name, active, _ in registered_indexes(installation):
        metrics.watch(
            f"firmograph_{name}_applied_sequence",
            f"Position in the change sequence up to which changes are in the {name} index.",
            partial(getattr, active, "applied"),
            "livemin",
        )
        metrics.watch(
            f"firmograph_{name}_head_sequence",
            "End of the change sequence.",
            partial(getattr, active, "head"),
            "livemax",
        )


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={"IndexFollower": _follower},
    lifespans=_lifespans,
    metrics=_metrics,
)
