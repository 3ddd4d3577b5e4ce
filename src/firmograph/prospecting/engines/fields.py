"""Names of the indexed fields, with the form of their values.

- A *term* field holds plain values: `Term` matches one, `Words` several at once (the words of one text are the
  terms
  of its field), `Prefix` the beginning of one.
- A *text* field holds whole texts as shown in results, many per record. `analysis.py` derives keys (the text as a
  whole) and words from each: `Term` matches a key, `Words` matches words of ONE text.
- A *figure* field holds exact figures and bands, several per record: `Between` matches them.
"""

from typing import Final

# --- contacts: terms ---
NAME: Final = "name"
"""Words of first, last and full name."""
TITLE: Final = "title"
"""Words of the job title."""
TITLE_NORMAL: Final = "title_normal"
"""Words of the job title after the synonym table."""
TITLE_WHOLE: Final = "title_whole"
"""The whole title, folded."""
DEPARTMENT: Final = "department"
SENIORITY: Final = "seniority"
"""The id as text, `8`."""
HAS: Final = "has"
"""`email`, `work_email`, `phone`, `mobile_phone`, `direct_phone`; `do_not_call` if any number is one."""
POINTS: Final = "points"
"""Completeness as text, `completeness.py`."""
PREVIOUS_EMAIL: Final = "previous_email"
PAST_DOMAIN: Final = "past_domain"
"""Hosts of former employers, as imported."""
PAST_COMPANY: Final = "past_company"
"""Numbers of the company records of former employers, as text."""

# --- contacts: texts ---
SKILL: Final = "skill"
CERTIFICATION: Final = "certification"
AWARD: Final = "award"
PAST_TITLE: Final = "past_title"
PAST_NAME: Final = "past_name"
"""Names of former employers, as imported."""
SCHOOL: Final = "school"
DEGREE: Final = "degree"
STUDY: Final = "study"

# --- contacts: figures ---
JOB_START: Final = "job_start"
"""Days since 1970-01-01."""
STUDY_START: Final = "study_start"
"""Years."""
GRADUATION: Final = "graduation"
"""Years."""

# --- both ---
COUNTRY: Final = "country"
"""ISO 3166-1 alpha-2, upper case; of a company, of its headquarters."""
STATE: Final = "state"
"""`US-CA`: country and ISO 3166-2 code; without a known code, country and folded name: `US-somewhere`."""
CONTINENT: Final = "continent"
"""English name as in `gazetteer.CONTINENTS`."""
ZIP: Final = "zip"
"""`US:94107`: country and postcode in upper case without spaces; of a company, of its headquarters."""
PLACE: Final = "place"
"""`City|State|US` as shown (state and country may be empty); the keys are the folded names of the city."""
PARTIAL: Final = "partial"
"""`1` for a partial record."""
SIGNAL: Final = "signal"
"""Activities of the record and their days (`signal_fields.py`)."""

# --- companies: terms ---
DESCRIPTION: Final = "description"
"""Words."""
DOMAIN_WORD: Final = "domain_word"
"""Words of the domain, and the domain whole, for `searchText`."""
OFFICE_ZIP: Final = "office_zip"
"""As `zip`, of any office, the headquarters included."""
MAIN_INDUSTRY: Final = "main_industry"
"""Id as text, additional industries included."""
SUB_INDUSTRY: Final = "sub_industry"
SIC: Final = "sic"
"""Four digits."""
NAICS: Final = "naics"
"""Digits."""
COMPANY_TYPE: Final = "company_type"
BUSINESS_MODEL: Final = "business_model"
INTENT_SCORE: Final = "intent_score"
"""`folded topic|score`, score a whole number 1..100; and `|score`, of any topic."""
IS_IPO: Final = "is_ipo"
"""`1` or `0`."""
ROUND: Final = "round"
"""`any_round|series_a`, `last_round|seed`: coverage and round."""
ROUND_NAME: Final = "round_name"
"""`any_round|venture`: coverage and name."""
FUNDING_TYPE: Final = "funding_type"
"""Folded types of the rounds, as imported."""

# --- companies: texts ---
COMPANY_NAME: Final = "company_name"
"""Name and aliases."""
SPECIALITY: Final = "speciality"
KEYWORD: Final = "keyword"
INDUSTRY_TAG: Final = "industry_tag"
TECHNOLOGY: Final = "technology"
INTENT_TOPIC: Final = "intent_topic"
INVESTOR: Final = "investor"

# --- companies: figures ---
SIZE: Final = "size"
"""Employees."""
REVENUE: Final = "revenue"
"""US dollars a year."""
FOUNDED: Final = "founded"
"""Year."""
TOPIC_COUNT: Final = "topic_count"
FUNDING_LAST: Final = "funding_last"
"""US dollars, as the next two."""
FUNDING_ANY: Final = "funding_any"
FUNDING_TOTAL: Final = "funding_total"
FUNDING_LAST_DAY: Final = "funding_last_day"
"""Days since 1970-01-01, as the next one."""
FUNDING_ANY_DAY: Final = "funding_any_day"

CONTACT_TERMS: Final = frozenset(
    {NAME, TITLE, TITLE_NORMAL, TITLE_WHOLE, DEPARTMENT, SENIORITY, HAS, POINTS, PREVIOUS_EMAIL, PAST_DOMAIN}
    | {PAST_COMPANY, COUNTRY, STATE, CONTINENT, ZIP, PARTIAL, SIGNAL}
)
CONTACT_TEXTS: Final = frozenset(
    {SKILL, CERTIFICATION, AWARD, PAST_TITLE, PAST_NAME, SCHOOL, DEGREE, STUDY, PLACE}
)
CONTACT_FIGURES: Final = frozenset({JOB_START, STUDY_START, GRADUATION})
COMPANY_TERMS: Final = frozenset(
    {
        COUNTRY,
        STATE,
        CONTINENT,
        ZIP,
        PARTIAL,
        SIGNAL,
        DESCRIPTION,
        DOMAIN_WORD,
        OFFICE_ZIP,
        MAIN_INDUSTRY,
        SUB_INDUSTRY,
    }
    | {
        SIC,
        NAICS,
        COMPANY_TYPE,
        BUSINESS_MODEL,
        INTENT_SCORE,
        IS_IPO,
        ROUND,
        ROUND_NAME,
        FUNDING_TYPE,
        POINTS,
    }
)
COMPANY_TEXTS: Final = frozenset(
    {COMPANY_NAME, SPECIALITY, KEYWORD, INDUSTRY_TAG, TECHNOLOGY, INTENT_TOPIC, INVESTOR, PLACE}
)
COMPANY_FIGURES: Final = frozenset(
    {
        SIZE,
        REVENUE,
        FOUNDED,
        TOPIC_COUNT,
        FUNDING_LAST,
        FUNDING_ANY,
        FUNDING_TOTAL,
        FUNDING_LAST_DAY,
        FUNDING_ANY_DAY,
    }
)
