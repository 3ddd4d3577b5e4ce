"""JSON without `.0` after whole numbers."""

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.kit.whole_numbers import encode

pytestmark = pytest.mark.no_database

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-5, 5).map(float)
TEXTS = st.text() | st.lists(st.sampled_from(["1.0", '"', "\\", ",", ":2.0,", "[3.0]", "é"])).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1500000.0, b"1500000"),
        ([50.0, 8.25, -3.0, 0.05, 10.01], b"[50,8.25,-3,0.05,10.01]"),
        (-0.0, b"0"),
        (
            {"Web 2.0": 'runs 1.0, "3.0" and 4.0}', "n": 5.0},
            b'{"Web 2.0":"runs 1.0, \\"3.0\\" and 4.0}","n":5}',
        ),
    ],
)
def test_whole_numbers_have_no_point_and_texts_are_unchanged(value, written):
    assert encode(value) == written


@given(VALUES)
def test_every_value_is_read_back_unchanged(value):
    written = encode(value)
    assert json.loads(written) == json.loads(msgspec.json.encode(value))
    assert not re.search(rb"\d\.0(?!\d)", re.sub(rb'"(?:[^"\\]|\\.)*"', b"", written))
