import base64

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from hypothesis import given
from hypothesis import strategies as st

from firmograph.security.keyring import Keyring, new_keyring
from firmograph.security.record_ids import Entity, MalformedId, RecordIds

pytestmark = pytest.mark.no_database

OLD = Keyring(hash="ab" * 32, tokens={1: "cd" * 32})
ROTATED = Keyring(hash="ab" * 32, tokens={1: "cd" * 32, 2: "ef" * 32})
tokens = RecordIds(OLD)
numbers = st.integers(0, 2**53 - 1)
kinds = st.sampled_from(Entity)


@given(kinds, numbers)
def test_a_token_is_decoded_to_its_number(kind, number):
    assert tokens.open(kind, tokens.seal(kind, number)) == number


@given(kinds, numbers)
def test_a_legacy_number_is_decoded_to_its_number_and_stays_below_2_to_53(kind, number):
    legacy = tokens.legacy(kind, number)
    assert 0 <= legacy < 2**53
    assert tokens.open(kind, str(legacy)) == number


def test_a_token_is_aes_siv_over_kind_and_number():
    body = base64.urlsafe_b64decode(tokens.seal(Entity.COMPANY, 7).removeprefix("v1."))
    assert AESSIV(bytes.fromhex("cd" * 32)).decrypt(body, None) == bytes([Entity.COMPANY]) + (7).to_bytes(
        7, "big"
    )


def test_the_same_record_always_has_the_same_token_of_35_characters():
    assert tokens.seal(Entity.CONTACT, 1) == RecordIds(OLD).seal(Entity.CONTACT, 1)
    assert len(tokens.seal(Entity.CONTACT, 1)) == 35


def test_a_token_of_the_other_kind_is_no_record():
    assert tokens.open(Entity.COMPANY, tokens.seal(Entity.CONTACT, 1)) is None


def test_consecutive_legacy_numbers_do_not_reveal_the_number_of_records():
    drawn = [tokens.legacy(Entity.CONTACT, number) for number in range(100)]
    assert drawn != sorted(drawn)
    assert max(drawn) > 2**50


def test_new_tokens_are_of_the_newest_version_and_older_ones_stay_valid():
    rotated = RecordIds(ROTATED)
    assert rotated.seal(Entity.CONTACT, 5).startswith("v2.")
    assert rotated.open(Entity.CONTACT, tokens.seal(Entity.CONTACT, 5)) == 5


def test_rotation_leaves_legacy_numbers_unchanged():
    assert RecordIds(ROTATED).legacy(Entity.CONTACT, 5) == tokens.legacy(Entity.CONTACT, 5)


@given(st.integers(0, 31), st.sampled_from("ABab01_-"))
def test_an_altered_token_is_no_record(place, letter):
    token = tokens.seal(Entity.CONTACT, 1)
    body = token.removeprefix("v1.")
    altered = body[:place] + letter + body[place + 1 :]
    assert tokens.open(Entity.CONTACT, "v1." + altered) == (1 if altered == body else None)


def test_a_token_of_another_installation_is_no_record():
    assert tokens.open(Entity.CONTACT, RecordIds(new_keyring()).seal(Entity.CONTACT, 1)) is None


@pytest.mark.parametrize(
    "text", ["", "v1", "v0.AAAA", "v1.", "x1.AAAA", "1.5", "-1", "v1.A A", "１２", "12\n"]
)
def test_a_text_that_is_neither_token_nor_digits_is_malformed(text):
    with pytest.raises(MalformedId):
        tokens.open(Entity.CONTACT, text)


@pytest.mark.parametrize(
    "text",
    ["v1.AAAA", "v2.AAAA", "v1." + "A" * 500, str(2**53), "9" * 16, "1" * 17, "1" * 5_000, "0" * 16 + "1"],
)
def test_a_well_formed_but_unknown_id_is_no_record(text):
    assert tokens.open(Entity.CONTACT, text) is None
