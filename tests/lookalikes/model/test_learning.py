"""Learning, vectors and codes of a similarity model."""

from random import Random

import numpy as np
import pytest
from made_up_records import made_up_companies, made_up_contacts, sample_of

from firmograph.lookalikes.model.learning import MIN_RECORDS, SampledContact, learn
from firmograph.lookalikes.model.similarity_model import (
    COMPANY_DIMENSIONS,
    OWN_DIMENSIONS,
    SimilarityModel,
    UnknownFormat,
)

pytestmark = pytest.mark.no_database

COMPANIES = made_up_companies(300)
CONTACTS = made_up_contacts(COMPANIES, 300)
ROWS, SAMPLE = sample_of(COMPANIES, CONTACTS)


@pytest.fixture(scope="module")
def model():
    return learn(ROWS, SAMPLE)


def test_the_order_of_records_and_attributes_does_not_matter(model):
    random = Random(3)
    rows = [random.sample(row, len(row)) for row in random.sample(ROWS, len(ROWS))]
    sample = [
        SampledContact(random.sample(own, len(own)), random.sample(employer, len(employer)))
        for own, employer in random.sample(SAMPLE, len(SAMPLE))
    ]
    assert learn(rows, sample).to_bytes() == model.to_bytes()


def test_the_order_of_its_attributes_does_not_change_a_vector(model):
    for row in ROWS[:50]:
        shuffled = Random(4).sample(row, len(row))
        assert np.array_equal(model.companies.encode(shuffled), model.companies.encode(row))


def test_vectors_of_many_records_are_those_of_each(model):
    rows = [*ROWS[:50], [], ["word:unheard"], ROWS[50]]
    single = [model.companies.encode(row) for row in rows]
    assert np.array_equal(model.companies.encode_all(rows), np.array(single))


def test_a_vector_has_unit_length_or_is_zero(model):
    assert np.linalg.norm(model.companies.encode(ROWS[0])) == pytest.approx(1, abs=1e-6)
    assert not model.companies.encode(["word:unheard", "shape:round"]).any()
    assert model.companies.dimensions == COMPANY_DIMENSIONS
    assert model.contacts.dimensions == OWN_DIMENSIONS


def test_contributions_add_up_to_the_vector(model):
    attributes, rows = model.companies.contributions([*ROWS[0], "word:unheard"])
    assert set(attributes) <= set(ROWS[0])
    assert rows.sum(axis=0) == pytest.approx(model.companies.encode(ROWS[0]), abs=1e-5)


def test_contributions_of_unknown_attributes_are_none(model):
    attributes, rows = model.contacts.contributions(["word:unheard"])
    assert attributes == []
    assert rows.shape == (0, OWN_DIMENSIONS)


def test_records_of_one_trade_are_more_similar_than_others(model):
    vectors = model.companies.encode_all(ROWS)
    trades = np.array([company.industry for company in COMPANIES])
    likeness = vectors @ vectors.T
    same = trades[:, None] == trades[None, :]
    assert likeness[same].mean() > likeness[~same].mean() + 0.3


def test_what_fewer_than_five_records_hold_is_not_learnt():
    def known(holders):
        rows = [["country:DE", "word:rare"]] * holders + [["country:DE"]] * 20 + [["country:US"]] * 20
        return "word:rare" in learn(rows, ()).companies.attributes

    assert known(MIN_RECORDS)
    assert not known(MIN_RECORDS - 1)


def test_nothing_that_names_one_record_is_in_a_model(model):
    content = model.to_bytes().lower()
    for number in range(300):
        for text in (f"unit{number}", f"first{number}", f"last{number}", f"person{number}"):
            assert text.encode() not in content
    assert b"example" not in content
    assert b"linkedin" not in content


def test_bytes_give_the_same_model(model):
    numbered = model.with_number(7)
    loaded = SimilarityModel.from_bytes(numbered.to_bytes())
    assert (loaded.number, loaded.company_share) == (7, model.company_share)
    assert loaded.to_bytes() == numbered.to_bytes()
    assert np.array_equal(loaded.companies.encode_all(ROWS), model.companies.encode_all(ROWS))
    codes = model.company_codes(model.companies.encode_all(ROWS))
    assert np.array_equal(loaded.company_codes(loaded.companies.encode_all(ROWS)), codes)


@pytest.mark.parametrize("content", [b"", b"\x96\x02", b"{}"])
def test_bytes_of_another_release_are_refused(content):
    with pytest.raises(UnknownFormat):
        SimilarityModel.from_bytes(content)


def test_codes_keep_the_similarity(model):
    vectors = model.companies.encode_all(ROWS)
    decoded = model.company_space.decode(model.company_codes(vectors))
    assert np.abs(decoded @ decoded.T - vectors @ vectors.T).max() < 0.05


def test_a_contact_is_its_own_part_and_that_of_the_employer(model):
    share = model.company_share
    own = model.own_part(model.contacts.encode_all([each.own for each in SAMPLE]))
    employers = model.employer_part(model.company_codes(model.companies.encode_all(ROWS)))
    assert np.linalg.norm(own, axis=1) == pytest.approx(np.sqrt(1 - share), abs=1e-5)
    assert np.linalg.norm(employers, axis=1) == pytest.approx(np.sqrt(share), abs=1e-5)
    nobody = model.company_codes(model.companies.encode_all([["word:unheard"]]))
    assert not model.employer_part(nobody).any()
    assert not model.employer_codes(nobody).any()


def test_no_records_give_a_model_that_knows_nothing():
    model = learn((), ())
    loaded = SimilarityModel.from_bytes(model.to_bytes())
    assert not loaded.companies.encode(ROWS[0]).any()
    assert not loaded.company_codes(loaded.companies.encode_all(ROWS)).any()
    assert loaded.company_space.centres.shape == (1, COMPANY_DIMENSIONS)
    assert loaded.contact_space.centres.shape == (1, COMPANY_DIMENSIONS)
    assert (loaded.contact_space.ranges > 0).all()


def test_an_index_of_more_records_has_more_lists():
    many = learn(ROWS, SAMPLE, company_count=40_000)
    assert many.company_space.centres.shape[0] == 200
    assert many.contact_space.centres.shape[0] == 17
