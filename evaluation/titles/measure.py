"""Measurement of seniority and department on the labelled titles of `evaluation/titles/`.

    python -m evaluation.titles.measure [--write] [--wrong] [--split tune]

Rules and the model were tuned on rows of `split` tune only. A department is right if the first one derived is in the
label. `--write` puts the tables into README.md, `--wrong` prints wrong rows, never those of the test half.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evaluation.titles import baseline
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.vocabulary import DEPARTMENTS

HERE = Path(__file__).parent
README = HERE / "README.md"
HEADING = "## Figures\n"
LEADERS = frozenset({"Founder", "C-Suite", "Vice President", "Partner", "Director", "Manager"})
LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "pl": "Polish",
}
"""Languages with enough titles for figures of their own."""
SECOND_DRAW = "second draw"
"""Titles drawn and labelled after the rules and the model were complete."""
EXAMPLES = 3
WORST_CLASSES = 6

Row = dict[str, str]


class LabelledTitle(NamedTuple):
    row: Row
    seniority: str
    departments: list[str]

    @property
    def seniority_is_right(self) -> bool:
        return self.seniority == self.row["seniority"]

    @property
    def department_is_right(self) -> bool:
        return self.departments[0] in self.labels

    @property
    def labels(self) -> list[str]:
        return self.row["department"].split("; ")


def read_rows(name: str = "titles.csv") -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def derive(
    rows: Sequence[Row],
    seniority: Callable[[str], str | None] = derive_seniority,
    departments: Callable[[str], list[str]] = derive_departments,
) -> list[LabelledTitle]:
    return [
        LabelledTitle(row, seniority(row["title"]) or "", departments(row["title"]) or ["Other"])
        for row in rows
    ]


def parts_of(titles: Sequence[LabelledTitle]) -> Iterator[tuple[str, list[LabelledTitle]]]:
    """Yield the rows by language and by how they were written."""

    def part(language: str, written: bool | None) -> list[LabelledTitle]:
        return [
            one
            for one in titles
            if one.row["language"] == language
            and (written is None or (one.row["source"] not in ("faker", "job_titles")) == written)
        ]

    for language, name in LANGUAGES.items():
        if language in ("en", "de"):
            yield f"{name}, as people write them", part(language, True)
            yield f"{name}, lists of occupations", part(language, False)
        else:
            yield name, part(language, None)
    yield "English and German, as people write them", part("en", True) + part("de", True)
    yield "all but English", [one for one in titles if one.row["language"] != "en"]


def accuracies(found: Sequence[LabelledTitle], compared: Sequence[LabelledTitle]) -> Iterator[str]:
    """Yield the accuracies of each part with those of the baseline, in Markdown."""
    yield "| titles | n | seniority | baseline | department | baseline | leaders found | baseline | precision |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (name, ours), (_, theirs) in zip(parts_of(found), parts_of(compared), strict=True):
        if not ours:
            continue
        figures = [
            *(_share(one.seniority_is_right for one in part) for part in (ours, theirs)),
            *(_share(one.department_is_right for one in part) for part in (ours, theirs)),
            *(_leaders_found(part) for part in (ours, theirs)),
            _leaders_found(ours, of_labelled=False),
        ]
        yield f"| {name} | {len(ours)} | {' | '.join(figures)} |"


def _leaders_found(titles: Sequence[LabelledTitle], of_labelled: bool = True) -> str:
    """Return recall of leaders, or precision."""

    def is_leader(one: LabelledTitle, labelled: bool) -> bool:
        return (one.row["seniority"] if labelled else one.seniority) in LEADERS

    among = [one for one in titles if is_leader(one, of_labelled)]
    return _share(is_leader(one, not of_labelled) for one in among)


def _share(hits: Iterator[bool]) -> str:
    counted = Counter(hits)
    return f"{counted[True] / counted.total():.3f}" if counted else "-"


def by_department(found: Sequence[LabelledTitle], compared: Sequence[LabelledTitle]) -> Iterator[str]:
    """Yield for each department the share of titles of which it is the first label, in all languages, in Markdown."""
    yield "| department | titles | right | baseline |"
    yield "|---|---:|---:|---:|"
    for department in DEPARTMENTS:
        mine, theirs = (
            [one for one in titles if one.labels[0] == department] for titles in (found, compared)
        )
        shares = [_share(one.department_is_right for one in titles) for titles in (mine, theirs)]
        yield f"| {department} | {len(mine)} | {' | '.join(shares)} |"


def worst_classes(titles: Sequence[LabelledTitle]) -> Iterator[str]:
    """Yield the most frequent errors with examples, in Markdown."""
    yield "| label | derived | titles | examples |"
    yield "|---|---|---:|---|"
    errors: dict[tuple[str, str], list[str]] = {}
    for one in titles:
        if not one.seniority_is_right:
            errors.setdefault((one.row["seniority"], one.seniority), []).append(one.row["title"])
        if not one.department_is_right:
            errors.setdefault((one.labels[0], one.departments[0]), []).append(one.row["title"])
    for (label, derived), examples in sorted(errors.items(), key=lambda error: -len(error[1]))[
        :WORST_CLASSES
    ]:
        yield f"| {label} | {derived} | {len(examples)} | {'; '.join(examples[:EXAMPLES])} |"


def report(splits: Sequence[str]) -> str:
    sections: list[str] = []
    for split in splits:
        rows = read_rows("second_draw.csv") if split == SECOND_DRAW else read_rows()
        rows = [row for row in rows if split in (row["split"], SECOND_DRAW)]
        found, compared = derive(rows), derive(rows, baseline.seniority, baseline.departments)
        name = split if split == SECOND_DRAW else f"{split} half"
        sections += [
            f"### Titles, {name}\n",
            *accuracies(found, compared),
            "",
            *by_department(found, compared),
            "",
        ]
        if split == "tune":
            sections += ["Most frequent errors of the tune half:\n", *worst_classes(found), ""]
    return "\n".join(sections)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--write", action="store_true", help="put the tables into README.md")
    arguments.add_argument("--wrong", action="store_true", help="print wrong rows of the tune half")
    arguments.add_argument("--split", choices=["tune"], help="measure this half only")
    chosen = arguments.parse_args()
    text = report([chosen.split] if chosen.split else [SECOND_DRAW, "test", "tune"])
    print(text)
    if chosen.wrong:
        for one in derive([row for row in read_rows() if row["split"] == "tune"]):
            if not (one.seniority_is_right and one.department_is_right):
                print(
                    f"{one.row['title']}: {one.seniority} ({one.row['seniority']}), "
                    f"{'; '.join(one.departments)} ({one.row['department']})"
                )
    if chosen.write and not chosen.split:
        before = README.read_text("utf-8").partition(HEADING)[0]
        README.write_text(
            f"{before}{HEADING}\nWritten by `python -m evaluation.titles.measure --write`.\n\n{text}", "utf-8"
        )


if __name__ == "__main__":
    main()
