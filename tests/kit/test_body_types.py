from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from firmograph.kit.body_decoder import Decoder
from firmograph.kit.body_types import always_omits_defaults, is_unbounded

pytestmark = pytest.mark.no_database


class Lenient(msgspec.Struct):
    name: str


class Holder(msgspec.Struct, forbid_unknown_fields=True):
    inner: Lenient


class Unlimited(msgspec.Struct, forbid_unknown_fields=True):
    number: int


class Tree(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    children: list["Tree"] = []
    weight: Annotated[int, Meta(ge=0, le=9)] = 0


class Options(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    partial: bool = True


class WithFactory(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    options: Options = msgspec.field(default_factory=Options)
    anything: Any = None


@pytest.mark.parametrize("kind", [Lenient, Holder])
def test_a_type_that_allows_unknown_properties_is_refused_as_a_body(kind):
    with pytest.raises(TypeError, match="must forbid unknown fields"):
        Decoder(kind, max_depth=8)


def test_an_integer_without_bounds_is_refused_in_a_body():
    with pytest.raises(TypeError, match="must have bounds"):
        Decoder(Unlimited, max_depth=8)


def test_a_recursive_type_is_unbounded():
    assert is_unbounded(Tree)
    assert not is_unbounded(Options)


def test_the_depth_of_an_unbounded_body_is_limited():
    deep = b'{"children":[' * 5 + b"]}" * 5
    with pytest.raises(Exception, match="nested more than 8 levels"):
        Decoder(Tree, max_depth=8).decode(deep)
    assert Decoder(Tree, max_depth=10).decode(deep)


def test_a_default_that_encoding_writes_back_is_detected():
    assert always_omits_defaults(Tree)
    assert not always_omits_defaults(WithFactory)


def test_a_repeated_property_is_found_next_to_a_default_that_encoding_writes_back():
    with pytest.raises(Exception, match="anything should not be repeated"):
        Decoder(WithFactory, max_depth=8).decode(b'{"anything":1,"anything":2}')
