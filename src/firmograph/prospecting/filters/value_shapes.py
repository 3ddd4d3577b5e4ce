"""Types and bounds of the filter values.

A fixed vocabulary is documented as an enumeration but decoded as text, so that the filter parser can refuse an
unknown value with the nearest known ones.
"""

from typing import Annotated, Final

from msgspec import Meta

from firmograph.api.descriptions import in_any_case
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.gazetteer import CONTINENTS
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES, DEPARTMENTS, SENIORITIES
from firmograph.prospecting.filters import vocabularies as known
from firmograph.prospecting.filters.groupings import groupings
from firmograph.security.record_ids import RECORD_ID

MAX_RADII: Final = 100
"""Maximum number of radii per list; each scans all positions."""


def _form(pattern: str, most: int) -> Meta:
    return Meta(min_length=1, max_length=most, extra_json_schema={"pattern": f"^{pattern}$"})


Text = Annotated[str, Meta(min_length=1, max_length=256)]
Texts = list[Text]
AllWords = Annotated[Texts, Meta(description="All words of a value, as whole words in any order")]
WholeTexts = Annotated[Texts, Meta(description="A whole value; letter case and accents are ignored")]
NormalTitles = Annotated[
    Texts, Meta(description="As `jobTitles`, with common spellings unified: VP equals Vice President")
]
SearchText = Annotated[
    str, Meta(max_length=200, description="All of its words, in any of the searched fields")
]
Day = Annotated[
    str,
    Meta(max_length=10, examples=["2026-01-31"], extra_json_schema={"format": "date"}),
]
JobDay = Annotated[
    Day, Meta(description="The present job began on this day or later; only together with other filters")
]

Ids = list[
    Annotated[
        str,
        Meta(
            min_length=1,
            description="A record id: `v{N}.` and opaque text, or legacy digits",
            extra_json_schema={"pattern": f"^{RECORD_ID}$"},
        ),
    ]
]
Emails = list[Annotated[str, Meta(min_length=3, max_length=320, extra_json_schema={"format": "email"})]]
PersonUrls = list[
    Annotated[str, Meta(min_length=1, max_length=1024, extra_json_schema={"format": "linkedin-url"})]
]
CompanyUrls = list[
    Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1024,
            examples=["https://www.linkedin.com/company/acme"],
            extra_json_schema={"format": "linkedin-company-url"},
        ),
    ]
]
Domains = list[
    Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1024,
            examples=["example.com"],
            extra_json_schema={"format": "domain"},
        ),
    ]
]

CountryCode = Annotated[
    str,
    _form("[A-Za-z]{2}", 64),
    Meta(description="ISO 3166-1 alpha-2", examples=["US"]),
]
CountryCodes = list[CountryCode]
Countries = Annotated[Texts, Meta(description="Codes or names, as the `country` of `locations`")]
Postcode = Annotated[str, Meta(min_length=1, max_length=32)]
Miles = Annotated[
    float,
    Meta(ge=0, le=12_500, description="Miles, up to half the circumference of the earth", examples=[25]),
]

Departments = list[Annotated[str, in_any_case(*DEPARTMENTS)]]
SeniorityIds = list[
    Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            extra_json_schema={"enum": sorted(SENIORITIES)},
            extra={"labels": SENIORITIES},
        ),
    ]
]
DataPoints = list[Annotated[str, in_any_case(*known.EXISTING_DATA_POINTS)]]
CompanyTypes = list[Annotated[str, in_any_case(*COMPANY_TYPES)]]
BusinessModels = list[Annotated[str, in_any_case(*BUSINESS_MODELS)]]
SearchFields = list[Annotated[str, in_any_case(*known.KEYWORDS_SEARCH_FIELDS)]]
Condition = Annotated[str, in_any_case(*known.CONDITIONS, description="Defaults to `or`")]
Operator = Annotated[
    str, in_any_case(*known.INTENT_OPERATORS, description="`any` means `or`, `all` means `and`")
]
Coverage = Annotated[str, in_any_case(*known.FUNDING_COVERAGES)]
RoundCoverage = Annotated[str, in_any_case(*known.ROUND_COVERAGES)]
Round = Annotated[str, in_any_case(*known.FUNDING_ROUNDS)]
RoundName = Annotated[str, in_any_case(*known.FUNDING_NAMES)]

_LABELS = dict.fromkeys(
    label for main in MAIN_INDUSTRIES for label in (main.name, *(sub.name for sub in main.subs))
)
IndustryLabels = list[Annotated[str, in_any_case(*_LABELS)]]
IndustryIds = list[Annotated[int, Meta(ge=0, le=2**31 - 1)]]
SicCodes = list[
    Annotated[int, Meta(ge=0, le=9_999)]
    | Annotated[str, _form("[0-9]{1,4}", 16), Meta(examples=["7372", "73"])]
]
NaicsCodes = list[
    Annotated[int, Meta(ge=0, le=999_999)]
    | Annotated[
        str,
        _form("([0-9]{1,6}|[0-9]{2}-[0-9]{2})", 16),
        Meta(examples=["5415", "31-33"]),
    ]
]
Figure = Annotated[float, Meta(ge=0, le=1e15)]
Continent = Annotated[str, in_any_case(*CONTINENTS.values())]
Grouping = Annotated[str, in_any_case(*groupings(), description="Common aliases are accepted")]
Year = Annotated[int, Meta(ge=0, le=9999)]
TopicScore = Annotated[int, Meta(ge=1, le=100)]
Percent = Annotated[float, Meta(ge=0, le=100)]
