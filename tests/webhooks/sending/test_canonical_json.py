import struct

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.webhooks.sending.canonical_json import MAX_SAFE_INTEGER, canonical_json
from webhooks.javascript import Node

pytestmark = pytest.mark.any_database

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
# bit patterns reach all magnitudes; figures of signals are short decimals
FLOATS = st.one_of(
    st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]),
    st.decimals(places=2, min_value=-(10**12), max_value=10**12).map(float),
    st.floats(-1e-3, 1e-3),
)
KEYS = st.one_of(TEXTS, st.integers(-2, 2**33).map(str), st.sampled_from(["00", "01", "1.5", "__proto__"]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), FLOATS, TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def node():
    node = Node()
    yield node
    node.close()


@settings(max_examples=examples(120))
@given(VALUES)
@example(
    [5.0, -0.0, 0.1, 1e-4, 1e-5, 1e-6, 1e-7, 1.5e-7, 5e-324, 1e15, 1e16, 1e20, 1e21, 1.7976931348623157e308]
)
@example(
    [
        MAX_SAFE_INTEGER,
        MAX_SAFE_INTEGER + 1,
        -MAX_SAFE_INTEGER,
        -MAX_SAFE_INTEGER - 1,
        10**400,
        float("nan"),
        float("inf"),
    ]
)
@example({"b": 1, "10": 2, "9": 3, "a": 4, "4294967294": 5, "4294967295": 6, "-1": 7, "": 8, "٣": 9})
@example(["\0\b\t\n\f\r\x1b\x7f\x80", "\u2028\u2029", '"\\/', "\ufeff\uffff", "é\u0301", "😀", "</script>"])
def test_javascript_reproduces_the_bytes_of_any_value(node, value):
    body = canonical_json(value)
    assert node.check(body).body == body


def test_every_character_survives(node):
    everything = "".join(chr(code) for code in range(0x11_0000) if not 0xD800 <= code <= 0xDFFF)
    body = canonical_json(everything)
    assert node.check(body).body == body


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"rate": 12.0, "average": 3.25, "none": -0.0}, b'{"rate":12,"average":3.25,"none":0}'),
        ({"visits": 2**60, "lost": -1e300}, b'{"visits":9007199254740991,"lost":-9007199254740991}'),
        ({"small": 0.00001, "smaller": 1e-7}, b'{"small":0.00001,"smaller":1e-7}'),
        ({"yes": True, "none": None, "no": False}, b'{"yes":true,"none":null,"no":false}'),
        ({"name": "Zoë / 東京"}, '{"name":"Zoë / 東京"}'.encode()),
    ],
)
def test_values_are_encoded_as_javascript_writes_them(value, written):
    assert canonical_json(value) == written


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(ValueError, match="surrogates"):
        canonical_json({"name": "\ud83d"})
