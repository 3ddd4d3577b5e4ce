"""Records that fill every field that a filter reads, from small vocabularies, so that values meet.

The same seed gives the same record. Nobody among them exists.
"""

from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from firmograph.directory.bands import revenue_range, size_count
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.normalise.places import normalise_location
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
from firmograph.directory.titles import derive_departments, derive_seniority
from firmograph.directory.vocabulary import BUSINESS_MODELS, COMPANY_TYPES, SENIORITIES
from firmograph.prospecting.completeness import company_points, contact_points

FIRST_NAMES = ("Anna", "José", "Søren", "Zoë", "Mary Ann", "Łukasz", "Мария", "太郎", "D'Arcy", "Ann", "Jose")
LAST_NAMES = (
    "Müller",
    "Smith",
    "Smith-Jones",
    "O’Brien",
    "García",
    "Иванова",
    "山田",
    "van der Berg",
    "Li",
    "김 철수",
)
TITLES = (
    "VP Sales", "Vice President of Sales", "Vice-President, Sales & Marketing", "Sr. Software Engineer",
    "Senior Software Engineer", "Software Engineer", "Sr Engineer, Software (Cloud)", "Head of Marketing", "CEO",
    "Chief Executive Officer", "CTO & Co-Founder", "Chief Technology Officer", "Directeur Général", "Ingénieur",
    "営業部長", "ソフトウェアエンジニア", "Director of the Board", "HR Manager", "Human Resources Manager",
    "Intern, Data Science", "Mgr, Data Science", "Owner", "V.P. of R&D", "C.E.O.", "VP、営業", "영업 부장", "The And",
)  # fmt: skip
SKILLS = (
    "Python",
    "Machine Learning",
    "Learning & Development",
    "C++",
    "Go",
    "データ分析",
    "Gestão de Projetos",
)
CERTIFICATIONS = ("PMP", "AWS Certified Developer", "Certified Scrum Master", "CPA", "Certified Developer")
AWARDS = ("Employee of the Year", "Best Paper", "Salesperson of the Year", "Prix de l'Année")
SCHOOLS = ("University of Example", "Example Institute of Technology", "École Exemple", "東京例大学")
DEGREES = ("Bachelor of Science", "BSc", "Master of Science", "MBA", "PhD")
STUDIES = ("Computer Science", "Science of Materials", "Économie", "Law")
BRANDS = (
    "Acme",
    "Globex",
    "Initech Solutions",
    "Smith & Sons",
    "Österreichische Beispiel",
    "例示商事",
    "Red Hat",
)
FORMS = ("", " Inc.", " GmbH", ", LLC", " Ltd", " S.A.")
TRADES = (
    "cloud security",
    "machine learning",
    "retail software",
    "Beratung für Öl",
    "クラウド",
    "wind energy",
)
TECHNOLOGIES = (
    "Salesforce",
    "Google Analytics",
    "Google Ads",
    "C++",
    "C#",
    "Node.js",
    "PostgreSQL",
    "Café POS",
)
TOPICS = ("Cloud Security", "Data Analytics", "CRM", "Zero Trust", "Sécurité")
INVESTORS = ("Example Capital", "Example Ventures", "Sample Partners", "Beispiel Capital")
SIC = (100, 111, 1521, 7372, 7371, 6021)
NAICS = (11, 31, 3254, 325412, 33, 541511, 541512, 54, 44, 722)
ROUND_TYPES = (
    "Pre-Seed",
    "Seed",
    "Series A",
    "Series B",
    "Series H",
    "series_c",
    "Series A1",
    "Grant",
    "Debt Financing",
)
ROUND_NAMES = (
    "Angel",
    "Venture Round",
    "Private Equity",
    "Crowdfunding",
    "Grant",
    "Debt Financing",
    "venture",
)
CURRENCIES = ("USD", "USD", "USD", None, "EUR", "GBP", "XXX")
MONTHS = ("Jan", "Feb", "Mar", "Jun", "Sep", "Dec")
PLACES = (
    ("US", "CA", "San Francisco", ("94107", "94103")),
    ("US", "CA", "Los Angeles", ("90001",)),
    ("US", "IL", "Chicago", ("60601", "60602")),
    ("US", "NY", "New York City", ("10001",)),
    ("CA", "ON", "Toronto", ("M5V 2T6",)),
    ("DE", "BY", "Munich", ("80331", "80333")),
    ("DE", "BY", "Nuremberg", ("90402",)),
    ("DE", "BE", "Berlin", ("10115",)),
    ("AT", "9", "Vienna", ("1010",)),
    ("CH", "ZH", "Zürich", ("8001",)),
    ("DK", "84", "Copenhagen", ("1050",)),
    ("FR", "IDF", "Paris", ("75001", "75002")),
    ("US", "TX", "Paris", ("75460",)),
    ("GB", "ENG", "London", ("EC1A 1BB", "SW1A1AA")),
    ("JP", "13", "Tokyo", ("100-0001",)),
    ("BR", "SP", "São Paulo", ("01310-100",)),
    ("MX", "CMX", "Mexico City", ("06000",)),
    ("IN", "KA", "Bengaluru", ("560001",)),
    ("ZA", "GP", "Johannesburg", ("2000",)),
    ("AE", "DU", "Dubai", ()),
    ("AU", "NSW", "Sydney", ("2000",)),
    ("NO", "03", "Oslo", ("0150",)),
    ("US", "CA", "Nowhere Springs", ("94107",)),
    ("US", "St. O’Elsewhere", "Springfield", ("94107",)),
    ("FJ", None, "Dateline", ("0001",)),
    ("NZ", None, "Dateline", ("0001",)),
    ("Atlantis", "Poseidonis", "Paris", ("75001",)),
)
POSITIONS = {
    "Dateline": (179.95, -17.0),
    "San Francisco": (-122.42, 37.77),
    "Chicago": (-87.63, 41.88),
    "Munich": (11.58, 48.14),
}


@dataclass(frozen=True)
class Person:
    """A contact, and the number of the company record that it works for."""

    number: int
    company: int | None
    record: Contact

    @cached_property
    def points(self) -> int:
        return contact_points(self.record)


@dataclass(frozen=True)
class Firm:
    number: int
    record: Company

    @cached_property
    def points(self) -> int:
        return company_points(self.record)


@dataclass(slots=True)
class Records:
    """All records there are, by number; and what was worked out about them, kept for one request."""

    contacts: dict[int, Person] = field(default_factory=dict)
    companies: dict[int, Firm] = field(default_factory=dict)
    centres: dict[tuple[str, str], tuple[float, float] | None] = field(default_factory=dict)
    """Of postcodes (country and code)."""
    domains: dict[str, set[int]] = field(default_factory=dict)
    """The companies of some domains."""
    staff: dict[int | None, list[Person]] = field(default_factory=dict)
    """The contacts of each company."""

    def renew(self) -> None:
        """The records may have changed since the last request."""
        self.centres.clear()
        self.domains.clear()
        self.staff.clear()
        for person in self.contacts.values():
            self.staff.setdefault(person.company, []).append(person)


def generated(seed: int, contacts: int, companies: int) -> Records:
    """Contacts numbered from 1 and companies from 1; some companies employ nobody, some contacts have none."""
    rng = Random(seed)
    records = Records()
    for number in range(1, companies + 1):
        records.companies[number] = firm(rng, number)
    for number in range(1, contacts + 1):
        records.contacts[number] = person(rng, number, records.companies)
    return records


def person(rng: Random, number: int, companies: dict[int, Firm]) -> Person:
    """Employed by one of the companies, the first of them most often, or by none."""
    held = list(companies)
    employer = held[int(rng.random() ** 2 * len(held))] if held and rng.random() < 0.85 else None
    if rng.random() < 0.04:
        return Person(number, employer, Contact(full_name=rng.choice(FIRST_NAMES)))
    first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
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
        skills=_several(rng, 0.5, SKILLS),
        certifications=_several(rng, 0.3, CERTIFICATIONS),
        awards=_several(rng, 0.3, AWARDS),
        previous_emails=[f"old{number}.{place}@example.org" for place in range(_few(rng, 0.3, 2))],
        education=[_education(rng) for _ in range(_few(rng, 0.4, 2))],
        linkedin_connections=_maybe(rng, 0.3, rng.randrange(500)),
        linkedin_followers=_maybe(rng, 0.3, rng.randrange(500)),
    )
    return Person(number, employer, record)


def firm(rng: Random, number: int) -> Firm:
    """A company of its own domain; a few are stubs, or have nothing but a name."""
    name = rng.choice(BRANDS) + rng.choice(FORMS)
    if rng.random() < 0.15:
        stub = Company(name=name, domain=_maybe(rng, 0.5, f"stub{number}.test"), stub=rng.random() < 0.6)
        return Firm(number, stub)
    others = [
        rng.choice(BRANDS) + " " + rng.choice(("Europe", "Cloud", "Holding AG"))
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
        description=_maybe(rng, 0.6, f"{name} offers {rng.choice(TRADES)} and {rng.choice(TRADES)}."),
        company_type=_maybe(rng, 0.8, rng.choice(COMPANY_TYPES)),
        year_founded=_maybe(rng, 0.7, rng.randrange(1990, 2024)),
        employee_count=_maybe(rng, 0.8, size_count(_band(rng, 1, 200_000))),
        industry=industry,
        sub_industry=_maybe(rng, 0.7, rng.choice(main.subs[:3]).name) if industry else None,
        additional_industries=[Industry(more.name, rng.choice(more.subs[:3]).name)]
        if rng.random() < 0.3
        else [],
        specialities=_several(rng, 0.5, TRADES),
        industry_tags=_several(rng, 0.4, (*TRADES[:3], "SaaS", "Öl")),
        keywords=_several(rng, 0.5, (*TRADES, "cloud", "SaaS platform")),
        sic_codes=[Code(code) for code in _several(rng, 0.6, SIC)],
        naics_codes=[Code(code) for code in _several(rng, 0.6, NAICS)],
        location=_maybe(rng, 0.85, place(rng)),
        additional_locations=[place(rng) for _ in range(_few(rng, 0.4, 3))],
        social_links=_maybe(
            rng, 0.7, CompanyLinks(linkedin=f"https://www.linkedin.com/company/firm-{number}")
        ),
        revenue_range=_maybe(rng, 0.7, _revenue(rng)),
        funding=_maybe(rng, 0.6, _funding(rng)),
        technologies=_several(rng, 0.7, TECHNOLOGIES),
        business_model=[model for model in BUSINESS_MODELS if rng.random() < 0.3],
        intent=_maybe(rng, 0.6, _intent(rng)),
        update_date=_maybe(rng, 0.8, f"202{rng.randrange(6)}-05-0{rng.randrange(1, 4)}"),
        logo_url=_maybe(rng, 0.3, f"https://firm{number}.test/logo.png"),
    )
    return Firm(number, record)


def place(rng: Random) -> Location:
    """Of every degree of detail: a city with a postcode and its position, down to a continent alone."""
    country, state, city, postcodes = rng.choice(PLACES)
    detail = rng.random()
    position = POSITIONS.get(city)
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
    """The value, on this share of the records."""
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
    title = rng.choice(TITLES)
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
    held = companies[number].record
    return CompanyRef(name=held.name or f"Firm {number}", domain=held.domain)


def _past(rng: Random, companies: dict[int, Firm]) -> PastJob:
    """A former job at a company that is held, or at one that is only named."""
    title = _maybe(rng, 0.8, _title(rng, 0))
    if companies and rng.random() < 0.6:
        number = rng.choice(list(companies))
        held = companies[number].record
        named = rng.random() < 0.5
        ref = CompanyRef(
            name=(held.name if named else None) or rng.choice(BRANDS),
            domain=held.domain if rng.random() < 0.5 else None,
            id=number,
        )
    else:
        name = rng.choice(BRANDS) + rng.choice(FORMS)
        ref = CompanyRef(name=name, domain=_maybe(rng, 0.5, f"past{rng.randrange(5)}.test"))
    return PastJob(company=ref, job_title=title)


def _education(rng: Random) -> Education:
    start = _maybe(rng, 0.7, rng.randrange(1990, 2020))
    return Education(
        school=_maybe(rng, 0.8, rng.choice(SCHOOLS)),
        degree=_maybe(rng, 0.8, rng.choice(DEGREES)),
        field_of_study=_maybe(rng, 0.8, rng.choice(STUDIES)),
        start_year=start,
        graduation_year=start + rng.randint(2, 6) if start and rng.random() < 0.8 else _maybe(rng, 0.3, 2005),
    )


def _band(rng: Random, low: int, high: int) -> int | dict[str, int]:
    """An exact figure, a band of its own, or one that is open; small ones as often as large ones."""
    figure = int(low * (high / low) ** rng.random())
    if rng.random() < 0.4:
        return figure
    if rng.random() < 0.15:
        return {"min": figure}
    return {"min": figure, "max": figure * rng.choice((1, 2, 5))}


def _revenue(rng: Random) -> Revenue | None:
    return revenue_range(_band(rng, 100_000, 10_000_000_000))


def _funding(rng: Random) -> Funding:
    rounds = [_round(rng) for _ in range(_few(rng, 0.8, 4))]
    kind = rng.choice(ROUND_TYPES)
    return Funding(
        rounds=rounds,
        total_rounds=len(rounds) or None,
        total_rounds_amount=_maybe(rng, 0.6, float(rng.randrange(1, 200) * 500_000)),
        currency=rng.choice(CURRENCIES),
        is_ipo=_maybe(rng, 0.7, rng.random() < 0.4),
        last_round_type=_maybe(rng, 0.7, kind),
        last_round_amount=_maybe(rng, 0.6, float(rng.randrange(1, 100) * 500_000)),
        last_round_date=_maybe(rng, 0.7, _shown_day(rng)),
    )


def _round(rng: Random) -> FundingRound:
    return FundingRound(
        currency=rng.choice(CURRENCIES),
        round_amount=_maybe(rng, 0.8, float(rng.randrange(1, 100) * 500_000)),
        round_type=_maybe(rng, 0.9, rng.choice(ROUND_TYPES)),
        round_date=_maybe(rng, 0.8, _shown_day(rng)),
        name=_maybe(rng, 0.7, rng.choice(ROUND_NAMES)),
        investors=_several(rng, 0.6, INVESTORS),
    )


def _shown_day(rng: Random) -> str:
    return f"{rng.choice(MONTHS)} {rng.randint(1, 28)}, {rng.randint(2012, 2025)}"


def _intent(rng: Random) -> dict:
    names = rng.sample(TOPICS, rng.randint(1, 4))
    drawn = [rng.choice((rng.randint(1, 100), round(rng.uniform(1, 100), 1))) for _ in names]
    scores = [{"topicScore": score} if rng.random() < 0.85 else {} for score in drawn]
    topics = [{"topicName": name, "metadata": score} for name, score in zip(names, scores, strict=True)]
    return {"detectedTopics": topics, "topicCount": len(names) + rng.choice((0, 0, 3))}
