"""Parts of a server for indexing: the follower of changes, and its progress."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.indexing.follower import IndexFollower
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import running


def _follower(installation: Installation) -> IndexFollower:
    following = [each for one in installation.indexes for each in one.following]
    return IndexFollower(installation.database, installation.clock, following)


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [running(installation.get(IndexFollower))]


def _metrics(installation: Installation) -> None:
    """Report the progress of each index; the difference of its two gauges is its lag in changes."""
    metrics = installation.get(Metrics)
    for name, active, _ in installation.indexes:
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


SERVICES: Final[Services] = {IndexFollower: _follower}
SERVER: Final = ServerWiring(lifespans=_lifespans, metrics=_metrics)
