"""Records that fill every filtered field from small vocabularies, so that values coincide.

The same seed gives the same record. All of them are made up.
"""

from random import Random

import sample_words as words
from record_set import Firm, Person, Records
from sample_signals import signals_of_company, signals_of_contact

from firmograph.directory.bands import parse_revenue, parse_size
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import (
    Code,
    Company,
    CompanyLinks,
    CompanyRef,
    Contact,
    Education,
    Email,
    Funding,
    FundingRound,
    Industry,
    JobTitle,
    Location,
    PastJob,
    Phone,
    Revenue,
    SocialLinks,
)
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES, SENIORITIES


def generated(seed: int, contacts: int, companies: int) -> Records:
    """Return contacts and companies numbered from 1; some companies have no contacts and some contacts no company."""
    rng = Random(seed)
    records = Records()
    for number in range(1, companies + 1):
        records.companies[number] = firm(rng, number)
    for number in range(1, contacts + 1):
        records.contacts[number] = person(rng, number, records.companies)
    return records


def person(rng: Random, number: int, companies: dict[int, Firm]) -> Person:
    """Return a contact employed by one of the companies, most often one of the first, or by none."""
    numbers = list(companies)
    employer = numbers[int(rng.random() ** 2 * len(numbers))] if numbers and rng.random() < 0.85 else None
    if rng.random() < 0.04:
        return Person(number, employer, Contact(full_name=rng.choice(words.FIRST_NAMES)))
    first, last = rng.choice(words.FIRST_NAMES), rng.choice(words.LAST_NAMES)
    record = Contact(
        first_name=_maybe(rng, 0.9, first),
        last_name=_maybe(rng, 0.9, last),
        full_name=f"{first} {last}" + (rng.choice((" Jr", ", PhD", "")) if rng.random() < 0.2 else ""),
        job_title=_maybe(rng, 0.9, _title(rng, 0.6)),
        location=_maybe(rng, 0.85, place(rng)),
        social_links=_maybe(rng, 0.7, SocialLinks(linkedin=f"https://www.linkedin.com/in/person-{number}")),
        update_date=_maybe(rng, 0.8, f"202{rng.randrange(6)}-0{rng.randrange(1, 4)}-1{rng.randrange(3)}"),
        emails=_emails(rng, number),
        phones=_phones(rng),
        company=_employer(employer, companies, rng),
        previous_employment=[_past(rng, companies) for _ in range(_few(rng, 0.4, 3))],
        skills=_several(rng, 0.5, words.SKILLS),
        certifications=_several(rng, 0.3, words.CERTIFICATIONS),
        awards=_several(rng, 0.3, words.AWARDS),
        previous_emails=[f"old{number}.{place}@example.org" for place in range(_few(rng, 0.3, 2))],
        education=[_education(rng) for _ in range(_few(rng, 0.4, 2))],
        linkedin_connections=_maybe(rng, 0.3, rng.randrange(500)),
        linkedin_followers=_maybe(rng, 0.3, rng.randrange(500)),
    )
    return Person(number, employer, record, signals_of_contact(rng))


def firm(rng: Random, number: int) -> Firm:
    """Return a company with a domain of its own; a few are stubs, or have nothing but a name."""
    name = rng.choice(words.BRANDS) + rng.choice(words.FORMS)
    if rng.random() < 0.15:
        stub = Company(name=name, domain=_maybe(rng, 0.5, f"stub{number}.test"), stub=rng.random() < 0.6)
        return Firm(number, stub)
    others = [
        rng.choice(words.BRANDS) + " " + rng.choice(("Europe", "Cloud", "Holding AG"))
        for _ in range(_few(rng, 0.3, 2))
    ]
    main, more = rng.choice(MAIN_INDUSTRIES[:6]), rng.choice(MAIN_INDUSTRIES[:8])
    industry = _maybe(rng, 0.85, main.name)
    record = Company(
        name=_maybe(rng, 0.97, name),
        alternative_name=others[0] if others else None,
        alternative_names=others,
        domain=_maybe(rng, 0.8, f"firm{number}.{rng.choice(('test', 'example.com', 'example.co.uk'))}"),
        alternative_domains=[f"alias{number}.test"] if rng.random() < 0.2 else [],
        description=_maybe(
            rng, 0.6, f"{name} offers {rng.choice(words.TRADES)} and {rng.choice(words.TRADES)}."
        ),
        company_type=_maybe(rng, 0.8, rng.choice(COMPANY_TYPES)),
        year_founded=_maybe(rng, 0.7, rng.randrange(1990, 2024)),
        employee_count=_maybe(rng, 0.8, parse_size(_band(rng, 1, 200_000))),
        industry=industry,
        sub_industry=_maybe(rng, 0.7, rng.choice(main.subs[:3]).name) if industry else None,
        additional_industries=[Industry(more.name, rng.choice(more.subs[:3]).name)]
        if rng.random() < 0.3
        else [],
        specialities=_several(rng, 0.5, words.TRADES),
        industry_tags=_several(rng, 0.4, (*words.TRADES[:3], "SaaS", "Öl")),
        keywords=_several(rng, 0.5, (*words.TRADES, "cloud", "SaaS platform")),
        sic_codes=[Code(code) for code in _several(rng, 0.6, words.SIC)],
        naics_codes=[Code(code) for code in _several(rng, 0.6, words.NAICS)],
        location=_maybe(rng, 0.85, place(rng)),
        additional_locations=[place(rng) for _ in range(_few(rng, 0.4, 3))],
        social_links=_maybe(
            rng, 0.7, CompanyLinks(linkedin=f"https://www.linkedin.com/company/firm-{number}")
        ),
        revenue_range=_maybe(rng, 0.7, _revenue(rng)),
        funding=_maybe(rng, 0.6, _funding(rng)),
        technologies=_several(rng, 0.7, words.TECHNOLOGIES),
        business_model=[model for model in BUSINESS_MODELS if rng.random() < 0.3],
        intent=_maybe(rng, 0.6, _intent(rng)),
        update_date=_maybe(rng, 0.8, f"202{rng.randrange(6)}-05-0{rng.randrange(1, 4)}"),
        logo_url=_maybe(rng, 0.3, f"https://firm{number}.test/logo.png"),
    )
    return Firm(number, record, signals_of_company(rng))


def place(rng: Random) -> Location:
    """Return a location in some detail: from a city with postcode and position down to a continent alone."""
    country, state, city, postcodes = rng.choice(words.PLACES)
    detail = rng.random()
    position = words.POSITIONS.get(city)
    if position is None and rng.random() < 0.2:
        position = (rng.uniform(-20, 30), rng.uniform(40, 55))
    found = normalise_location(
        None if detail < 0.05 else country,
        None,
        None,
        state if detail > 0.2 and rng.random() < 0.9 else None,
        city if detail > 0.35 else None,
        rng.choice(postcodes) if postcodes and rng.random() < 0.6 else None,
        "Europe" if detail < 0.05 else None,
        _moved(rng, position) if position and rng.random() < 0.5 else None,
    )
    return found or Location()


def _maybe(rng: Random, share: float, value):
    """Return the value for this share of the records."""
    return value if rng.random() < share else None


def _few(rng: Random, share: float, most: int) -> int:
    return rng.randint(1, most) if rng.random() < share else 0


def _several(rng: Random, share: float, values):
    return rng.sample(values, rng.randint(1, 3)) if rng.random() < share else []


def _moved(rng: Random, position):
    longitude, latitude = position
    east, north = longitude + rng.uniform(-0.3, 0.3), latitude + rng.uniform(-0.3, 0.3)
    return round(east - 360 if east > 180 else east, 4), round(north, 4)


def _title(rng: Random, dated: float) -> JobTitle:
    title = rng.choice(words.TITLES)
    if rng.random() < 0.1:
        title = title.upper()
    return JobTitle(
        title=title,
        departments=list(derive_departments(title)),
        seniority=derive_seniority(title) if rng.random() < 0.7 else rng.choice(list(SENIORITIES.values())),
        start_date=_maybe(rng, dated, f"20{rng.randrange(10, 26)}-0{rng.randrange(1, 10)}-01"),
    )


def _emails(rng: Random, number: int) -> list[Email]:
    kinds = [kind for kind in ("work", "private", "unknown") if rng.random() < 0.35]
    return [Email(f"{kind}{number}@example.com", type=kind) for kind in kinds]


def _phones(rng: Random) -> list[Phone]:
    kinds = [kind for kind in ("mobile", "direct", "work", "unknown") if rng.random() < 0.2]
    return [
        Phone(f"+1212555{rng.randrange(100, 200):04}", type=kind, do_not_call=rng.random() < 0.3)
        for kind in kinds
    ]


def _employer(number: int | None, companies: dict[int, Firm], rng: Random) -> CompanyRef | None:
    if number is None:
        return None
    employer = companies[number].record
    return CompanyRef(name=employer.name or f"Firm {number}", domain=employer.domain)


def _past(rng: Random, companies: dict[int, Firm]) -> PastJob:
    """Return a former job at a stored company, or at one that is only named."""
    title = _maybe(rng, 0.8, _title(rng, 0))
    if companies and rng.random() < 0.6:
        number = rng.choice(list(companies))
        employer = companies[number].record
        named = rng.random() < 0.5
        ref = CompanyRef(
            name=(employer.name if named else None) or rng.choice(words.BRANDS),
            domain=employer.domain if rng.random() < 0.5 else None,
            id=number,
        )
    else:
        name = rng.choice(words.BRANDS) + rng.choice(words.FORMS)
        ref = CompanyRef(name=name, domain=_maybe(rng, 0.5, f"past{rng.randrange(5)}.test"))
    return PastJob(company=ref, job_title=title)


def _education(rng: Random) -> Education:
    start = _maybe(rng, 0.7, rng.randrange(1990, 2020))
    return Education(
        school=_maybe(rng, 0.8, rng.choice(words.SCHOOLS)),
        degree=_maybe(rng, 0.8, rng.choice(words.DEGREES)),
        field_of_study=_maybe(rng, 0.8, rng.choice(words.STUDIES)),
        start_year=start,
        graduation_year=start + rng.randint(2, 6) if start and rng.random() < 0.8 else _maybe(rng, 0.3, 2005),
    )


def _band(rng: Random, low: int, high: int) -> int | dict[str, int]:
    """Return an exact figure, a band of its own, or an open one; small ones as often as large ones."""
    figure = int(low * (high / low) ** rng.random())
    if rng.random() < 0.4:
        return figure
    if rng.random() < 0.15:
        return {"min": figure}
    return {"min": figure, "max": figure * rng.choice((1, 2, 5))}


def _revenue(rng: Random) -> Revenue | None:
    return parse_revenue(_band(rng, 100_000, 10_000_000_000))


def _funding(rng: Random) -> Funding:
    rounds = [_round(rng) for _ in range(_few(rng, 0.8, 4))]
    kind = rng.choice(words.ROUND_TYPES)
    return Funding(
        rounds=rounds,
        total_rounds=len(rounds) or None,
        total_rounds_amount=_maybe(rng, 0.6, float(rng.randrange(1, 200) * 500_000)),
        currency=rng.choice(words.CURRENCIES),
        is_ipo=_maybe(rng, 0.7, rng.random() < 0.4),
        last_round_type=_maybe(rng, 0.7, kind),
        last_round_amount=_maybe(rng, 0.6, float(rng.randrange(1, 100) * 500_000)),
        last_round_date=_maybe(rng, 0.7, _displayed_day(rng)),
    )


def _round(rng: Random) -> FundingRound:
    return FundingRound(
        currency=rng.choice(words.CURRENCIES),
        round_amount=_maybe(rng, 0.8, float(rng.randrange(1, 100) * 500_000)),
        round_type=_maybe(rng, 0.9, rng.choice(words.ROUND_TYPES)),
        round_date=_maybe(rng, 0.8, _displayed_day(rng)),
        name=_maybe(rng, 0.7, rng.choice(words.ROUND_NAMES)),
        investors=_several(rng, 0.6, words.INVESTORS),
    )


def _displayed_day(rng: Random) -> str:
    return f"{rng.choice(words.MONTHS)} {rng.randint(1, 28)}, {rng.randint(2012, 2025)}"


def _intent(rng: Random) -> dict:
    names = rng.sample(words.TOPICS, rng.randint(1, 4))
    drawn = [rng.choice((rng.randint(1, 100), round(rng.uniform(1, 100), 1))) for _ in names]
    scores = [{"topicScore": score} if rng.random() < 0.85 else {} for score in drawn]
    topics = [{"topicName": name, "metadata": score} for name, score in zip(names, scores, strict=True)]
    return {"detectedTopics": topics, "topicCount": len(names) + rng.choice((0, 0, 3))}
