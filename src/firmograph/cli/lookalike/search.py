"""Search for lookalikes over the database and its checkpoint, without a server."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.output import Row
from firmograph.cli.prospect.previews import PreviewReader
from firmograph.installation import Installation
from firmograph.kit.errors import Refused
from firmograph.kit.logs import set_up_logs
from firmograph.lookalikes.explanation import Explainer, HeldAttribute, Share, rounded
from firmograph.lookalikes.index.factory import open_similarity
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.model.attributes import kind_of
from firmograph.lookalikes.offline import (
    FoundSeeds,
    GivenRecord,
    SeedFinder,
    learn_if_due,
    require_records,
    traits_of,
)
from firmograph.security.record_ids import Entity


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
    require_records(database, entity)
    finder = SeedFinder(installation, entity)
    with database.read() as session:
        seeds = finder.seeds(session, given)
        left_out = finder.exclusions(session, excluded)
    if not seeds.numbers:
        raise Refused(f"None of the {seeds.given} seeds is a known {entity.singular}")
    index = _open_index(installation)
    # the index may be newer than the records read above; what was deleted since is in neither
    found = index.similar(entity, sorted(seeds.numbers), sorted(left_out), limit)
    with database.read() as session:
        previews = PreviewReader(installation.record_ids).rows(
            session, entity, [each.number for each in found]
        )
    rows = {
        each.number: previews[each.number] | {"similarity": rounded(each.similarity)}
        for each in found
        if each.number in previews
    }
    if explain:
        _add_explanations(installation, index, entity, seeds, rows)
    return FoundLookalikes(seeds, list(rows.values()))


def _open_index(installation: Installation) -> SimilarityIndex:
    settings = installation.settings
    # the progress bars replace the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    with count_progress("Similarity model") as report:
        learn_if_due(installation.database, installation.clock, report)
    with count_progress("Similarity index") as report:
        return open_similarity(installation.database, settings.search_folder, report)


def _add_explanations(
    installation: Installation,
    index: SimilarityIndex,
    entity: Entity,
    seeds: FoundSeeds,
    rows: Mapping[int, Row],
) -> None:
    explainer = Explainer(index, entity, seeds.numbers)
    holders = Counter(
        attribute
        for traits in traits_of(installation.database, entity, seeds.numbers).values()
        for attribute in traits.every(entity)
    )
    traits = traits_of(installation.database, entity, rows)
    for number, row in rows.items():
        if number in traits:
            shares = explainer.explain(number, row["similarity"], traits[number])
            row["explanation"] = [_explanation(share, holders) for share in shares]


def _explanation(share: Share, holders: Mapping[HeldAttribute, int]) -> dict[str, Any]:
    holder, attribute = share.held
    kind = kind_of(attribute)
    return {
        "of": holder,
        "kind": kind,
        "value": attribute[len(kind) + 1 :],
        "share": share.share,
        "seeds": holders[share.held],
    }
