"""Measurement of job signals on the labelled changes of `evaluation/jobs/`, through the real import.

    python -m evaluation.jobs.measure [--write] [--wrong]

Each file is loaded as version 1 and version 2 of as many contacts as it has rows, into a database of its own, and the
signals are compared with the labels. Rules were tuned on rows of `split` tune only. `--write` puts the tables into
README.md, `--wrong` prints the rows with another result than their label, except those of the test half.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.ingest.preparation_process import ImportTask
from firmograph.ingest.service import import_files
from firmograph.kit.clock import SystemClock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity
from firmograph.signals.types import NAME_OF

HERE = Path(__file__).parent
README = HERE / "README.md"
HEADING = "## Figures\n"
NOTHING = "nothing"
EXPECTED = {
    "move": "companyChange",
    "rename_or_acquisition": NOTHING,
    "spelling": NOTHING,
    "bad_row": NOTHING,
}
"""What the labels of maintainers mean."""

_FIRST_ID = 1
"""Source id of the first row, as an import takes 0 for none."""

Row = dict[str, str]
Native = dict[str, Any]


class LabelledResult(NamedTuple):
    row: Row
    label: str
    expected: str
    found: str


def read_rows(name: str) -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- through the import ---


def detect(companies: Iterable[Native], versions: Iterable[tuple[Native, Native]]) -> list[str]:
    """Return the result of each pair of versions of a contact: a type of signal, or `nothing`."""
    pairs = list(versions)
    with TemporaryDirectory(prefix="firmograph-jobs-") as folder:
        database = Database(f"sqlite:///{folder}/jobs.db")
        prepare(database)
        load = _loader(database, Path(folder))
        load(Entity.COMPANY, companies)
        for version in (0, 1):
            load(
                Entity.CONTACT,
                ({"sourceId": str(n), **pair[version]} for n, pair in enumerate(pairs, _FIRST_ID)),
            )
        found = _signals(database)
        database.close()
    return [found.get(n, NOTHING) for n in range(len(pairs))]


def _loader(database: Database, folder: Path) -> Callable[[Entity, Iterable[Native]], None]:
    keyring = Keyring(hash="00" * 32, tokens={1: "11" * 32})

    def load(entity: Entity, rows: Iterable[Native]) -> None:
        path = folder / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        job = ImportTask(entity=entity, paths=[str(path)], source="gold", keyring=keyring)
        import_files(database, job, SystemClock(), lambda *_: None, lambda *_: None)

    return load


def _signals(database: Database) -> dict[int, str]:
    rows = database.session().raw.execute(
        "SELECT source_id, type FROM signals JOIN contact_rows ON contact_id = entity_id WHERE entity = 1"
    )
    return {int(source_id) - _FIRST_ID: NAME_OF[type] for source_id, type in rows.fetchall()}


# --- the files ---


def maintainers(links: list[Row]) -> list[LabelledResult]:
    rows = read_rows("maintainers.csv")
    versions = [
        (
            _maintainer(n, row["previous_company"]),
            _maintainer(n, row["current_company"]) | {"updateDate": row["date"]},
        )
        for n, row in enumerate(rows)
    ]
    found = detect(linked(links), versions)
    return [
        LabelledResult(row, row["label"], EXPECTED[row["label"]], one)
        for row, one in zip(rows, found, strict=True)
    ]


def _maintainer(n: int, company: str) -> Native:
    return {"fullName": f"Maintainer No{n}", "company": company, "updateDate": "2021-01-01"}


def linked(links: list[Row]) -> list[Native]:
    """Return company records with the links: owners as parents, former and other names as alternative names."""
    companies: dict[str, Native] = {}

    def record_of(name: str) -> Native:
        return companies.setdefault(
            name, {"sourceId": name, "name": name, "alternativeNames": [], "parents": []}
        )

    for link in links:
        now = record_of(link["linked_company"])
        if link["kind"] == "parent":
            record_of(link["company"])["parents"].append({"name": now["name"]})
        else:
            now["alternativeNames"].append(link["company"])
    return list(companies.values())


def officials() -> list[LabelledResult]:
    rows = read_rows("officials.csv")
    versions = [(_official(row, "old", "2000-01-01"), _official(row, "new", "2026-01-01")) for row in rows]
    return _labelled_results(rows, detect([], versions))


def _official(row: Row, version: str, day: str) -> Native:
    return {
        "firstName": row["first_name"],
        "lastName": row["last_name"],
        "jobTitle": {"title": row[f"{version}_title"], "startDate": row[f"{version}_start"]},
        "company": {"name": row[f"{version}_company"], "domain": row[f"{version}_domain"]},
        "updateDate": day,
    }


def titles() -> list[LabelledResult]:
    rows = read_rows("titles.csv")
    versions = [(_titled(n, row["old"]), _titled(n, row["new"])) for n, row in enumerate(rows)]
    return _labelled_results(rows, detect([], versions))


def _titled(n: int, title: str) -> Native:
    return {"fullName": f"Person No{n}", "company": "Acme", "jobTitle": title or None}


def _labelled_results(rows: list[Row], found: list[str]) -> list[LabelledResult]:
    return [
        LabelledResult(row, row["label"], row["label"], one) for row, one in zip(rows, found, strict=True)
    ]


# --- tables ---


def confusion(results: list[LabelledResult]) -> Iterator[str]:
    """Yield one line for each label, in Markdown."""
    yield "| label | rows | companyChange | promotion | nothing |"
    yield "|---|---:|---:|---:|---:|"
    for label, count in Counter(one.label for one in results).most_common():
        found = Counter(one.found for one in results if one.label == label)
        yield f"| {label} | {count} | {found['companyChange']} | {found['promotion']} | {found[NOTHING]} |"


def quality(parts: dict[str, list[LabelledResult]], signal: str) -> Iterator[str]:
    """Yield precision and recall of one type of signal in several parts of a file."""
    yield f"| {signal} | rows | labelled | detected | right | precision | recall |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name, results in parts.items():
        labelled = sum(one.expected == signal for one in results)
        detected = sum(one.found == signal for one in results)
        right = sum(one.expected == signal == one.found for one in results)
        yield (
            f"| {name} | {len(results)} | {labelled} | {detected} | {right} "
            f"| {_share(right, detected)} | {_share(right, labelled)} |"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def halves(results: list[LabelledResult]) -> dict[str, list[LabelledResult]]:
    parts = {
        f"{split} half": [one for one in results if one.row["split"] == split] for split in ("tune", "test")
    }
    if any("hard" in one.row.get("note", "") for one in results):
        for split in ("tune", "test"):
            part = parts[f"{split} half"]
            parts[f"{split} half, without hard rows"] = [one for one in part if "hard" not in one.row["note"]]
    return parts


def report() -> tuple[str, list[LabelledResult]]:
    links = read_rows("company_links.csv")
    known_links = [link for link in links if link["label"] != "spelling"]
    known, unknown = maintainers(known_links), maintainers([])
    offices, pairs = officials(), titles()
    lines = [
        "### Maintainers: changes of employer\n",
        "Companies linked as in `company_links.csv`, without typing errors:\n",
        *confusion(known),
        "",
        *quality({"links known": known, "no links known": unknown}, "companyChange"),
        "\n### Officials\n",
        *confusion([one for one in offices if one.row["split"] == "test"]),
        "\n(the test half)\n",
        *quality(halves(offices), "promotion"),
        "",
        *quality(halves(offices), "companyChange"),
        "\n### Titles at one company (synthetic)\n",
        *confusion([one for one in pairs if one.row["split"] == "test"]),
        "\n(the test half)\n",
        *quality(halves(pairs), "promotion"),
    ]
    return "\n".join(lines) + "\n", known + offices + pairs


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--write", action="store_true", help="put the tables into README.md")
    arguments.add_argument(
        "--wrong", action="store_true", help="print rows with a result other than their label"
    )
    chosen = arguments.parse_args()
    text, results = report()
    print(text)
    if chosen.wrong:
        for one in results:
            if one.found != one.expected and one.row.get("split") != "test":
                print(f"{one.label}, found {one.found}: {' | '.join(filter(None, one.row.values()))}")
    if chosen.write:
        before = README.read_text("utf-8").partition(HEADING)[0]
        README.write_text(
            f"{before}{HEADING}\nWritten by `python -m evaluation.jobs.measure --write`.\n\n{text}", "utf-8"
        )


if __name__ == "__main__":
    main()
