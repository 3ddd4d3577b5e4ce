"""Normalisation of telephone numbers to E.164.

All numbers of possible length in the numbering plan are accepted, not only assigned ones: numbers reserved for fiction
and new ranges are valid too. An ambiguous number is rejected.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from firmograph.directory.normalise.plain_text import plain_text

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

_PUNCTUATION = str.maketrans("", "", " -.()")
_NANP = re.compile(r"1?[2-9]\d{9}", re.ASCII)
_MAX_TEXT = 250
"""Limit of the library, checked before the cache."""
_NO_COUNTRY = "001"
_KINDS = (
    "fixed_line",
    "mobile",
    "toll_free",
    "premium_rate",
    "shared_cost",
    "voip",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
)

Number = tuple[str, str | None]


def normalise_phone(text: str, region: str | None) -> Number | None:
    """Return a number as E.164 with the ISO 3166-1 code of its country; None if it cannot be a number.

    `region`, the record's country, determines how to read a number without calling code. Extensions, and characters
    and decimals added by spreadsheets, are dropped. The country is None for codes of no country (+800). A number of a
    shared code that matches none of the code's countries (fiction) counts for `region` if that is one of them, else
    for the code's main country.
    """
    digits = text.translate(_PUNCTUATION)
    if digits[:1] == "+":
        rest = digits[1:]
        if (
            rest.isdecimal()
            and rest.isascii()
            and rest[0] != "0"
            and (number := _international(digits, region))
        ):
            return number
    elif region in _sharing(1) and _NANP.fullmatch(digits):
        return _international("+1" + digits[-10:], region)
    return _uncommon(text, region) if len(text) <= _MAX_TEXT else None


class _Plan(NamedTuple):
    """Metadata of a calling code."""

    start: int
    """Start of the national number after `+` and the code."""
    regions: tuple[str, ...]
    lengths: frozenset[int]
    """Lengths of complete numbers, including `+` and code."""
    trunk: re.Pattern[str] | None
    """Beginning of national numbers that may have a trunk prefix, which only the library removes."""


def _international(digits: str, region: str | None) -> Number | None:
    """Return the number for `+` and digits if it is complete; None leaves it to the library."""
    plan = _plan(digits[1:2]) or _plan(digits[1:3]) or _plan(digits[1:4])
    if plan is None or len(digits) not in plan.lengths:
        return None
    national = digits[plan.start :]
    if plan.trunk and plan.trunk.match(national):
        return None
    regions = plan.regions
    country = regions[0] if len(regions) == 1 else _member(regions, national, region)
    return digits, country if country != _NO_COUNTRY else None


def _member(regions: tuple[str, ...], national: str, region: str | None) -> str:
    for candidate in regions:
        if _pattern(candidate).match(national):
            return candidate
    return region if region in regions else regions[0]


_SECOND_PLUS = re.compile(r"\(?\+[\s(]*(?:00|\+)")
_DECIMALS = re.compile(r"(\+?\d{6,15})[.,]0{1,2}", re.ASCII)
_SCIENTIFIC = re.compile(r"(\d)[.,](\d+)e\+?(\d\d?)", re.ASCII | re.IGNORECASE)
_WORDS_BEFORE = re.compile(r"\A[^\d+＋(]+")
_EXTENSION = re.compile(
    r"[\s,;]*(?:;?ext=|ext(?:ensio)?n?\b\.?|xtn\b|x|#|доб\b\.?|int\b\.?|durchwahl|dw\b|poste)[\s:.]*\d{1,7}#?\s*\Z",
    re.IGNORECASE,
)
_VANITY = re.compile(r"\+?1?[2-9]\d\d[0-9A-Z]{7}", re.ASCII | re.IGNORECASE)


@lru_cache(maxsize=16_384)
def _uncommon(text: str, region: str | None) -> Number | None:
    plain = _plain(text)
    if plain != text:
        return normalise_phone(plain, region)
    if not text:
        return None
    if any(char.isalpha() for char in text) and not _VANITY.fullmatch(text.translate(_PUNCTUATION)):
        # the library treats all letters as those of a keypad
        return None
    region = region.upper() if region else None
    number = _possible(text, region) if text.lstrip("(")[:1] in ("+", "＋") else _without_plus(text, region)
    return _format_number(number, region) if number else None


def _plain(text: str) -> str:
    """Remove surrounding text and damage by spreadsheets; return nothing if digits were lost."""
    text = _EXTENSION.sub("", _WORDS_BEFORE.sub("", plain_text(text), count=1))
    text = _SECOND_PLUS.sub("+", text, count=1)
    if decimals := _DECIMALS.fullmatch(text):
        return decimals[1]
    if power := _SCIENTIFIC.fullmatch(text):
        return power[1] + power[2] if len(power[2]) == int(power[3]) else ""
    return text


def _without_plus(text: str, region: str | None) -> "PhoneNumber | None":
    """Return the number of a text without `+`, if only one interpretation is likely.

    Possible are a national number of `region`, a number with an exit code, and one with just the calling code.
    """
    import phonenumbers as library

    home = _possible(text, region)
    digits = library.normalize_digits_only(text)
    as_dialled = home is not None and library.is_valid_number(home) and _dialled(home) == digits
    readings = list(_abroad(digits, usual_only=as_dialled or region is None))
    if region and not as_dialled and (stated := _with_code(digits)):
        if home is None or _is_own(stated, home, region):
            home = stated
        else:
            readings.append(stated)
    if home is not None and (library.is_valid_number(home) or not readings or digits[0] != "0"):
        readings.append(home)
    first = next(iter(readings), None)
    return first if all(reading == first for reading in readings) else None


_USUAL_EXIT_CODES = ("00",)
_EXIT_CODES = ("00", "011", "0011", "010")


def _abroad(digits: str, *, usual_only: bool) -> Iterator["PhoneNumber"]:
    """Yield the interpretations of a number that begins with a country's exit code."""
    import phonenumbers as library

    for code in _USUAL_EXIT_CODES if usual_only else _EXIT_CODES:
        if digits.startswith(code):
            number = _possible("+" + digits[len(code) :], None)
            if number and library.is_valid_number(number):
                yield number


def _with_code(digits: str) -> "PhoneNumber | None":
    import phonenumbers as library

    number = _possible("+" + digits, None) if digits[:1] != "0" else None
    return number if number and library.is_valid_number(number) else None


def _is_own(stated: "PhoneNumber", home: "PhoneNumber", region: str) -> bool:
    """Return whether the leading calling code is that of the record's country.

    Area codes may begin with the same digits, so the number must be invalid without the code, or a mobile number.
    """
    import phonenumbers as library

    if stated.country_code != library.country_code_for_region(region):
        return False
    return not library.is_valid_number(home) or library.number_type(stated) == library.PhoneNumberType.MOBILE


def _dialled(number: "PhoneNumber") -> str:
    """Return the digits to dial for a number inside its country."""
    import phonenumbers as library

    return library.normalize_digits_only(library.format_number(number, library.PhoneNumberFormat.NATIONAL))


def _possible(text: str, region: str | None) -> "PhoneNumber | None":
    import phonenumbers as library

    try:
        number = library.parse(text, region)
    except library.NumberParseException:
        return None
    # a local number without area code is possible too, but has no E.164 form
    is_whole = library.is_possible_number_with_reason(number) == library.ValidationResult.IS_POSSIBLE
    return number if is_whole else None


def _format_number(number: "PhoneNumber", region: str | None) -> Number:
    import phonenumbers as library

    digits = library.format_number(number, library.PhoneNumberFormat.E164)
    regions = library.COUNTRY_CODE_TO_REGION_CODE[number.country_code or 0]
    country = library.region_code_for_number(number) or (region if region in regions else regions[0])
    return digits, country if country != _NO_COUNTRY else None


@cache
def _plan(code: str) -> _Plan | None:
    """Return the plan of a calling code; None if there is no such code."""
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata

    regions = COUNTRY_CODE_TO_REGION_CODE.get(int(code or 0))
    if regions is None:
        return None
    metadata: Any = PhoneMetadata.metadata_for_region_or_calling_code(int(code), regions[0])
    start = 1 + len(code)
    trunk = metadata.national_prefix_for_parsing
    return _Plan(
        start,
        regions,
        frozenset(start + length for length in metadata.general_desc.possible_length),
        re.compile(trunk) if trunk else None,
    )


@cache
def _sharing(code: int) -> frozenset[str]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    return frozenset(COUNTRY_CODE_TO_REGION_CODE[code])


@cache
def _pattern(region: str) -> re.Pattern[str]:
    """Return the pattern of a country's national numbers among those of a shared calling code."""
    from phonenumbers import PhoneMetadata

    metadata: Any = PhoneMetadata.metadata_for_region(region)
    if metadata.leading_digits is not None:
        return re.compile(metadata.leading_digits)
    kinds = [getattr(metadata, kind) for kind in _KINDS]
    patterns = {kind.national_number_pattern: None for kind in kinds if kind is not None}
    alternatives = "|".join(pattern for pattern in patterns if pattern)
    return re.compile(rf"(?=(?:{metadata.general_desc.national_number_pattern})\Z)(?:{alternatives})\Z")
