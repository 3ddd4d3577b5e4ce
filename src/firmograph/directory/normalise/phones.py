"""Telephone numbers to E.164.

Accepted is what the numbering plan could hold (the possible length), not only what it has assigned: numbers
reserved for fiction, and new ranges, must come in.
"""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

_PUNCTUATION = str.maketrans("", "", " -.()")
_NANP = re.compile(r"1?[2-9]\d{9}", re.ASCII)
_MAX_TEXT = 250
"""The library's own limit, held before the cache."""
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
    """A number as E.164 with the ISO 3166-1 code of its country; None when it cannot be a number.

    `region`, the record's country, says how to read a number without its calling code. An extension is
    dropped. The country is None for codes that belong to no country (+800). A number of a shared code that
    matches none of the code's countries (fiction) counts as `region`'s if that is one of them, else as that
    of the code's main country.
    """
    digits = text.translate(_PUNCTUATION)
    if digits[:1] == "+":
        rest = digits[1:]
        if rest.isdecimal() and rest.isascii() and (number := _international(digits, region)):
            return number
    elif region in _sharing(1) and _NANP.fullmatch(digits):
        return _international("+1" + digits[-10:], region)
    return _parsed(text, region) if len(text) <= _MAX_TEXT else None


class _Plan(NamedTuple):
    """What the library's metadata say about one calling code."""

    start: int
    """Where the national number begins after `+` and the code."""
    regions: tuple[str, ...]
    lengths: frozenset[int]
    """Of a complete number, `+` and code counted."""
    trunk: re.Pattern[str] | None
    """A national number that begins so may hold a trunk prefix, which only the library takes off."""


def _international(digits: str, region: str | None) -> Number | None:
    """`+` and digits alone, when the number is complete as it stands; None leaves it to the library."""
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


@lru_cache(maxsize=16_384)
def _parsed(text: str, region: str | None) -> Number | None:
    import phonenumbers as library

    try:
        number = library.parse(text, region.upper() if region else None)
    except library.NumberParseException:
        return None
    # a local number without its area code is possible too, but has no E.164 form
    if library.is_possible_number_with_reason(number) != library.ValidationResult.IS_POSSIBLE:
        return None
    digits = library.format_number(number, library.PhoneNumberFormat.E164)
    regions = library.COUNTRY_CODE_TO_REGION_CODE[number.country_code or 0]
    country = library.region_code_for_number(number) or (region if region in regions else regions[0])
    return digits, country if country != _NO_COUNTRY else None


@cache
def _plan(code: str) -> _Plan | None:
    """Of a calling code; None when the digits are none."""
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
    """What national numbers of one country among those of a shared calling code look like."""
    from phonenumbers import PhoneMetadata

    metadata: Any = PhoneMetadata.metadata_for_region(region)
    if metadata.leading_digits is not None:
        return re.compile(metadata.leading_digits)
    kinds = [getattr(metadata, kind) for kind in _KINDS]
    patterns = {kind.national_number_pattern: None for kind in kinds if kind is not None}
    anyone = "|".join(pattern for pattern in patterns if pattern)
    return re.compile(rf"(?=(?:{metadata.general_desc.national_number_pattern})\Z)(?:{anyone})\Z")
