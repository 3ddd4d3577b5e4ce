"""Names of suppressed people as hashes: other forms of a name at its employer, and what contradicts a name.

The names themselves are gone, so every comparison is prepared when the person is suppressed, as hashes of the forms
that a later row may use (docs/reference/records.md#suppression).
"""

from collections.abc import Collection
from typing import NamedTuple

from firmograph.directory.given_names import is_initial, spoken_form
from firmograph.directory.identity import Digests
from firmograph.directory.names import (
    full_name_key,
    full_name_keys,
    name_words,
    scripts_of,
    stored_blocking_keys,
    without_brackets,
    without_generation,
)
from firmograph.directory.nicknames import forms_of, initials

_LEFT_OUT = "*"
"""Stands for middle names that only one side has; no folded name has it."""


class _GivenNames(NamedTuple):
    first: str
    middle: list[str]

    def forms(self) -> set[str]:
        """Return the ways of writing them: in full, with initials, without middle names."""
        firsts = {self.first}
        if _first_letter(self.first):
            firsts.add(self.first[0])
        middles = {"", " ".join(self.middle), " ".join(_first_letter(each) or each for each in self.middle)}
        return {f"{first} {middle}".strip() for first in firsts for middle in middles}


def suppressed_name_variants(first: str, last: str) -> set[str]:
    """Return the variants of a name by which suppression knows it, besides `full_name_keys`.

    Jane Doe is also J Doe, Doe Jane and, for a name with middle names, Jane * Doe.
    """
    given, surname = _given_names(first), full_name_key("", last)
    if not given or not surname:
        return set()
    forms = given.forms()
    variants = {f"{form} {surname}" for form in forms} | {f"{surname} {form}" for form in forms}
    if not given.middle:
        variants |= {f"{form} {_LEFT_OUT} {surname}" for form in forms}
    return variants.difference(full_name_keys(first, last))


def asked_name_variants(first: str, last: str) -> set[str]:
    """Return the variants that a row's name may be: as written and, if it has middle names, without them."""
    given, surname = _given_names(first), full_name_key("", last)
    asked = {full_name_key(first, last)}
    if given and surname and given.middle:
        asked.add(f"{given.first} {_LEFT_OUT} {surname}")
    return asked


def _given_names(first: str) -> _GivenNames | None:
    words = without_generation(name_words(without_brackets(first))) if first else []
    return _GivenNames(words[0], words[1:]) if words else None


def _first_letter(word: str) -> str:
    """Return the initial of a folded word, empty in scripts whose names have none."""
    return word[0] if is_initial(word[0]) else ""


class NameForms(NamedTuple):
    """Hashes of the parts of a name, each of which a suppressed person may share."""

    scripts: tuple[frozenset[bytes], frozenset[bytes]]
    """Scripts of first and last name."""
    parts: frozenset[bytes]
    """Forms of first and last name."""

    def all(self) -> set[bytes]:
        return {*self.scripts[0], *self.scripts[1], *self.parts}

    def contradict(self, held: Collection[bytes]) -> bool:
        """Return whether neither name fits a person with these hashes, although both can be compared."""
        first, last = self.scripts
        return not (first.isdisjoint(held) or last.isdisjoint(held)) and self.parts.isdisjoint(held)


def suppressed_name_forms(digests: Digests, person: bytes, first: str, last: str) -> NameForms:
    """Return the forms of the name of a suppressed person, given by the key of the suppression."""
    words = name_words(without_brackets(first)) if first else []
    parts = set[str]()
    for word in words:
        if is_initial(word):
            parts |= {f"initial {word}", f"begins {word}"}
        else:
            parts |= {f"first {spoken_form(word)}", *(f"initial {letter}" for letter in initials(word))}
    return _hash(digests, person, first, last, parts)


def asked_name_forms(digests: Digests, person: bytes, first: str, last: str) -> NameForms:
    """Return the forms by which a row's name may be that of a suppressed person."""
    words = name_words(without_brackets(first)) if first else []
    parts = set[str]()
    for word in words:
        if is_initial(word):
            parts.add(f"initial {word}")
        else:
            parts |= {f"first {spoken_form(form)}" for form in (word, *forms_of(word))}
            parts |= {f"begins {letter}" for letter in initials(word)}
    return _hash(digests, person, first, last, parts)


def _hash(digests: Digests, person: bytes, first: str, last: str, parts: set[str]) -> NameForms:
    parts |= {f"last {block}" for block in (stored_blocking_keys("", last) if last else ())}

    def hashed(forms: set[str]) -> frozenset[bytes]:
        return frozenset(digests.contact_name_form(person, form) for form in forms)

    in_first, in_last = (
        hashed({f"{part} in {script}" for script in scripts_of(name)})
        for part, name in (("first", first), ("last", last))
    )
    return NameForms((in_first, in_last), hashed(parts))
