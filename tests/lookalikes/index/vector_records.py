"""Records as the similarity index takes them, a small model, and a plain slow search to compare with."""

from collections.abc import Collection, Iterable
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from firmograph.lookalikes.index.changes import CompanyTraits, ContactTraits
from firmograph.lookalikes.index.record_vectors import RecordVectors
from firmograph.lookalikes.index.seed_queries import fold_queries, queries_of_seeds
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.learning import SampledContact, learn
from firmograph.lookalikes.model.similarity_model import SimilarityModel
from firmograph.security.record_ids import Entity

TOPICS = 6
KEYWORDS = [f"keyword:{topic} {word}" for topic in range(TOPICS) for word in range(6)]
PLACES = [f"country:{code}" for code in ("DE", "FR", "US")]
TITLES = [f"title:{word}" for word in ("chief", "engineer", "nurse", "sales", "software", "ward")]


def company_attributes(random: Random) -> list[str]:
    topic = random.randrange(TOPICS)
    near = [each for each in KEYWORDS if each.startswith(f"keyword:{topic} ")]
    far = random.sample(KEYWORDS, random.randrange(2))
    return sorted(
        {*random.sample(near, random.randrange(4)), *far, *random.sample(PLACES, random.randrange(2))}
    )


def contact_attributes(random: Random) -> list[str]:
    return sorted({*random.sample(TITLES, random.randrange(3)), *random.sample(PLACES, random.randrange(2))})


def company(number: int, random: Random) -> CompanyTraits:
    return CompanyTraits(number, company_attributes(random), random.getrandbits(64), random.random() < 0.9)


def contact(number: int, random: Random, companies: Iterable[int] = ()) -> ContactTraits:
    employer = random.choice([None, *companies])
    return ContactTraits(number, contact_attributes(random), random.getrandbits(64), employer)


@cache
def model(number: int = 1, seed: int = 3) -> SimilarityModel:
    """Return a model with some lists."""
    random = Random(seed)
    companies = [company_attributes(random) for _ in range(300)]
    contacts = [SampledContact(contact_attributes(random), random.choice(companies)) for _ in range(300)]
    return learn(companies, contacts, company_count=100, contact_count=100).with_number(number)


class PlainRecord(NamedTuple):
    code: "np.ndarray[Any, Any]"
    tie: int
    listed: bool


def plain_records(
    model: SimilarityModel,
    companies: Iterable[CompanyTraits],
    contacts: Iterable[ContactTraits],
) -> dict[Entity, dict[int, PlainRecord]]:
    """Return what an index of these records has to hold, each computed alone."""
    firms = {
        one.number: PlainRecord(
            model.company_codes(model.companies.encode(one.attributes)[None])[0], one.tie, one.listed
        )
        for one in companies
    }
    unknown = PlainRecord(np.zeros(128, dtype=np.int8), 0, False)
    people = {}
    for one in contacts:
        own = model.own_codes(model.contacts.encode(one.attributes)[None])[0]
        employer = model.employer_codes(firms.get(one.company or 0, unknown).code[None])[0]
        people[one.number] = PlainRecord(np.concatenate((own, employer)), one.tie, True)
    return {Entity.COMPANY: firms, Entity.CONTACT: people}


def plain_search(
    model: SimilarityModel,
    entity: Entity,
    records: dict[int, PlainRecord],
    seeds: Collection[int],
    excluded: Collection[int],
    limit: int,
) -> list[tuple[int, float]]:
    """Return the numbers and similarities of the results, by looking at every record."""
    space = model.company_space if entity is Entity.COMPANY else model.contact_space
    vectors = [space.decode(records[number].code[None])[0] for number in set(seeds) if number in records]
    if not vectors:
        return []
    queries, scale = fold_queries(queries_of_seeds(np.array(vectors)), space)
    found = []
    for number, record in records.items():
        score = max((int(query.astype(int) @ record.code.astype(int)) for query in queries), default=0)
        if record.listed and score > 0 and number not in {*seeds, *excluded}:
            found.append((-score, record.tie, number))
    return [(number, min(1.0, -score / scale)) for score, _, number in sorted(found)[:limit]]


def state_of(index: SimilarityIndex) -> dict[Entity, dict[int, tuple[bytes, int, bool]]]:
    """Return the complete content of an index."""
    return {
        entity: _records_of(vectors)
        for entity, vectors in ((Entity.COMPANY, index.companies), (Entity.CONTACT, index.contacts))
    }


def _records_of(vectors: RecordVectors) -> dict[int, tuple[bytes, int, bool]]:
    content = vectors.content()
    rows = zip(
        content.numbers.tolist(), content.codes, content.ties.tolist(), content.listed.tolist(), strict=True
    )
    return {number: (code.tobytes(), tie, listed) for number, code, tie, listed in rows}
