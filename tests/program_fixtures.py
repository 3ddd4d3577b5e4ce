"""PostgreSQL's client programs, found quickly by backups and restores of tests."""

import os
from functools import cache

import pytest

from firmograph.backup import programs
from services import postgresql


@pytest.fixture(scope="module")
def quick_programs():
    """Find the programs themselves, and ask each for its version once.

    Those that Debian has on the path are scripts in Perl that look for them.
    """
    with pytest.MonkeyPatch.context() as patch:
        if folder := postgresql.binaries():
            patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        patch.setattr(programs, "_version", cache(programs._version))
        yield
