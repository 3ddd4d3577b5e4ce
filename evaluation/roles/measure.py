"""Measurement of the packaged table of roles on the labelled titles of `evaluation/roles/`.

    python -m evaluation.roles.measure [--write] [--wrong] [--split tune]

Weights were tuned on rows of `split` tune only. `--write` puts the tables into README.md, `--wrong` prints the rows
with other roles than their labels, except those of the test half.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firmograph.buying_groups.roles.personas import PERSONAS, Persona
from firmograph.buying_groups.roles.table import RoleTable, load_role_table
from firmograph.directory.titles.derivation import derive_departments, derive_seniority

HERE = Path(__file__).parent
README = HERE / "README.md"
HEADING = "## Figures\n"

BY_SENIORITY: dict[Persona, frozenset[str]] = {
    "decision_maker": frozenset({"Founder", "C-Suite", "Vice President", "Partner", "Director"}),
    "potential_champion": frozenset({"Director", "Manager", "Senior"}),
    "end_user": frozenset({"Senior", "Non-Manager", "Intern"}),
}
"""Roles by seniority alone, to compare with."""

Row = dict[str, str]


class LabelledTitle(NamedTuple):
    row: Row
    labels: frozenset[Persona]
    found: frozenset[Persona]


def read_rows() -> list[Row]:
    return _read("titles.csv")


def read_other_languages() -> list[Row]:
    """Return the titles that are not English, with what an import derives from them."""
    rows = _read("other_languages.csv")
    return [
        row
        | {
            "seniority": derive_seniority(row["title"]) or "",
            "departments": "; ".join(derive_departments(row["title"])),
        }
        for row in rows
    ]


def _read(name: str) -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def find_roles(table: RoleTable, rows: Sequence[Row]) -> list[LabelledTitle]:
    """Return the rows with the roles that the table finds."""
    matched = [
        table.match(row["title"], row["seniority"], list(filter(None, row["departments"].split("; "))))
        for row in rows
    ]
    fits = table.fits(np.array(matched))
    return [
        LabelledTitle(
            row,
            frozenset(role for role in PERSONAS if row[role] == "1"),
            frozenset(role for role, fit in zip(PERSONAS, of_row, strict=True) if fit > 0),
        )
        for row, of_row in zip(rows, fits.tolist(), strict=True)
    ]


def parts_of(titles: list[LabelledTitle], splits: Sequence[str]) -> dict[str, list[LabelledTitle]]:
    parts = {}
    for split in splits:
        part = [one for one in titles if one.row["split"] == split]
        parts[f"{split} half"] = part
        parts[f"{split} half, without hard rows"] = [one for one in part if one.row["note"] != "hard"]
        parts[f"{split} half, by seniority alone"] = [
            one._replace(found=_roles_by_seniority(one.row["seniority"])) for one in part
        ]
    return parts


def _roles_by_seniority(seniority: str) -> frozenset[Persona]:
    return frozenset(role for role in PERSONAS if seniority in BY_SENIORITY[role])


def f1(titles: list[LabelledTitle], role: Persona) -> float:
    right = sum(role in one.labels & one.found for one in titles)
    return 2 * right / (sum(role in one.labels for one in titles) + sum(role in one.found for one in titles))


def quality(parts: dict[str, list[LabelledTitle]], role: Persona) -> Iterator[str]:
    """Yield precision, recall and F1 of one role in several parts of the file, in Markdown."""
    yield f"| `{role}` | titles | labelled | found | right | precision | recall | F1 |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for name, titles in parts.items():
        labelled = sum(role in one.labels for one in titles)
        found = sum(role in one.found for one in titles)
        right = sum(role in one.labels & one.found for one in titles)
        shares = (right / found if found else 0.0, right / labelled if labelled else 0.0, f1(titles, role))
        figures = " | ".join(f"{share:.2f}" for share in shares)
        yield f"| {name} | {len(titles)} | {labelled} | {found} | {right} | {figures} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--write", action="store_true", help="put the tables into README.md")
    arguments.add_argument(
        "--wrong", action="store_true", help="print rows with other roles than their labels"
    )
    arguments.add_argument("--split", choices=["tune"], help="measure this half only")
    chosen = arguments.parse_args()
    table, splits = load_role_table(), [chosen.split] if chosen.split else ["tune", "test"]
    titles, others = find_roles(table, read_rows()), find_roles(table, read_other_languages())
    parts = parts_of(titles, splits)
    parts |= {
        f"other languages, {split} half": [one for one in others if one.row["split"] == split]
        for split in splits
    }
    text = "\n\n".join("\n".join(quality(parts, role)) for role in PERSONAS) + "\n"
    print(text)
    if chosen.wrong:
        for one in [*titles, *others]:
            if one.found != one.labels and one.row["split"] == "tune":
                missing, surplus = (
                    ", ".join(sorted(roles)) or "-"
                    for roles in (one.labels - one.found, one.found - one.labels)
                )
                print(f"{one.row['title']} {one.row['note']}: missing {missing}, too many {surplus}")
    if chosen.write and not chosen.split:
        before = README.read_text("utf-8").partition(HEADING)[0]
        README.write_text(
            f"{before}{HEADING}\nWritten by `python -m evaluation.roles.measure --write`.\n\n{text}", "utf-8"
        )


if __name__ == "__main__":
    main()
