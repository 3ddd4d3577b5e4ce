"""Lookalikes of a command: the records that it was given, those that resemble them, and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from firmograph.caller import InstallationOperator
from firmograph.cli.lookalike.given_records import NAMES, GivenRecord
from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.output import Row
from firmograph.database.connection import Session
from firmograph.enrichment.service import Enrichment
from firmograph.indexing.record_sample import highest_numbers
from firmograph.installation import Installation
from firmograph.kit.errors import Refused
from firmograph.kit.logs import set_up_logs
from firmograph.lookalikes.explanation import explain as explain_similarities
from firmograph.lookalikes.explanation import rounded
from firmograph.lookalikes.index.factory import open_similarity
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.training import learn_if_due
from firmograph.lookalikes.seeds import Identified, SeedReader, SeedReaders, find_seed
from firmograph.lookalikes.shapes import LEAST_SEEDS, MOST_SEEDS, CompanySeeds, ContactSeeds
from firmograph.security.record_ids import Entity


class MissingSeed(NamedTuple):
    """Seed that names no record."""

    seed: GivenRecord
    reason: str


class FoundSeeds(NamedTuple):
    numbers: frozenset[int]
    given: int
    """Number of different seeds."""
    found: int
    """Number of those that name a record."""
    missing: Sequence[MissingSeed]


class FoundLookalikes(NamedTuple):
    """Answer of a search."""

    seeds: FoundSeeds
    rows: Sequence[Row]
    """Previews with `similarity`, the most similar first, and `explanation` if it was asked for."""


def find_lookalikes(
    installation: Installation,
    entity: Entity,
    given: Sequence[GivenRecord],
    excluded: Sequence[GivenRecord],
    limit: int,
    *,
    explain: bool,
) -> FoundLookalikes:
    """Return the records that are most like the given ones, without these and the excluded ones."""
    database = installation.database
    _require_records(database.session(), entity)
    reader = installation.get(SeedReaders).of(entity)
    with database.read() as session:
        seeds = _find_seeds(session, reader, entity, given)
        left_out = _find_excluded(session, reader, entity, excluded)
    if not seeds.numbers:
        raise Refused(f"None of the {seeds.given} seeds is a known {entity.singular}")
    index = _open_index(installation)
    # the index may be newer than the records read above; what was deleted since is in neither
    found = index.similar(entity, sorted(seeds.numbers), sorted(left_out), limit)
    similarities = {each.number: rounded(each.similarity) for each in found}
    with database.read() as session:
        previews = (
            installation.get(Enrichment).of(entity).previews(session, InstallationOperator(), similarities)
        )
    rows: dict[int, Row] = {
        number: msgspec.json.decode(previews[number]) | {"similarity": similarity}
        for number, similarity in similarities.items()
        if number in previews
    }
    if explain:
        explanations = explain_similarities(database, index, entity, seeds.numbers, similarities)
        for number in rows.keys() & explanations.keys():
            rows[number]["explanation"] = msgspec.to_builtins(explanations[number])
    return FoundLookalikes(seeds, list(rows.values()))


def _require_records(session: Session, entity: Entity) -> None:
    """Raise Refused, with what to do, if there are no records of a kind."""
    companies, contacts = highest_numbers(session)
    if not (contacts if entity is Entity.CONTACT else companies):
        raise Refused(
            f"There are no {entity.plural} yet; load some with: firmograph import {entity.plural} FILE"
        )


def _open_index(installation: Installation) -> SimilarityIndex:
    settings = installation.settings
    # the progress bars replace the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    with count_progress("Similarity model") as report:
        learn_if_due(installation.database, installation.clock, report)
    with count_progress("Similarity index") as report:
        return open_similarity(installation.database, settings.search_folder, report)


# --- given records ---


def _find_seeds(
    session: Session, reader: SeedReader, entity: Entity, given: Sequence[GivenRecord]
) -> FoundSeeds:
    """Return the records of seeds.

    Raises BadRequest for a malformed identifier, naming its place; Refused for too few or too many different seeds.
    """
    different = {}
    for each in given:
        identifiers = list(_identify(reader, entity, each))
        forms = tuple(
            (name, *one.forms) for (name, _), one in zip(each.identifiers, identifiers, strict=True)
        )
        different[forms] = (each, identifiers)
    different.pop((), None)
    missing = [
        MissingSeed(each, f"has no {_choice(NAMES[entity])}") for each in given if not each.identifiers
    ]
    if not LEAST_SEEDS <= len(different) <= MOST_SEEDS:
        example = f": {missing[0].seed.place} {missing[0].reason}" if missing else ""
        raise Refused(
            f"Give {LEAST_SEEDS} to {MOST_SEEDS} different seeds; these are {len(different)}{example}"
        )
    numbers: set[int] = set()
    unknown = []
    for each, identifiers in different.values():
        listed = find_seed(session, reader, identifiers)
        numbers |= listed.unambiguous()
        if not listed.unambiguous():
            reason = "names several records" if listed.every() else "no such record"
            unknown.append(MissingSeed(each, reason))
    found = len(different) - len(unknown)
    return FoundSeeds(frozenset(numbers), len(different), found, [*missing, *unknown])


def _find_excluded(
    session: Session, reader: SeedReader, entity: Entity, given: Sequence[GivenRecord]
) -> frozenset[int]:
    """Return every record that any of the identifiers names. Raises BadRequest for a malformed one."""
    lists: dict[str, list[str]] = {}
    for each in given:
        for name, text in each.identifiers:
            lists.setdefault(_check(entity, name, text, each.place), []).append(text)
    return reader.find_excluded(session, _read(reader, entity, lists)).every() if lists else frozenset()


def _identify(reader: SeedReader, entity: Entity, given: GivenRecord) -> Iterator[Identified]:
    """Yield each identifier. Raises BadRequest for a malformed one."""
    for name, text in given.identifiers:
        yield _read(reader, entity, {_check(entity, name, text, given.place): [text]})


def _check(entity: Entity, name: str, text: str, place: str) -> str:
    """Return the member of a request for an identifier. Raises BadRequest, with its place, for a malformed one."""
    kind, member = NAMES[entity][name]
    kind.parse(text, (f"{place}: {text!r}",))
    return member


def _read(reader: SeedReader, entity: Entity, lists: Mapping[str, Sequence[str]]) -> Identified:
    shape: Any = ContactSeeds if entity is Entity.CONTACT else CompanySeeds
    return reader.read(shape(**lists), "seeds")


def _choice(names: Collection[str]) -> str:
    """Return names as `id, linkedin or email`."""
    *first, last = names
    return f"{', '.join(first)} or {last}"
