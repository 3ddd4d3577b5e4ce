"""Stored rows as JSON values."""

import pytest

from firmograph.conversations.types import NEVER as ANALYSED
from firmograph.privacy.readable_rows import readable_row
from firmograph.waterfall.types import NEVER as ASKED

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize("never", [ANALYSED, ASKED])
def test_a_time_that_never_comes_is_left_out(never):
    assert readable_row({"created_at": 0.0, "due_at": never}) == {"createdAt": "1970-01-01T00:00:00.000Z"}
