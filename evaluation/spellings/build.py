"""The builder of the sets of other spellings, from a folder of open data and the names of `rigour`.

    python -m evaluation.spellings.build DATA_DIR PERSONS_FILE

Typing errors are drawn over real names (`typing_errors.py`). Names in other scripts are put together from forms of
given and family names that Wikidata has for one item, as PERSONS_FILE lists them, one item a line. Halves are by a hash
of ids, and an item of names belongs to one half alone. A sixth of the people is not held. See README.md.
"""

import csv
import gzip
import io
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from nicknames import name_triplets
from rapidfuzz.distance import JaroWinkler

from evaluation.build_gold import as_typed, body_of, half, kin, left_out, read_lines, read_table, share
from evaluation.classes import plain
from evaluation.spellings.typing_errors import mistype_name

HERE = Path(__file__).parent
HELD = ("id", "body", "first", "last")
QUERIES = ("split", "set", "class", "body", "first", "last", "expected")
PAIRS = ("split", "class", "first", "last", "other_first", "other_last", "same")
BODIES = 40
COMPOSED = 8_000
Row = tuple[object, ...]
Item = tuple[str, dict[str, list[str]]]


def write_table(name: str, header: tuple[str, ...], rows: Iterable[Row]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    (HERE / name).write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


# --- typing errors ---


def real_people(data: Path) -> Iterator[tuple[str, str, str, str, list[str]]]:
    """Yield id, body, first name, last name and other first names of state officials and of maintainers."""
    for person in read_lines(data / "people/us_state_officials_current.jsonl.gz"):
        own = person["given_name"], person["family_name"]
        typed = (as_typed(alias, own[1]) for alias in person.get("other_names", ()))
        others = {name[0] for name in typed if name and len(plain(name[0])) > 2 and name[0] != own[0]}
        yield person["id"], body_of(person), *own, sorted(others)
    seen = set()
    for row in read_table(data / "people/oss_project_maintainers.csv.gz"):
        words = row["name"].split()
        if len(words) == 2 and row["company"] and row["name"].isascii() and row["github"] not in seen:
            seen.add(row["github"])
            yield row["github"], row["company"], words[0], words[1], []


def typing_errors(data: Path) -> tuple[list[Row], list[Row]]:
    held: list[Row] = []
    queries: list[Row] = []
    for identity, body, first, last, others in real_people(data):
        if min(len(plain(first)), len(plain(last))) < 2:
            continue
        number = "" if left_out(identity) else len(held) + 1
        if number:
            held.append((number, body, first, last))
        random = Random(f"typing errors 1 {identity}")
        typed_first, typed_last, kind = mistype_name(first, last, others, random)
        if (plain(typed_first), plain(typed_last)) != (plain(first), plain(last)) or kind.startswith("words"):
            prefix = "" if number else "not held: "
            queries.append((half(identity), "typing", prefix + kind, body, typed_first, typed_last, number))
    return held, queries + strangers(data)


def strangers(data: Path) -> list[Row]:
    """Return look-ups of made-up people with the last name and initial of somebody held at the body."""
    people = list(real_people(data))
    akin = kin(read_lines(data / "people/us_state_officials_current.jsonl.gz"))
    by_letter: dict[str, list[str]] = defaultdict(list)
    for first in dict.fromkeys(first.split()[0] for _, _, first, _, _ in people):
        by_letter[plain(first)[:1]].append(first)
    queries: list[Row] = []
    for identity, body, first, last, _ in people:
        random = Random(f"strangers 1 {identity}")
        own, other = plain(first.split()[0]), random.choice(by_letter[plain(first)[:1]])
        is_other = (
            len(plain(other)) > 2 and plain(other) != own and frozenset((plain(other), own)) not in akin
        )
        if is_other and not left_out(identity) and random.random() < 0.2:
            queries.append((half(identity), "typing", "not held: same initial", body, other, last, ""))
    return queries


# --- other scripts ---


def script_of(form: str) -> str:
    """Return the script of the letters of a form, MIXED if there are several."""
    scripts = {
        unicodedata.name(letter, "UNKNOWN").split()[0].split("-")[0] for letter in form if letter.isalpha()
    }
    scripts = {"JAPANESE" if script in ("HIRAGANA", "KATAKANA") else script for script in scripts}
    return scripts.pop() if len(scripts) == 1 else "MIXED"


def read_items(path: Path) -> Iterator[Item]:
    """Yield the Wikidata items with forms by script, those of at least three forms in two scripts."""
    for line in path.read_text("utf-8").splitlines():
        forms, _, item = line.partition(" => ")
        by_script: dict[str, list[str]] = defaultdict(list)
        for form in forms.split(", "):
            if len(form) > (0 if script_of(form) in ("CJK", "HANGUL") else 2) and " " not in form:
                by_script[script_of(form)].append(form)
        by_script.pop("MIXED", None)
        if len(by_script) > 1 and sum(map(len, by_script.values())) > 2:
            yield item, by_script


def given_words(data: Path) -> set[str]:
    """Return first names of the package `nicknames`, of officials and of maintainers, in plain letters."""
    words = {plain(name) for triplet in name_triplets() for name in (triplet.name1, triplet.name2)}
    return words | {plain(first.split()[0]) for _, _, first, _, _ in real_people(data)}


def title(form: str) -> str:
    return form[:1].upper() + form[1:] if form[:1].upper() != "SS" else form


def compose(data: Path, persons: Path) -> tuple[list[Row], list[Row]]:
    known = given_words(data)
    given: dict[str, list[Item]] = defaultdict(list)
    family: dict[str, list[Item]] = defaultdict(list)
    for item, forms in read_items(persons):
        is_given = any(plain(form) in known for form in forms.get("LATIN", ()))
        (given if is_given else family)[half(item)].append((item, forms))
    held: list[Row] = []
    queries: list[Row] = []
    random = Random("other scripts 1")
    for number in range(COMPOSED):
        split = ("tune", "test")[number % 2]
        one, other = random.choice(given[split])[1], random.choice(family[split])[1]
        shared = sorted(one.keys() & other.keys())
        pairs = [
            (a, b)
            for a in shared
            for b in shared
            if a != b or (a == "LATIN" and len(one[a]) > 1 and len(other[a]) > 1)
        ]
        if not pairs:
            continue
        # Latin stored or asked for in most cases, as in a directory
        pairs = [pair for pair in pairs if "LATIN" in pair] or pairs
        stored_script, script = random.choice(pairs)
        stored = [random.choice(forms[stored_script]) for forms in (one, other)]
        typed = [random.choice(forms[script]) for forms in (one, other)]
        if list(map(plain, stored)) == list(map(plain, typed)):
            continue
        body = f"{split} {random.randrange(BODIES // 2)}"
        identity = 1_000_000 + number
        is_held = share("composed", str(number)) >= 1 / 6
        if is_held:
            held.append((identity, body, *map(title, stored)))
        kind = ("" if is_held else "not held: ") + f"{script.lower()} for {stored_script.lower()}"
        queries.append((split, "scripts", kind, body, *map(title, typed), identity if is_held else ""))
    return held, queries


# --- pairs ---


def draw_pairs(held: list[Row], queries: list[Row]) -> list[Row]:
    """Return pairs of one person for every second look-up, each with a pair with the most similar other one.

    Similar is by Jaro-Winkler within the body, or for a third of the look-ups by an equal part of the name.
    """
    by_body: dict[object, list[Row]] = defaultdict(list)
    by_number = {row[0]: row for row in held}
    for row in held:
        by_body[row[1]].append(row)
    pairs: list[Row] = []
    random = Random("pairs 1")
    for split, group, _, body, first, last, expected in queries:
        if not expected or random.random() < 0.5:
            continue
        own = by_number[expected]
        pairs.append((split, group, first, last, *own[2:], 1))
        others = [row for row in by_body[body] if row[0] != expected and row[2:] != own[2:]]
        if not others:
            continue
        typed = f"{first} {last}"
        likest = max(others, key=lambda row: JaroWinkler.similarity(typed, f"{row[2]} {row[3]}"))
        other: Row = (likest[2], likest[3])
        if random.random() < 1 / 3:
            stranger = random.choice(others)
            other = random.choice(((own[2], stranger[3]), (stranger[2], own[3])))
        if other != own[2:]:
            pairs.append((split, group, first, last, *other, 0))
    return pairs


if __name__ == "__main__":
    folder, persons_file = map(Path, sys.argv[1:])
    typed_held, typed_queries = typing_errors(folder)
    composed_held, composed_queries = compose(folder, persons_file)
    everyone, every_query = typed_held + composed_held, typed_queries + composed_queries
    write_table("people.csv.gz", HELD, everyone)
    write_table("people_queries.csv.gz", QUERIES, every_query)
    write_table("pairs.csv.gz", PAIRS, draw_pairs(everyone, every_query))
