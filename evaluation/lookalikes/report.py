"""Tables of the figures, in Markdown."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evaluation.lookalikes import contacts as people
from evaluation.lookalikes import several_seeds
from evaluation.lookalikes.methods import (
    Attributes,
    Method,
    exact_attributes,
    indexed_companies,
    learnt_vectors,
    projected_by_chance,
    random_records,
    same_industry,
)
from evaluation.lookalikes.trials import Trial, lists_of, plain_trials, recall
from evaluation.lookalikes.worlds import World
from firmograph.lookalikes.model.attributes import company_attributes
from firmograph.lookalikes.model.learning import learn
from firmograph.lookalikes.model.similarity_model import SimilarityModel
from firmograph.lookalikes.model.weights import packaged_weights

SEEDS = 10


class Measured:
    """A world with its model, which is learnt from all of its records; no list has a part in it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.attributes: Attributes = [company_attributes(record) for record in world.records]
        self.model: SimilarityModel = learn(self.attributes, [])

    def methods(self) -> dict[str, Method]:
        kinds = packaged_weights().companies.kinds
        return {
            "random": random_records(self.world),
            "same industry, most popular": same_industry(self.world),
            "attributes compared exactly, all kinds alike": exact_attributes(self.attributes, lambda _: 1.0),
            "attributes compared exactly, with our weights": exact_attributes(
                self.attributes, lambda kind: kinds[kind]
            ),
            "projection by chance": projected_by_chance(self.attributes, lambda kind: kinds[kind]),
            "learnt vectors, one mean": learnt_vectors(self.attributes, self.model, several_seeds.one_mean),
            "learnt vectors": learnt_vectors(self.attributes, self.model),
            "learnt vectors, as indexed and searched": indexed_companies(self.attributes, self.model),
        }


def companies_table(worlds: Sequence[Measured], *, tuned: bool, repeats: int) -> Iterator[str]:
    """Yield the mean recall by method, with its standard error over trials."""
    trials = [plain_trials(each.world, lists_of(each.world, tuned=tuned), SEEDS, repeats) for each in worlds]
    titles = [
        f"{each.world.name}: {len({trial.lists for trial in drawn})} lists, {len(drawn)} trials"
        for each, drawn in zip(worlds, trials, strict=True)
    ]
    yield from _header("recall@50", titles)
    methods = [each.methods() for each in worlds]
    for name in methods[0]:
        cells = [_recall(method[name], drawn) for method, drawn in zip(methods, trials, strict=True)]
        yield _row(name, cells)
    yield ""


def seeds_table(measured: Measured, *, tuned: bool, repeats: int, mixed: int) -> Iterator[str]:
    """Yield recall on lists of one kind; of mixed ones the results of the weakest kind, then recall."""
    names = lists_of(measured.world, tuned=tuned)
    trials = several_seeds.kinds_of_trials(measured.world, names, repeats, mixed)
    yield from _header(
        measured.world.name, [f"{kind} ({len(drawn)} trials)" for kind, drawn in trials.items()]
    )
    for name, combination in several_seeds.combinations().items():
        method = learnt_vectors(measured.attributes, measured.model, combination)
        yield _row(name, _seeds_cells(several_seeds.measure_trials(trials, method)))
    indexed = indexed_companies(measured.attributes, measured.model)
    yield _row("the same, in the index", _seeds_cells(several_seeds.measure_trials(trials, indexed)))
    yield ""


def contacts_table(known: people.People, *, tuned: bool, limit: int) -> Iterator[str]:
    trials = people.contact_trials(known, tuned=tuned, seeds=SEEDS, limit=limit)
    yield from _header(
        f"{len(known.contacts):,} contacts, {len(trials)} trials",
        ["recall@50 of the occupation", "of these in the seeds' industry"],
    )
    model = people.learnt_model(known)
    found = {
        "random": people.random_contacts(known, trials),
        "same departments and seniority": people.same_department(known, trials),
        "attributes compared exactly": people.exact_contacts(known, trials),
        "learnt vectors, as indexed and searched": people.indexed_contacts(known, model, trials),
    }
    for name, results in found.items():
        figures = people.measured(known, trials, results)
        yield _row(name, [f"{figures.recall:.3f}", f"{figures.same_industry:.2f}"])
    yield ""


def _recall(method: Method, trials: Sequence[Trial]) -> str:
    recalls = [recall(trial, method(trial)) for trial in trials]
    return f"{np.mean(recalls):.3f} ± {np.std(recalls) / len(recalls) ** 0.5:.3f}"


def _seeds_cells(figures: Mapping[str, several_seeds.Figures]) -> list[str]:
    return [
        f"{each.recall:.3f}" if kind.endswith("one") else f"{each.weakest:.2f} ({each.recall:.3f})"
        for kind, each in figures.items()
    ]


def _header(title: str, columns: Sequence[str]) -> Iterator[str]:
    yield _row(title, columns)
    yield _row("---", ["---:"] * len(columns))


def _row(title: str, cells: Sequence[str]) -> str:
    return "| " + " | ".join((title, *cells)) + " |"
