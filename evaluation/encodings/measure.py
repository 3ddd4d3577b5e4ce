"""Measurement of the detection of encodings on files made by `evaluation/encodings/files.py` and `signs.py`.

    python -m evaluation.encodings.measure [--seed 1] [--write] [--details]

`--write` puts the table into docs/benchmarks.md, `--details` prints the files that were refused or read wrong.
"""

import argparse
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from charset_normalizer import from_bytes

from evaluation.encodings.files import LANGUAGES_OF, LabelledFile, labelled_files
from evaluation.encodings.signs import ENCODINGS, sign_files
from firmograph.ingest.reading.encodings import detect_encoding, encoding_label, resolve_encoding
from firmograph.kit.errors import Refused

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"
SECTION = re.compile(r"(?<=<!-- encodings -->\n).*?(?=<!-- /encodings -->)", re.DOTALL)
OUTCOMES = ("right", "refused", "wrong")
MANY_WORDS = 20

Detect = Callable[[bytes], str]


class Outcome(NamedTuple):
    file: LabelledFile
    result: str
    found: str


def detect(content: bytes) -> str:
    """Return the encoding that an import reads, empty if it refuses."""

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        yield io.BytesIO(content)

    try:
        return detect_encoding(opened, "file")
    except Refused:
        return ""


def detect_by_charset_normalizer(content: bytes) -> str:
    best = from_bytes(content).best()
    return best.encoding if best else ""


def measure(files: Sequence[LabelledFile], by: Detect) -> list[Outcome]:
    return [Outcome(file, *_outcome(file, by)) for file in files]


def _outcome(file: LabelledFile, by: Detect) -> tuple[str, str]:
    found = by(file.content)
    if not found:
        return "refused", ""
    # another encoding with the same letters is as good
    text = unicodedata.normalize("NFC", file.content.decode(found, "replace"))
    return ("right" if text == unicodedata.normalize("NFC", file.text) else "wrong"), found


def words_beyond_ascii(file: LabelledFile) -> int:
    """Return the number of distinct words with letters beyond ASCII."""
    return len({word for word in re.findall(r"[^\W\d_]+", file.text) if not word.isascii()})


def table(
    outcomes: Sequence[Outcome], compared: Sequence[Outcome], encodings: Sequence[str] = tuple(LANGUAGES_OF)
) -> str:
    lines = [
        "| encoding | files | read right | refused | wrong | charset-normalizer: right | wrong |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for encoding in encodings:
        label = encoding_label(resolve_encoding(encoding))
        lines.append(
            _row(
                label,
                *([one for one in some if one.file.encoding == encoding] for some in (outcomes, compared)),
            )
        )
    lines.append(_row("all", outcomes, compared))
    many = [
        [one for one in some if words_beyond_ascii(one.file) >= MANY_WORDS] for some in (outcomes, compared)
    ]
    lines.append(_row(f"of which with {MANY_WORDS} words beyond ASCII", *many))
    return "\n".join(lines)


def _row(label: str, outcomes: Sequence[Outcome], compared: Sequence[Outcome]) -> str:
    ours = Counter(one.result for one in outcomes)
    theirs = Counter(one.result for one in compared)
    cells = [len(outcomes), *(ours[outcome] for outcome in OUTCOMES), theirs["right"], theirs["wrong"]]
    return f"| {label} | {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    files = list(labelled_files(options.seed))
    outcomes = measure(files, detect)
    made = table(outcomes, measure(files, detect_by_charset_normalizer))
    files = list(sign_files(options.seed))
    of_signs = measure(files, detect)
    made += "\n\nFiles of signs:\n\n" + table(
        of_signs, measure(files, detect_by_charset_normalizer), ENCODINGS
    )
    outcomes += of_signs
    print(made)
    if options.details:
        for one in outcomes:
            if one.result != "right":
                print(
                    one.file.encoding,
                    one.file.language,
                    one.file.rows,
                    one.result,
                    one.found,
                    words_beyond_ascii(one.file),
                )
    if options.write:
        text = DOCUMENT.read_text("utf-8")
        DOCUMENT.write_text(SECTION.sub(lambda _: made + "\n", text), "utf-8")


if __name__ == "__main__":
    main()
