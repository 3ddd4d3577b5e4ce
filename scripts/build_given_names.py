"""Write the given names of all languages that Faker has, by which a typing error is distinguished from another name.

    python scripts/build_given_names.py

Names are folded; those of other scripts and of one or two letters are left out.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from faker.config import AVAILABLE_LOCALES

from firmograph.directory.names import fold

DATA = Path(__file__).parents[1] / "src" / "firmograph" / "directory" / "data" / "given_names.txt"
SHORTEST = 3


def given_names(locale: str) -> Iterator[str]:
    name = f"faker.providers.person.{locale}"
    if not find_spec(name):
        return
    provider = import_module(name).Provider
    for attribute in dir(provider):
        values = getattr(provider, attribute)
        if attribute.startswith("first_name") and isinstance(values, (tuple, list, dict)):
            yield from (value for value in values if isinstance(value, str))


def main() -> None:
    words = {
        word
        for locale in AVAILABLE_LOCALES
        for given in given_names(locale)
        for word in fold(given).split()
        if word.isascii() and word.isalpha() and len(word) >= SHORTEST
    }
    DATA.write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8")


if __name__ == "__main__":
    main()
