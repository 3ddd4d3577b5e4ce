"""Labelled files of people and companies in many encodings.

Words come from Faker's half that the detector's statistics were not made of, without those that they hold otherwise.
"""

import csv
import io
import random
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from scripts.build_letter_statistics import LANGUAGES, faker_words, is_kept_for_evaluation, training_words

LANGUAGES_OF: dict[str, list[str]] = {
    "cp1250": ["Polish", "Czech", "Hungarian", "Romanian", "Croatian"],
    "cp1251": ["Russian", "Bulgarian", "Ukrainian"],
    "cp1252": ["French", "German", "Spanish", "Portuguese", "Swedish"],
    "cp1253": ["Greek"],
    "cp1254": ["Turkish"],
    "cp1255": ["Hebrew"],
    "cp1256": ["Arabic"],
    "cp1257": ["Latvian", "Lithuanian"],
    "cp1258": ["Vietnamese"],
    "iso8859-2": ["Polish", "Czech", "Hungarian"],
    "iso8859-9": ["Turkish"],
    "iso8859-15": ["French", "German", "Spanish"],
    "mac-roman": ["French", "German", "Spanish", "Portuguese", "Swedish"],
    "cp437": ["French", "German", "Spanish"],
    "cp850": ["French", "German", "Spanish", "Portuguese", "Swedish"],
    "cp852": ["Polish", "Czech", "Hungarian"],
    "cp866": ["Russian", "Bulgarian"],
    "koi8-r": ["Russian"],
    "shift_jis": ["Japanese"],
    "euc-jp": ["Japanese"],
    "euc-kr": ["Korean"],
    "gb18030": ["Chinese, simplified"],
    "big5": ["Chinese, traditional"],
}
FILES_EACH = 13
ROWS = (1, 1, 2, 3, 5, 8, 12, 20, 40, 80, 150, 400, 1000)
_LOWER_TONES = dict.fromkeys(map(ord, "\u0300\u0301\u0303\u0309\u0323"))


class LabelledFile(NamedTuple):
    encoding: str
    language: str
    rows: int
    text: str
    content: bytes


class _Words(NamedTuple):
    people: list[str]
    others: list[str]


@cache
def unknown_words(language: str) -> _Words:
    """Return the words of people and of companies that the statistics do not know."""
    known = {word.casefold() for word in training_words(language)}
    kinds = []
    for kind in (("person",), ("company", "address", "job")):
        words = {word for locale in LANGUAGES[language][0] for word in faker_words(locale, kind)}
        kinds.append(
            sorted(word for word in words if is_kept_for_evaluation(word) and word.casefold() not in known)
        )
    return _Words(*kinds)


def labelled_files(seed: int, each: int = FILES_EACH) -> Iterator[LabelledFile]:
    """Yield files with at least one word beyond ASCII."""
    source = random.Random(seed)
    for encoding, languages in LANGUAGES_OF.items():
        for number in range(each):
            language = languages[number % len(languages)]
            rows = ROWS[number % len(ROWS)]
            while True:
                text = _table(source, language, rows, encoding)
                if not text.isascii():
                    break
            yield LabelledFile(encoding, language, rows, text, encode(text, encoding))


def _table(source: random.Random, language: str, rows: int, encoding: str) -> str:
    words = unknown_words(language)
    people = [word for word in words.people if _fits(word, encoding)]
    others = [word for word in words.others if _fits(word, encoding)] or people
    out = io.StringIO()
    writer = csv.writer(out, delimiter=source.choice(",;\t"), lineterminator=source.choice(["\n", "\r\n"]))
    writer.writerow(["First Name", "Last Name", "Company", "Email"])
    for number in range(rows):
        company = " ".join(source.choice(others if source.random() < 0.5 else people) for _ in range(2))
        writer.writerow(
            [source.choice(people), source.choice(people), company, f"p{number}@nordhafen.example"]
        )
    return out.getvalue()


def encode(text: str, encoding: str) -> bytes:
    """Return the bytes; Windows-1258 writes tones as letters of their own."""
    if encoding != "cp1258":
        return text.encode(encoding)
    return "".join(map(_with_tone_apart, text)).encode(encoding)


def _with_tone_apart(letter: str) -> str:
    try:
        letter.encode("cp1258")
    except UnicodeEncodeError:
        tone = next(mark for mark in unicodedata.normalize("NFD", letter) if ord(mark) in _LOWER_TONES)
        return unicodedata.normalize("NFC", unicodedata.normalize("NFD", letter).replace(tone, "", 1)) + tone
    return letter


def _fits(word: str, encoding: str) -> bool:
    try:
        encode(word, encoding)
    except (UnicodeEncodeError, StopIteration):
        return False
    return True
