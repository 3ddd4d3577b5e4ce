"""Made-up records whose attributes stand together by trade, from a seed."""

from random import Random

from firmograph.directory.records import Company, CompanyLinks, CompanyRef, Contact, Count, JobTitle, Location
from firmograph.lookalikes.model.attributes import company_attributes, contact_attributes
from firmograph.lookalikes.model.learning import SampledContact
from record_factory import contact

TRADES = {
    "Software Development": (
        "cloud platform software developers analytics",
        ("Software Engineer", "Data Engineer"),
    ),
    "Hospitals and Health Care": ("clinic patients nursing surgery care", ("Head Nurse", "Surgeon")),
    "Construction": ("bridges concrete roads buildings excavation", ("Site Manager", "Crane Operator")),
}
COUNTRIES = ("US", "DE", "FR")


def made_up_company(number: int, random: Random) -> Company:
    trade = random.choice(sorted(TRADES))
    words = TRADES[trade][0].split()
    return Company(
        name=f"Unit{number} {random.choice(words)} Ltd",
        domain=f"unit{number}.example.com",
        description=f"We offer {' '.join(random.sample(words, 3))}. Mail info@unit{number}.example.com.",
        industry=trade,
        employee_count=Count(exact=random.choice((5, 40, 900))),
        location=Location(country_iso2=random.choice(COUNTRIES)),
        social_links=CompanyLinks(linkedin=f"https://www.linkedin.com/company/unit{number}"),
        year_founded=random.randint(1990, 2020),
    )


def made_up_companies(count: int, seed: int = 1) -> list[Company]:
    random = Random(seed)
    return [made_up_company(number, random) for number in range(count)]


def made_up_contacts(companies: list[Company], count: int, seed: int = 2) -> list[Contact]:
    random = Random(seed)
    made = []
    for number in range(count):
        employer = random.choice(companies)
        title = random.choice(TRADES[employer.industry or ""][1])
        one = contact(
            f"First{number}",
            f"Last{number}",
            emails=[f"person{number}@example.com"],
            linkedin=f"https://www.linkedin.com/in/person{number}",
            company=CompanyRef(name=employer.name, domain=employer.domain),
            location=employer.location,
        )
        one.job_title = JobTitle(title=title, departments=["Operations"], seniority="Non-Manager")
        made.append(one)
    return made


def sample_of(
    companies: list[Company], contacts: list[Contact]
) -> tuple[list[list[str]], list[SampledContact]]:
    """Return the attributes from which a model of these records is learnt."""
    by_domain = {company.domain: company_attributes(company) for company in companies}
    sampled = [
        SampledContact(contact_attributes(each), by_domain[each.company.domain])
        for each in contacts
        if each.company
    ]
    return list(by_domain.values()), sampled
