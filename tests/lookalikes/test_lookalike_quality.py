"""The measurement of lookalikes on a few made-up companies and titles; no figure is held."""

import csv
import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest
from evaluation.lookalikes import report
from evaluation.lookalikes.contacts import people
from evaluation.lookalikes.trials import is_tuned, lists_of, plain_trials, recall
from evaluation.lookalikes.worlds import industries, tags

pytestmark = pytest.mark.no_database

TRADES = [name for name in (f"trade-{number}" for number in range(40)) if is_tuned(name)][:4]


def _write(path: Path, rows: Iterable[Mapping[str, str]], delimiter: str = ",") -> None:
    path.parent.mkdir(exist_ok=True)
    listed = list(rows)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(listed)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make files like those of the open data: companies of four trades, each with words of its own."""
    folder = tmp_path_factory.mktemp("data")
    random = Random(11)

    def words(trade: str) -> str:
        own = [f"{trade[-2:]}word{letter}" for letter in "abcdefgh"]
        return " ".join([*random.sample(own, 3), *random.sample(["fast", "good", "new", "old"], 2)])

    companies = [(f"Company {number}", TRADES[number % 4]) for number in range(200)]
    _write(
        folder / "companies" / "yc_companies_2024-05-11.csv.gz",
        (
            {"company_name": name, "short_description": words(trade), "long_description": ""}
            | {"tags": str([trade, "education"]), "location": "Austin", "country": "US"}
            | {
                "year_founded": "2020",
                "team_size": str(random.randrange(1, 90)),
                "website": "",
                "linkedin_url": "",
            }
            for name, trade in companies
        ),
    )
    _write(
        folder / "companies" / "financedatabase_companies.csv.gz",
        (
            {"name": f"{name} {words(trade)}", "domain": "", "sector": "Energy", "industry": trade}
            | {
                "country": "France",
                "state": "",
                "city": "Lyon",
                "zipcode": "",
                "market_cap": "",
                "symbols": "",
            }
            for name, trade in companies
        ),
    )
    _write(
        folder / "reference" / "onet_alternate_titles.tsv.gz",
        (
            {"O*NET-SOC Code": trade, "Alternate Title": f"{words(trade)} {number}"}
            for number, (_, trade) in enumerate(companies)
        ),
        "\t",
    )
    return folder


def test_learnt_vectors_find_more_members_of_a_list_than_chance(data: Path) -> None:
    for world in (tags(data), industries(data)):
        measured = report.Measured(world)
        names = lists_of(world, tuned=True)
        assert set(TRADES) <= set(names)
        trials = plain_trials(world, TRADES, 10, 1)
        means = {
            name: np.mean([recall(trial, method(trial)) for trial in trials])
            for name, method in measured.methods().items()
        }
        assert means["learnt vectors, as indexed and searched"] > means["random"]


def test_every_table_has_a_row_for_each_method(data: Path) -> None:
    measured = report.Measured(tags(data))
    companies = list(report.companies_table([measured], tuned=True, repeats=1))
    assert len(companies) == 2 + len(measured.methods()) + 1
    assert any(
        "groups drawn to the mean" in row
        for row in report.seeds_table(measured, tuned=True, repeats=1, mixed=2)
    )
    known = people(data / "reference" / "onet_alternate_titles.tsv.gz")
    assert len(list(report.contacts_table(known, tuned=True, limit=4))) == 2 + 4 + 1
