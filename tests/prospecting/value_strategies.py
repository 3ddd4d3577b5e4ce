"""Values of filters drawn from the records' own, so that they match some of them; a few are near misses."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from hypothesis import strategies as st
from oracle_places import position
from record_set import Records
from signal_strategies import company_signals, contact_signals

from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.records import Location
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES, DEPARTMENTS, SENIORITIES
from firmograph.prospecting.filters.groupings import main_grouping
from firmograph.prospecting.indexing.completeness import MAX_CONTACT_POINTS, contact_points
from firmograph.security.record_ids import Entity, RecordIds

Json = dict[str, Any]
Draw = st.SearchStrategy[Any]

_OTHER_NAMES = {"Munich": "München", "Vienna": "Wien", "Copenhagen": "København", "Tokyo": "東京"}
_POINTS = ("phone", "work_email", "mobile_phone", "direct_phone")
_SEARCH_FIELDS = ("name", "description", "specialities", "keywords", "industryTags")


def each(values: Iterable[Any], otherwise: Any = "nothing") -> Draw:
    """Draw any of the values, each as likely as it is common; an absent one is none of them."""
    return st.sampled_from([value for value in values if value not in (None, "", [])] or [otherwise])


@st.composite
def phrase(draw: st.DrawFn, texts: Iterable[str | None]) -> str:
    """Draw a text unchanged, with some of its words in any order, or almost the same."""
    text = draw(each(texts))[:200]
    how = draw(st.integers(0, 7))
    if how < 2:
        return text if how else text.upper()
    if how == 7:
        return draw(st.sampled_from((text + "x", text[:-1] + "q", "x" + text)))
    parts = draw(st.permutations(text.split()))
    return " ".join(parts[: draw(st.integers(1, max(1, len(parts) - 1)))]) or text


def some(value: Draw, most: int = 3) -> Draw:
    return st.lists(value, min_size=1, max_size=most)


def phrases(texts: Iterable[str | None]) -> Draw:
    return some(phrase(list(texts)))


def whole_texts(texts: Iterable[str | None]) -> Draw:
    """Draw mostly whole texts."""
    known = list(texts)
    return some(st.one_of(each(known), each(known).map(str.upper), phrase(known)))


@st.composite
def location(draw: st.DrawFn, places: Iterable[Location | None]) -> Json:
    """Draw some known fields of a location, in one of the ways to write them."""
    place: Location = draw(each(places))
    grouping = main_grouping(place.country_iso2 or "")
    fields: Json = {
        "city": [place.city, _OTHER_NAMES.get(place.city or ""), (place.city or "").upper()],
        "state": [place.state, place.state_code, (place.state or "").lower()],
        "country": [place.country, place.country_iso2, "Nowhere"],
        "countryIso2": [place.country_iso2],
        "continent": [place.continent, "africa"],
        "countryGrouping": [grouping, grouping, "DACH", "nordics"],
        "country_grouping": [grouping, grouping, "emea"],
        "region": [place.continent, grouping, place.state, place.city, "Nordics"],
    }
    known = [name for name, values in fields.items() if any(values)]
    names = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    return {name: draw(each(fields[name])) for name in names}


@st.composite
def radius(draw: st.DrawFn, places: Iterable[Location]) -> Json:
    place = draw(st.sampled_from(list(places)))
    country = draw(st.sampled_from((place.country, place.country_iso2)))
    distance = draw(st.sampled_from((0, 1, 5, 25, 60, 150, 400, 1200, 5000, 12_500)))
    return {"country": country, "zipcode": place.zip_code, "distance": distance}


@st.composite
def postcode(draw: st.DrawFn, places: Iterable[Location | None]) -> Json:
    place = draw(st.sampled_from([one for one in places if one and one.zip_code and one.country_iso2]))
    text = draw(st.sampled_from((place.zip_code, place.zip_code.lower(), f" {place.zip_code}")))
    return {"countryIso2": place.country_iso2, "zipcode": text}


@st.composite
def interval(draw: st.DrawFn, figures: Iterable[float | None]) -> Json:
    """Draw a range between two of the figures or next to them; open at either end."""
    known = [figure for figure in figures if figure is not None] or [1]
    offset = st.sampled_from((-1, 0, 0, 1))
    ends = sorted(max(0, int(draw(each(known))) + draw(offset)) for _ in range(2))
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return {"min": ends[0]}
    if kind == 1:
        return {"max": ends[1]}
    return {"min": ends[0], "max": ends[0] if kind == 2 else ends[1]}


class Values:
    """The values of each filter, as strategies over the values of records."""

    def __init__(self, records: Records, tokens: RecordIds) -> None:
        people = [person.record for person in records.contacts.values()]
        firms = [firm.record for firm in records.companies.values()]
        places = [record.location for record in (*people, *firms) if record.location]
        self._middles = [one for one in places if one.zip_code and one.country_iso2 and position(one)]
        self.contacts = self._of_contacts(people)
        self.contacts["ids"] = _ids(tokens, Entity.CONTACT, records.contacts)
        self.companies = self._of_companies(firms) | self._of_funding(firms)
        self.companies["ids"] = _ids(tokens, Entity.COMPANY, records.companies)
        past = [job.company for person in people for job in person.previous_employment]
        linked = [records.companies[one.id].record for one in past if one.id in records.companies]
        self.companies["previousCompanyNames"] = phrases([one.name for one in (*past, *linked)])
        hosts = [one.domain for one in (*past, *linked)]
        self.companies["previousCompanyDomains"] = some(st.one_of(each(hosts), each(["none.test"])))

    def _of_contacts(self, people: list[Any]) -> dict[str, Draw]:
        titles = [person.job_title.title for person in people if person.job_title]
        starts = [person.job_title.start_date for person in people if person.job_title]
        past = [job.job_title.title for one in people for job in one.previous_employment if job.job_title]
        places = [person.location for person in people]
        names = [name for one in people for name in (one.first_name, one.last_name, one.full_name)]
        skills = [skill for person in people for skill in person.skills]
        schools = [school for person in people for school in person.education]
        former = [email for person in people for email in person.previous_emails]
        scores = [contact_points(person) * 100 // MAX_CONTACT_POINTS for person in people]
        return {
            "names": phrases(names),
            "jobTitles": phrases(titles),
            "normalizedJobTitles": phrases(titles),
            "jobTitlesExactMatch": whole_texts(titles),
            "previousJobTitle": phrases(past),
            "skills": phrases(skills),
            "certifications": phrases([text for person in people for text in person.certifications]),
            "awards": phrases([text for person in people for text in person.awards]),
            "departments": some(st.one_of(each(DEPARTMENTS), each(["sales", "Marketing"]))),
            "seniorityIds": some(each(SENIORITIES)),
            "existingDataPoints": some(each(_POINTS)),
            "linkedinUrls": some(each([one.social_links and one.social_links.linkedin for one in people])),
            "searchText": phrase([*names, *titles, *skills]),
            "countries": some(each([place and place.country_iso2 for place in places])),
            "locations": some(location(places)),
            "geographicDetails": some(radius(self._middles), 2),
            "emails": some(each([one.email for person in people for one in person.emails])),
            "previousEmails": some(each(former, "nobody@example.com")),
            "jobChangedAfterDate": each(starts),
            "jobChangedLastViewDate": each(starts),
            "score": _score(scores),
            "education.schools": phrases([one.school for one in schools]),
            "education.degrees": phrases([one.degree for one in schools]),
            "education.fieldsOfStudy": phrases([one.field_of_study for one in schools]),
            "education.startYearGte": each([one.start_year for one in schools], 2000),
            "education.graduationYearLte": each([one.graduation_year for one in schools], 2000),
            "signals": contact_signals(),
        }

    def _of_companies(self, firms: list[Any]) -> dict[str, Draw]:
        def listed(*fields: str) -> list[str]:
            return [text for firm in firms for field in fields for text in getattr(firm, field)]

        names = [name for firm in firms for name in (firm.name, *firm.alternative_names)]
        places = [firm.location for firm in firms]
        offices = places + [place for firm in firms for place in firm.additional_locations]
        counts = [firm.employee_count for firm in firms if firm.employee_count]
        revenues = [firm.revenue_range for firm in firms if firm.revenue_range]
        texts = [*names, *[firm.description for firm in firms], *listed("specialities", "keywords")]
        labels = [label for firm in firms for label in (firm.industry, firm.sub_industry)]
        intents = [firm.intent or {} for firm in firms]
        topics = [topic for intent in intents for topic in intent.get("detectedTopics", ())]
        scores = [topic.get("metadata", {}).get("topicScore") for topic in topics]
        naics = [str(code.code) for code in listed("naics_codes")]
        sic = [f"{code.code:04}" for code in listed("sic_codes")]
        links = [firm.social_links and firm.social_links.linkedin for firm in firms]
        domains = [firm.domain for firm in firms] + listed("alternative_domains")
        return {
            "names": phrases(names),
            "domains": some(st.one_of(each(domains), each(domains).map(lambda host: f"https://www.{host}/"))),
            "linkedinUrls": some(each(links)),
            "keywords": phrases([*texts, *listed("industry_tags")]),
            "exactKeywords": whole_texts(listed("keywords")),
            "specialities": phrases(listed("specialities", "specialities_refactored")),
            "exactSpecialities": whole_texts(listed("specialities", "specialities_refactored")),
            "locations": some(location(places)),
            "countries": some(each(["DE", "us", "France", "Nowhere"])),
            "geographicDetails": some(radius(self._middles), 2),
            "locationsZipcodes": some(postcode(offices)),
            "headquarterZipcodes": some(postcode(offices)),
            "sizes": some(interval([one for count in counts for one in (count.exact, count.min, count.max)])),
            "revenues": some(interval([one for revenue in revenues for one in (revenue.min, revenue.max)])),
            "foundedYear": some(interval([firm.year_founded for firm in firms])),
            "technologies": whole_texts(listed("technologies")),
            "industriesLabels": some(each(labels)),
            "mainIndustriesIds": some(each([*(_MAIN_IDS.get(label) for label in labels), 2])),
            "subIndustriesIds": some(each([*(_SUB_IDS.get(label) for label in labels), 999])),
            "sicCodes": some(st.builds(_prefix, each(sic), st.integers(1, 4))),
            "sicsCodes": some(st.builds(_prefix, each(sic), st.integers(1, 4))),
            "naicsCodes": some(
                st.one_of(st.builds(_prefix, each(naics), st.integers(1, 6)), each(["31-33"]))
            ),
            "businessModel": some(each(BUSINESS_MODELS), 2),
            "companyType": some(each(COMPANY_TYPES), 2),
            "intentTopics": whole_texts([topic["topicName"] for topic in topics]),
            "intentScore": st.builds(_scores, each(scores, 50), st.integers(0, 60)),
            "topicCountThreshold": some(interval([intent.get("topicCount") for intent in intents])),
            "searchText": phrase([*texts, *domains, *labels]),
            "signals": company_signals(),
        }

    def _of_funding(self, firms: list[Any]) -> dict[str, Draw]:
        fundings = [firm.funding for firm in firms if firm.funding]
        rounds = [one for funding in fundings for one in funding.rounds]
        amounts = [one.round_amount for one in rounds] + [funding.total_rounds_amount for funding in fundings]
        amounts += [funding.last_round_amount for funding in fundings]
        money = st.sampled_from(("last_funding", "any_round", "total_funds", "last_round"))
        which = st.sampled_from(("any_round", "last_round"))
        numbered = each(("pre_seed", "seed", "series_a", "series_b", "series_c", "series_h", "other"))
        kinds = each(
            ("angel", "venture", "private_equity", "crowdfunding", "grant", "debt_financing", "other")
        )
        days = st.dates(date(2012, 1, 1), date(2025, 12, 31)).map(str)
        types = [one.round_type for one in rounds] + [funding.last_round_type for funding in fundings]
        return {
            "funding.isIpo": st.booleans(),
            "funding.ranges": some(st.builds(_with, interval(amounts), coverage=money), 2),
            "funding.date": st.fixed_dictionaries({"date": days, "coverage": which}),
            "funding.rounds": some(st.fixed_dictionaries({"round": numbered, "coverage": which}), 2),
            "funding.names": some(st.fixed_dictionaries({"name": kinds, "coverage": which}), 2),
            "funding.investors": phrases([investor for one in rounds for investor in one.investors]),
            "funding.types": whole_texts(types),
        }


_MAIN_IDS = {main.name: main.id for main in MAIN_INDUSTRIES}
_SUB_IDS = {sub.name: sub.id for main in MAIN_INDUSTRIES for sub in main.subs if sub.name != "Other"}


def _ids(tokens: RecordIds, kind: Entity, numbers: Iterable[int]) -> Draw:
    known = each(numbers)
    sealed = known.map(lambda number: tokens.seal(kind, number))
    return some(st.one_of(sealed, known.map(lambda number: str(tokens.legacy(kind, number)))))


@st.composite
def _score(draw: st.DrawFn, scores: list[int]) -> Json:
    low, high = sorted((draw(each(scores)), draw(each(scores))))
    kind = draw(st.integers(0, 2))
    return ({"minScore": low}, {"maxScore": high}, {"minScore": low, "maxScore": high})[kind]


def _scores(low: float, more: int) -> Json:
    return {"intentMinScore": int(low), "intentMaxScore": min(100, int(low) + more)}


def _prefix(code: str, length: int) -> str:
    return code[:length]


def _with(fields: Json, **more: Any) -> Json:
    return fields | more
