"""The bench of lookalikes and buying groups: their generated records and the report of their figures."""

from collections import Counter
from itertools import islice

import pytest
from bench.buying_groups_rows import ContactFile
from bench.generate import brands
from bench.lookalikes_report import (
    Building,
    Busy,
    Latency,
    LookalikesReport,
    Recall,
    Restart,
    Waits,
    lookalikes_tables,
)
from bench.lookalikes_rows import niche_of, niche_rows

pytestmark = [pytest.mark.no_database, pytest.mark.folders("bench")]


def test_companies_of_one_niche_share_most_of_their_keywords():
    rows = [row for row in niche_rows(brands(4_000)) if "keywords" in row]
    largest, count = Counter(map(niche_of, rows)).most_common(1)[0]
    within = Counter(word for row in rows if niche_of(row) == largest for word in row["keywords"])
    everywhere = Counter(word for row in islice(rows, count) for word in row["keywords"])
    assert within.most_common(10)[-1][1] > 2 * everywhere.most_common(10)[-1][1]


def test_the_files_of_buying_groups_give_some_companies_many_contacts(tmp_path):
    file = ContactFile(tmp_path, 3_000)
    employers = file.generate()
    lines = file.paths["contacts"].read_text().splitlines()
    counts = [sum(f'"{brand.domain}"' in line for line in lines) for brand in employers.many]
    assert min(counts) >= 3
    assert sum(f'"{employers.large.domain}"' in line for line in lines) >= 90
    assert file.generate() == employers


def report_of(p99, during):
    calls = [Waits("mixed", 300, 20.0, p99)]
    return LookalikesReport(
        1_000_000,
        [Recall("5 of one kind", 0, 0.97, 0.8, 100), Recall("100 of one kind", 20_000, 0.9, 0.5, 100)],
        [Latency(100, 500, 1_000, 400, 3.0, 20.0, 101.0)],
        calls,
        Building(60.0, 70.0),
        Building(100.0, 100.0),
        Restart(1.0, 137_000_000, 1_000_000, 140_000_000),
        [0.1, 0.4],
        Busy(Waits("before", 300, 20.0, 40.0), Waits("during", 900, 25.0, during), 90.0),
    )


def test_the_tables_say_which_aims_were_met():
    tables = lookalikes_tables(report_of(p99=120.0, during=50.0))
    assert [[row[-1] for row in table.rows] for table in tables] == [
        ["met", "missed"],
        ["met"],
        ["missed", "", "", "met"],
        ["met", "", "", "", "met", "met", "met"],
    ]
