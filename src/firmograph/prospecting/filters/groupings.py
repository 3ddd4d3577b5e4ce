"""Groupings of countries as one table of ISO 3166-1 codes.

See docs/reference/prospecting.md#places.

Each country belongs to exactly one of NA, LATAM, EMEA and APAC. Where usage differs: NA is the United States and
Canada alone; Mexico, Central America, the Caribbean and Bermuda are LATAM; Greenland, Saint Pierre and the Caucasus
are EMEA; Central Asia, Pakistan and Afghanistan are APAC. Dependent territories follow their location.
"""

from typing import Final

from firmograph.directory.names import fold


def _codes(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


_EUROPEAN_UNION = _codes("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")
_EUROPE = _EUROPEAN_UNION | _codes(
    "AD AL AM AX AZ BA BY CH FO GB GE GG GI GL IM IS JE LI MC MD ME MK NO PM RS RU SJ SM UA VA XK"
)
_GULF = _codes("AE BH KW OM QA SA")
_MIDDLE_EAST = _GULF | _codes("IL IQ IR JO LB PS SY TR YE")
_NORTH_AFRICA = _codes("DZ EG EH LY MA SD TN")
_AFRICA = _NORTH_AFRICA | _codes(
    "AO BF BI BJ BV BW CD CF CG CI CM CV DJ ER ET GA GH GM GN GQ GW IO KE KM LR LS MG ML MR MU MW MZ NA NE NG RE",
    "RW SC SH SL SN SO SS ST SZ TD TF TG TZ UG YT ZA ZM ZW",
)
_CARIBBEAN = _codes("AG AI AW BB BL BM BQ BS CU CW DM DO GD GP HT JM KN KY LC MF MQ MS PR SX TC TT VC VG VI")
_CENTRAL_AMERICA = _codes("BZ CR GT HN NI PA SV")
_SOUTH_AMERICA = _codes("AR BO BR CL CO EC FK GF GS GY PE PY SR UY VE")
_SOUTH_EAST_ASIA = _codes("BN ID KH LA MM MY PH SG TH TL VN")
_NORDICS = _codes("DK FI IS NO SE")
_BALTICS = _codes("EE LT LV")

_GROUPINGS: Final[dict[str, frozenset[str]]] = {
    "NA": _codes("US CA"),
    "LATAM": _codes("MX") | _CENTRAL_AMERICA | _CARIBBEAN | _SOUTH_AMERICA,
    "EMEA": _EUROPE | _MIDDLE_EAST | _AFRICA,
    "APAC": _SOUTH_EAST_ASIA
    | _codes("CN HK JP KP KR MN MO TW", "AF BD BT IN LK MV NP PK", "KG KZ TJ TM UZ")
    | _codes("AU CC CX HM NF NZ", "AQ AS CK FJ FM GU KI MH MP NC NR NU PF PG PN PW SB TK TO TV UM VU WF WS"),
    "ANZ": _codes("AU NZ"),
    "ASEAN": _SOUTH_EAST_ASIA,
    "Baltics": _BALTICS,
    "Benelux": _codes("BE LU NL"),
    "Caribbean": _CARIBBEAN,
    "CEE": _BALTICS | _codes("AL BA BG CZ HR HU ME MK PL RO RS SI SK XK"),
    "Central America": _CENTRAL_AMERICA,
    "DACH": _codes("AT CH DE"),
    "EEA": _EUROPEAN_UNION | _codes("IS LI NO"),
    "EU": _EUROPEAN_UNION,
    "GCC": _GULF,
    "Iberia": _codes("AD ES GI PT"),
    "MENA": _GULF | _NORTH_AFRICA | _codes("IL IQ IR JO LB PS SY YE"),
    "Middle East": _MIDDLE_EAST,
    "Nordics": _NORDICS,
    "Scandinavia": _codes("DK NO SE"),
    "Sub-Saharan Africa": _AFRICA - _NORTH_AFRICA,
    "UKI": _codes("GB GG IE IM JE"),
}
_MAIN: Final = ("NA", "LATAM", "EMEA", "APAC")
_ALIASES: Final = {
    "asia pacific": "APAC",
    "apj": "APAC",
    "australia and new zealand": "ANZ",
    "baltic states": "Baltics",
    "central and eastern europe": "CEE",
    "eastern europe": "CEE",
    "europe middle east and africa": "EMEA",
    "european economic area": "EEA",
    "european union": "EU",
    "gulf": "GCC",
    "gulf cooperation council": "GCC",
    "iberian peninsula": "Iberia",
    "jpac": "APAC",
    "latin america": "LATAM",
    "latin america and the caribbean": "LATAM",
    "middle east and north africa": "MENA",
    "noram": "NA",
    "nordic": "Nordics",
    "nordic countries": "Nordics",
    "north america": "NA",
    "northern america": "NA",
    "sea": "ASEAN",
    "south east asia": "ASEAN",
    "southeast asia": "ASEAN",
    "uk and i": "UKI",
    "uk and ireland": "UKI",
    "united kingdom and ireland": "UKI",
}


_BY_NAME: Final = {fold(name): codes for name, codes in _GROUPINGS.items()} | {
    alias: _GROUPINGS[name] for alias, name in _ALIASES.items()
}
_MAIN_OF: Final = {code: name for name in _MAIN for code in _GROUPINGS[name]}


def countries_of(grouping: str) -> frozenset[str] | None:
    """Return the countries of a grouping by its name or an alias (Latin America); None if it is unknown.

    Case and punctuation are ignored.
    """
    return _BY_NAME.get(fold(grouping))


def groupings() -> tuple[str, ...]:
    """Return the names, starting with the four that partition all countries."""
    return tuple(_GROUPINGS)


def main_grouping(country_code: str) -> str | None:
    """Return NA, LATAM, EMEA or APAC; None only for an unknown country."""
    return _MAIN_OF.get(country_code.upper())
