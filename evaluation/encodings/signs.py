"""Labelled files in which signs, rather than letters, are what is beyond ASCII.

Each sign stands in a few usual places, alone among English words or next to words of a language.
"""

import random
from collections.abc import Iterator

from evaluation.encodings.files import LabelledFile, unknown_words

ENCODINGS = ("cp1252", "iso8859-15", "mac-roman", "cp850", "cp437")
PLACES: dict[str, tuple[str, ...]] = {
    "°": ("Heating {}°C Ltd", "Room {}°", "{} ° North"),
    "²": ("Area {}m² Ltd", "CO² Zero {}", "{}² Labs"),
    "³": ("Tank {}m³", "{}³ Works"),
    "±": ("Rate ±{}", "±{} Labs"),
    "×": ("{}×{} Systems", "Team A×{}"),
    "µ": ("µ{} Micro", "Filter {}µm", "{} µ"),
    "€": ("€{} Shop", "{} € Club", "{}€ Shop"),
    "£": ("£{} Shop", "Under £{}"),
    "–": ("North – South {}", "K–{} Schools", "Plan {}–{}"),
    "—": ("North — South {}", "Plan {}—{}"),
    "…": ("Wait{}… Ltd", "And more…"),
    "•": ("• Item {}", "North • South {}"),
    "™": ("Acme™ Inc {}", "Acme{}™ Inc"),
    "®": ("Acme® Inc {}", "Acme{}® Inc"),
    "©": ("© Media {}", "©{} Media"),
    "’": ("Joe’s Bar {}", "Store {}’s", "O’Neil {} Ltd"),
    "“": ("Pub “The Port” {}", "“Quote {}” Ltd"),
    "º": ("Nº {}", "{}º Piso"),
    "ª": ("{}ª Loja",),
    "½": ("{}½ Stars", "½ Price Books {}"),
    "¼": ("Bar {}¼",),
    "§": ("{} § Law",),
    "·": ("Ten·Ten {}", "North · South {}"),
    "«": ("«North» {}", "Club « North » {}"),
}
LANGUAGES = ("German", "French", "Spanish")
ROWS = (1, 25, 180)


def sign_files(seed: int) -> Iterator[LabelledFile]:
    """Yield a file for each sign, place, encoding that has it and number of rows, without other words and with."""
    source = random.Random(seed)
    for encoding in ENCODINGS:
        for places in PLACES.values():
            for place in places:
                try:
                    place.encode(encoding)
                except UnicodeEncodeError:
                    continue
                for rows in ROWS:
                    for language in ("", source.choice(LANGUAGES)):
                        yield _file(source, encoding, place, rows, language)
                # one such value among many of ASCII
                yield _file(source, encoding, place, 180, "", of_which=1)


def _file(
    source: random.Random, encoding: str, place: str, rows: int, language: str, of_which: int | None = None
) -> LabelledFile:
    words = (
        [word for word in unknown_words(language).others if _is_encodable(word, encoding)] if language else []
    )
    lines = ["First Name,Last Name,Email,Company"]
    for number in range(rows):
        name = place.replace("{}", str(number)) if of_which is None or number < of_which else "Delta Ltd"
        names = [source.choice(words) for _ in range(2)] if words else ["Ann", "Lee"]
        lines.append(",".join([*names, f"p{number}@nordhafen.example", name]))
    text = "\n".join([*lines, ""])
    return LabelledFile(encoding, language or "English", rows, text, text.encode(encoding))


def _is_encodable(word: str, encoding: str) -> bool:
    try:
        word.encode(encoding)
    except UnicodeEncodeError:
        return False
    return word.isalpha()
