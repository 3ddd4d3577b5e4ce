"""Names of suppressed people as hashes: variants of a name, and contradictions."""

import pytest

from firmograph.directory.matching import names_contradict
from firmograph.directory.names import full_name_keys
from firmograph.directory.suppressed_names import (
    asked_name_forms,
    asked_name_variants,
    suppressed_name_forms,
    suppressed_name_variants,
)
from record_factory import DIGESTS

pytestmark = pytest.mark.no_database

PERSON = b"p" * 16


def meets(suppressed, row):
    known = {*full_name_keys(*suppressed), *suppressed_name_variants(*suppressed)}
    return not known.isdisjoint(asked_name_variants(*row))


@pytest.mark.parametrize(
    ("suppressed", "row"),
    [
        (("Jane", "Doe"), ("J.", "Doe")),
        (("Jane", "Doe"), ("Doe", "Jane")),
        (("Jane", "Doe"), ("Doe", "J")),
        (("Jane", "Doe"), ("Jane Marie", "Doe")),
        (("Jane", "Doe"), ("J. M.", "Doe")),
        (("Jane Marie", "Doe"), ("Jane", "Doe")),
        (("Jane Marie", "Doe"), ("J. M.", "Doe")),
        (("Jane Marie", "Doe"), ("Jane M.", "Doe")),
        (("Jane Marie", "Doe"), ("Doe", "Jane Marie")),
        (("Dr. Zoë", "Ångström-Lund"), ("Z", "Angstrom Lund")),
        (("Анна", "Иванова"), ("А.", "Иванова")),
        (("太郎", "山田"), ("山田", "太郎")),
    ],
)
def test_a_variant_of_a_suppressed_name_is_known(suppressed, row):
    assert meets(suppressed, row)


@pytest.mark.parametrize(
    ("suppressed", "row"),
    [
        (("J.", "Doe"), ("Jane", "Doe")),
        (("Jane", "Doe"), ("John", "Doe")),
        (("Jane", "Doe"), ("Jane", "Roe")),
        (("Jane Marie", "Doe"), ("Jane Anne", "Doe")),
        (("Jane", "Doe"), ("K.", "Doe")),
        (("太郎", "山田"), ("太", "山田")),
        (("Jane", ""), ("J", "")),
    ],
)
def test_another_name_is_no_variant(suppressed, row):
    assert not meets(suppressed, row)


@pytest.mark.parametrize("row", [("Bob", "Smith"), ("Max", "Kowalski"), ("Li Na", "Wang"), ("M.", "Smith")])
def test_names_of_two_people_contradict(row):
    known = suppressed_name_forms(DIGESTS, PERSON, "Jane", "Doe").all()
    assert asked_name_forms(DIGESTS, PERSON, *row).contradict(known)
    assert names_contradict(row, ("Jane", "Doe"))


@pytest.mark.parametrize(
    ("suppressed", "row"),
    [
        (("Jane", "Doe"), ("J.", "Smith")),
        (("J.", "Doe"), ("Jane", "Smith")),
        (("William", "Roe"), ("Bill", "Smith")),
        (("Bill", "Roe"), ("William", "Smith")),
        (("Bob", "Roe"), ("R.", "Smith")),
        (("Sara", "Roe"), ("Sarah", "Smith")),
        (("Jane", "Doe"), ("Bob", "Doe")),
        (("Jane", "Doe"), ("Bob", "Doe-Smith")),
        (("Jane", "Doe"), ("", "Smith")),
        (("Jane", "Doe"), ("Bob", "")),
        (("", ""), ("Bob", "Smith")),
        (("Jane", "Doe"), ("Анна", "Иванова")),
    ],
)
def test_names_that_may_be_one_persons_do_not_contradict(suppressed, row):
    known = suppressed_name_forms(DIGESTS, PERSON, *suppressed).all()
    assert not asked_name_forms(DIGESTS, PERSON, *row).contradict(known)
    assert not names_contradict(row, suppressed)


def test_the_hashes_of_one_person_say_nothing_of_another():
    known = suppressed_name_forms(DIGESTS, PERSON, "Jane", "Doe").all()
    assert known.isdisjoint(suppressed_name_forms(DIGESTS, b"q" * 16, "Jane", "Doe").all())
