"""Lookalikes of contacts: titles of one occupation, held by made-up people at made-up employers.

No open list of real people of one trade is at hand. The titles are real, from O*NET; that the people of an occupation
work in two industries, half of them in each, is made up, and so are their employers.
"""

import csv
import gzip
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.lookalikes.methods import Attributes, weighted_attributes
from evaluation.lookalikes.trials import FOUND, Trial, is_tuned
from evaluation.lookalikes.worlds import MEMBERS
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.records import Contact
from firmograph.ingest.reading.inputs import CompanyInput, ContactInput
from firmograph.ingest.records.company import normalise_company
from firmograph.ingest.records.contact import normalise_contact
from firmograph.lookalikes.index.changes import CompanyTraits, ContactTraits, SimilarityChanges
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.attributes import company_attributes, contact_attributes
from firmograph.lookalikes.model.learning import SampledContact, learn
from firmograph.lookalikes.model.similarity_model import SimilarityModel
from firmograph.lookalikes.model.weights import Weights, packaged_weights
from firmograph.security.record_ids import Entity

_EMPLOYERS: Final = 1_000
_SIZES: Final = ("1-10", "11-50", "51-200", "201-500", "501-1000", "1001-5000", "5001-10000", "10001+")
_COUNTRIES: Final = ("US", "GB", "DE", "FR", "IN", "CA")
_SEED: Final = 17


class People(NamedTuple):
    """Contacts with their employers, and occupations as lists of contacts."""

    contacts: Sequence[Contact]
    own: Attributes
    employers: Attributes
    employer_of: Sequence[int]
    """Position of each contact's employer."""
    industry_of: Sequence[str]
    """Industry of each contact's employer."""
    occupations: dict[str, Sequence[int]]


class Figures(NamedTuple):
    """Means over trials."""

    recall: float
    """Of the other people of the occupation."""
    same_industry: float
    """Share of the found ones of the occupation that work in the seeds' industry."""


def people(titles: Path) -> People:
    """Return one person for each alternate title of each occupation."""
    random = np.random.default_rng(_SEED)
    industries = [each.name for each in MAIN_INDUSTRIES]
    kinds = random.integers(len(industries), size=_EMPLOYERS)
    employers = [
        CompanyInput(
            name=f"Employer {number}",
            industry=industries[kind],
            employee_count=_SIZES[random.integers(len(_SIZES))],
            location=_COUNTRIES[random.integers(len(_COUNTRIES))],
        )
        for number, kind in enumerate(kinds)
    ]
    of_industry = [np.flatnonzero(kinds == kind) for kind in range(len(industries))]
    occupations: dict[str, list[int]] = defaultdict(list)
    contacts: list[Contact] = []
    employer_of: list[int] = []
    for occupation, held in _titles(titles).items():
        both = random.choice(len(industries), 2, replace=False)
        for place, title in enumerate(held):
            occupations[occupation].append(len(contacts))
            contacts.append(normalise_contact(ContactInput(job_title=title)))
            employer_of.append(int(random.choice(of_industry[both[place % 2]])))
    return People(
        contacts,
        [contact_attributes(each) for each in contacts],
        [company_attributes(normalise_company(each)) for each in employers],
        employer_of,
        [industries[kinds[each]] for each in employer_of],
        {name: held for name, held in occupations.items() if len(held) >= MEMBERS},
    )


def contact_trials(known: People, *, tuned: bool, seeds: int, limit: int) -> list[Trial]:
    """Return trials of occupations whose seeds all work in one industry."""
    trials = []
    for name, held in known.occupations.items():
        if is_tuned(name) == tuned:
            random = np.random.default_rng([_SEED, held[0]])
            near = [each for each in held if known.industry_of[each] == known.industry_of[held[0]]]
            drawn = random.choice(near, seeds, replace=False)
            trials.append(Trial((name,), drawn, (frozenset(held) - frozenset(drawn.tolist()),)))
    order = np.random.default_rng(_SEED).permutation(len(trials))
    return [trials[at] for at in order[:limit]]


def measured(known: People, trials: Sequence[Trial], found: Sequence[Sequence[int]]) -> Figures:
    recalls, shares = [], []
    for trial, results in zip(trials, found, strict=True):
        (held_out,) = trial.held_out
        right = [each for each in results if each in held_out]
        recalls.append(len(right) / min(FOUND, len(held_out)))
        industry = known.industry_of[trial.seeds[0]]
        if right:
            shares.append(sum(known.industry_of[each] == industry for each in right) / len(right))
    return Figures(float(np.mean(recalls)), float(np.mean(shares)))


def learnt_model(known: People, weights: Weights | None = None) -> SimilarityModel:
    sampled = [
        SampledContact(own, known.employers[employer])
        for own, employer in zip(known.own, known.employer_of, strict=True)
    ]
    return learn(known.employers, sampled, weights=weights)


def indexed_contacts(known: People, model: SimilarityModel, trials: Sequence[Trial]) -> list[Sequence[int]]:
    """Search the index as a call does."""
    index = SimilarityIndex(model)
    companies = [CompanyTraits(at + 1, list(own), at, True) for at, own in enumerate(known.employers)]
    contacts = [
        ContactTraits(at + 1, list(own), at, known.employer_of[at] + 1) for at, own in enumerate(known.own)
    ]
    index.apply(SimilarityChanges(1, companies=companies, contacts=contacts))
    return [
        [one.number - 1 for one in index.similar(Entity.CONTACT, trial.seeds + 1, (), FOUND)]
        for trial in trials
    ]


def random_contacts(known: People, trials: Sequence[Trial]) -> list[Sequence[int]]:
    random = np.random.default_rng(_SEED)
    return [_best(random.random(len(known.contacts)), trial) for trial in trials]


def same_department(known: People, trials: Sequence[Trial]) -> list[Sequence[int]]:
    """Return people of the seeds' departments and seniority, by chance among equals."""
    random = np.random.default_rng(_SEED)
    ranks = [
        frozenset(one for one in own if one.startswith(("department:", "seniority:"))) for own in known.own
    ]
    found = []
    for trial in trials:
        shared = [ranks[seed] for seed in trial.seeds.tolist()]
        scores = {rank: sum(len(rank & each) for each in shared) for rank in set(ranks)}
        found.append(_best(np.array([scores[rank] for rank in ranks]) + random.random(len(ranks)), trial))
    return found


def exact_contacts(known: People, trials: Sequence[Trial]) -> list[Sequence[int]]:
    """Compare the weighted attributes of contact and employer, with the model's share of the employer."""
    weights = packaged_weights()
    own = weighted_attributes(known.own, lambda kind: weights.contacts.kinds[kind])
    employers = weighted_attributes(known.employers, lambda kind: weights.companies.kinds[kind])
    found = []
    for trial in trials:
        seeds_employers = [known.employer_of[seed] for seed in trial.seeds.tolist()]
        by_own = _similarities(own, trial.seeds)
        by_employer = _similarities(employers, seeds_employers)[known.employer_of]
        share = weights.company_share
        found.append(_best((1 - share) * by_own + share * by_employer, trial))
    return found


def _similarities(rows: Any, seeds: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
    query = np.asarray(rows[seeds].sum(axis=0)).ravel()
    return np.asarray(rows @ query).ravel()


def _best(scores: NDArray[Any], trial: Trial) -> Sequence[int]:
    scores = scores.astype(np.float64)
    scores[trial.seeds] = -np.inf
    found: list[int] = np.argsort(-scores, kind="stable")[:FOUND].tolist()
    return found


def _titles(path: Path) -> dict[str, list[str]]:
    """Return the alternate titles by occupation."""
    titles: dict[str, dict[str, None]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            titles[row["O*NET-SOC Code"]][row["Alternate Title"]] = None
    return {occupation: list(held) for occupation, held in sorted(titles.items())}
