"""Processes that `multiprocessing` forks from one with the package loaded, which saves most of the time of their start.

With the fixture, processes of the package that work for this one are such ones too. `kit/test_worker_process.py` and
tests that start commands show that they can be started as the package starts them.
"""

from multiprocessing import get_context

import pytest

from firmograph.ingest import preparation_process
from firmograph.kit import worker_process

PROCESSES = get_context("forkserver")
# names of the package alone and of what tests import: the server of processes does not find the modules of tests
_LOADED = [
    "pytest",
    "firmograph.bootstrap.packages",
    "firmograph.indexing.catch_up",
    "firmograph.indexing.local_index",
    "firmograph.ingest.preparation_process",
    "firmograph.lookalikes.index.index_kind",
    "firmograph.lookalikes.model.retraining",
]


@pytest.fixture(scope="module", autouse=True)
def forked_workers():
    PROCESSES.set_forkserver_preload(_LOADED)
    with pytest.MonkeyPatch.context() as patch:
        for module in (worker_process, preparation_process):
            patch.setattr(module, "get_context", lambda method: PROCESSES)
        yield
