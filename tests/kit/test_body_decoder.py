import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from firmograph.kit import validation_errors
from firmograph.kit.body_decoder import Decoder
from firmograph.kit.errors import BadRequest
from firmograph.kit.validation_errors import is_deeper_than
from toy_api import Body, Part

pytestmark = pytest.mark.no_database

DECODER = Decoder(Body, max_depth=8)


class AnyBody(msgspec.Struct, forbid_unknown_fields=True):
    items: list[Any]


ANY_DECODER = Decoder(AnyBody, max_depth=8)


def refusal(raw: bytes, decoder: Decoder = DECODER) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        decoder.decode(raw)
    return refused.value


def test_a_valid_body_is_decoded():
    raw = '{"contacts":[{"firstName":"Zoë","note":"null"}],"reveal":["phones"]}'.encode()
    assert DECODER.decode(raw) == Body([Part(first_name="Zoë", note="null")], reveal=["phones"])


def test_a_null_property_counts_as_absent_at_any_depth():
    raw = (
        b'{"contacts":[{"firstName":"Ann","note":null,"size":null}],"reveal":null,"extra":{"a":null,"b":"1"}}'
    )
    assert DECODER.decode(raw) == Body([Part(first_name="Ann")], extra={"b": "1"})
    assert DECODER.decode(b'{"contacts":[{"size":1,"note":null}]}') == Body([Part(size=1)])


@pytest.mark.parametrize("blank", ["", " ", "   ", "\\t", " \\r\\n "])
def test_a_blank_text_counts_as_absent_where_no_empty_text_is_valid(blank):
    raw = f'{{"contacts":[{{"firstName":"{blank}","size":"{blank}","flag":true}}]}}'.encode()
    assert DECODER.decode(raw) == Body([Part(flag=True)])


def test_a_blank_text_stays_in_lists_and_free_objects():
    assert DECODER.decode(b'{"contacts":[{}],"extra":{"a":""}}') == Body([Part()], extra={"a": ""})
    assert ANY_DECODER.decode(b'{"items":["",{"a":" "}]}') == AnyBody(["", {"a": " "}])


def test_a_required_property_that_is_blank_is_missing():
    assert "contacts is required" in refusal(b'{"contacts":""}').errors


def test_an_unknown_property_that_is_blank_is_refused():
    assert refusal(b'{"contacts":[{}],"other":" "}').message == "property other should not exist"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "The body is empty; send a JSON object"),
        (b" \n", "The body is empty; send a JSON object"),
        (b"[]", "The body must be a JSON object"),
        (b"null", "The body must be a JSON object"),
        (b'"contacts"', "The body must be a JSON object"),
        (
            b"{",
            "The body is not valid JSON: Expecting property name enclosed in double quotes (line 1, column 2)",
        ),
        (b'{"contacts":[{}]} x', "The body is not valid JSON: Extra data (line 1, column 19)"),
        (b'{"contacts":[{"size":NaN}]}', "The body is not valid JSON: NaN is not a JSON value"),
        (b'{"contacts":[{"ratio":-Infinity}]}', "The body is not valid JSON: -Infinity is not a JSON value"),
        (b'{"contacts":[{"firstName":"\xff"}]}', "The body is not valid UTF-8 (byte 27)"),
        (b'{"contacts":[{"firstName":"\xed\xa0\x80"}]}', "The body is not valid UTF-8 (byte 27)"),
        (b'{"contacts":' + b"[" * 100_000, "The body is nested more than 8 levels deep"),
        (b'{"contacts":' * 100_000, "The body is nested more than 8 levels deep"),
        (b"{}", "contacts is required"),
        (b'{"contacts":null}', "contacts is required"),
        (b'{"contacts":[null]}', "contacts.0 must be an object"),
        (b'{"contacts":[{}],"reveal":[null]}', "reveal.0 must be one of: emails, phones"),
        (b'{"contacts":[{"X":null}]}', "contacts.0.property X should not exist"),
        (
            b'{"contacts":[{"flag":null,"flag":false}]}',
            "contacts.0.property flag should not be repeated",
        ),
        (b'{"contacts":[{}],"extra":{"a\\u0000":null}}', "extra.a? must not contain NUL characters"),
        (b'{"contacts":{}}', "contacts must be an array"),
        (b'{"contacts":[]}', "contacts must have at least 1 element"),
        (b'{"contacts":[{},{},{},{}]}', "contacts must have at most 3 elements"),
        (b'{"contacts":[7]}', "contacts.0 must be an object"),
        (b'{"contacts":[{},{"X":1}]}', "contacts.1.property X should not exist"),
        (b'{"contacts":[{}],"Y":1}', "property Y should not exist"),
        (b'{"contacts":[{}],"contacts":[{}]}', "property contacts should not be repeated"),
        (b'{"contacts":[{"flag":true,"flag":false}]}', "contacts.0.property flag should not be repeated"),
        (
            b'{"contacts":[{"flag":true,"fl\\u0061g":false}]}',
            "contacts.0.property flag should not be repeated",
        ),
        (b'{"contacts":[{}],"extra":{"a":"1","a":"2"}}', "extra.property a should not be repeated"),
        (b'{"contacts":[{"firstName":1}]}', "contacts.0.firstName must be a string"),
        (b'{"contacts":[{"note":7,"flag":null}]}', "contacts.0.note must be a string"),
        (
            b'{"contacts":[{"firstName":"12345678901"}]}',
            "contacts.0.firstName must have at most 10 characters",
        ),
        (b'{"contacts":[{"email":"x"}]}', "contacts.0.email must be an e-mail address"),
        (b'{"contacts":[{"firstName":"a\\u0000"}]}', "contacts.0.firstName must not contain NUL characters"),
        (b'{"contacts":[{}],"extra":{"a\\u0000":""}}', "extra.a? must not contain NUL characters"),
        (
            b'{"contacts":[{"firstName":"\\udc00"}]}',
            "contacts.0.firstName must not contain unpaired surrogates",
        ),
        (b'{"contacts":[{"size":"1"}]}', "contacts.0.size must be an integer"),
        (b'{"contacts":[{"size":true}]}', "contacts.0.size must be an integer"),
        (b'{"contacts":[{"size":1.5}]}', "contacts.0.size must be an integer"),
        (b'{"contacts":[{"size":-1}]}', "contacts.0.size must be at least 0"),
        (b'{"contacts":[{"size":123456789012345678901234567890}]}', "contacts.0.size must be at most 100"),
        (b'{"contacts":[{"size":1' + b"0" * 10_000 + b"}]}", "contacts.0.size is out of range"),
        (b'{"contacts":[{"ratio":1e999}]}', "contacts.0.ratio is out of range"),
        (b'{"contacts":[{"ratio":1}]}', "contacts.0.ratio must be less than 1"),
        (b'{"contacts":[{"flag":"yes"}]}', "contacts.0.flag must be a boolean"),
        (b'{"contacts":[{}],"reveal":["faxes"]}', "reveal.0 must be one of: emails, phones"),
        (b'{"contacts":[{}],"reveal":[1]}', "reveal.0 must be one of: emails, phones"),
    ],
)
def test_an_error_names_its_path(raw, message):
    assert refusal(raw).message == message


def test_a_control_character_in_a_text_is_refused():
    assert refusal(b'{"contacts":[{"firstName":"a\x00"}]}').message.startswith("The body is not valid JSON")


def test_every_problem_is_listed_in_the_order_of_the_body():
    error = refusal(b'{"contacts":[{"X":1,"size":"1"},2],"reveal":["q"]}')
    assert error.errors == (
        "contacts.0.property X should not exist",
        "contacts.0.size must be an integer",
        "contacts.1 must be an object",
        "reveal.0 must be one of: emails, phones",
    )
    assert error.message == error.errors[0]


def test_no_more_than_ten_problems_are_listed():
    assert len(refusal(json.dumps({f"p{n}": 1 for n in range(50)}).encode()).errors) == 10


def test_a_long_unknown_name_is_shortened_in_the_message():
    assert len(refusal(b'{"%s":1}' % (b"x" * 5_000)).message) < 200


def test_an_escaped_quote_hides_no_repeated_property():
    raw = b'{"contacts":[{"note":"\\u0022\\u0022","flag":true,"flag":true}]}'
    assert refusal(raw).message == "contacts.0.property flag should not be repeated"


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=10)
bodies = st.builds(
    Body,
    contacts=st.lists(
        st.builds(
            Part,
            first_name=st.just(msgspec.UNSET) | texts,
            note=st.just(msgspec.UNSET) | texts,
            flag=st.booleans() | st.just(msgspec.UNSET),
        ),
        min_size=1,
        max_size=3,
    ),
    extra=st.just(msgspec.UNSET) | st.dictionaries(texts, texts, max_size=3),
)


@given(bodies, st.booleans())
def test_every_valid_body_is_decoded_to_what_was_sent(body, ascii_only):
    raw = json.dumps(msgspec.to_builtins(body), ensure_ascii=ascii_only).encode()
    assert DECODER.decode(raw) == body


@given(bodies, st.data(), st.booleans())
def test_a_property_repeated_anywhere_is_refused(body, data, ascii_only):
    marker = "\ue000"
    sent = msgspec.to_builtins(body)
    objects = [sent, *sent["contacts"], *([sent["extra"]] if sent.get("extra") else [])]
    chosen = data.draw(st.sampled_from([thing for thing in objects if thing]))
    name = data.draw(st.sampled_from(list(chosen)))
    repeated = {**chosen, marker: chosen[name]}
    chosen.clear()
    chosen.update(repeated)
    text = json.dumps(sent, ensure_ascii=ascii_only)
    quoted = json.dumps(marker, ensure_ascii=ascii_only)
    raw = text.replace(quoted + ":", json.dumps(name, ensure_ascii=ascii_only) + ":").encode()
    assert "should not be repeated" in refusal(raw).message


def problems_of(raw: bytes) -> tuple[str, ...]:
    """Return the problems of a body, None if it is decoded; anything but BadRequest fails the test."""
    try:
        DECODER.decode(raw)
    except BadRequest as error:
        return error.errors or ("",)
    return ()


@settings(max_examples=examples(300))
@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\u0 1eE+-.trufalsn', max_size=40).map(str.encode))
def test_any_bytes_are_decoded_or_refused(raw):
    assert all(problems_of(raw))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | texts,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["contacts", "firstName", "size", "x"]), inner)
        ),
    )
)
def test_any_json_is_decoded_or_refused(value):
    assert len(problems_of(json.dumps(value).encode())) <= 10


def in_any(value: str) -> bytes:
    """Return a body with a value of any type, deep enough in brackets for each to be counted."""
    return b'{"items":[[],[],[],[],[],[],[],[],%s]}' % value.encode()


def test_values_of_any_type_are_decoded_without_the_slow_pass(monkeypatch):
    monkeypatch.setattr(validation_errors, "_parse", None)
    raw = in_any('{"note":"a \\" [[[[[[[[[","place":[{"x":[1.5,null]}]}')
    assert ANY_DECODER.decode(raw) == AnyBody(
        [*[[]] * 8, {"note": 'a " [[[[[[[[[', "place": [{"x": [1.5, None]}]}]
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('{"a":1,"a":2}', "items.8.property a should not be repeated"),
        ("[" * 6 + '"]]"' + "]" * 6, None),
        ("[" * 7 + '"]]"' + "]" * 7, "The body is nested more than 8 levels deep"),
        ('{"a":"\\u0000"}', "items.8.a must not contain NUL characters"),
        ('"\\ud800"', "items.8 must not contain unpaired surrogates"),
        ("1e999", "items.8 is out of range"),
        ("9" * 5_000, "items.8 is out of range"),
        ("9" * 400, None),
    ],
)
def test_values_of_any_type_are_as_bounded_as_others(value, message):
    if message is None:
        assert len(ANY_DECODER.decode(in_any(value)).items) == 9
    else:
        assert refusal(in_any(value), ANY_DECODER).message == message


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


nested = st.recursive(
    st.text(alphabet='[]{}"\\x', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[{"', max_size=2), inner),
    max_leaves=30,
)


@given(nested, st.integers(1, 6))
def test_nesting_is_counted_in_brackets_outside_of_strings(value, levels):
    assert is_deeper_than(json.dumps(value).encode(), levels) == (depth(value) > levels)


@given(st.text(alphabet="[]{}", max_size=30), st.integers(1, 6))
def test_brackets_without_their_pair_count_until_the_first_that_is_too_deep(brackets, levels):
    depths = [sum(1 if mark in "[{" else -1 for mark in brackets[:end]) for end in range(len(brackets) + 1)]
    assert is_deeper_than(brackets.encode(), levels) == (max(depths) > levels)
