"""Employers in the spelling of open data."""

from demo_data.companies import Companies
from demo_data.files import Row
from firmograph.directory.company_names import company_key

NO_EMPLOYER = frozenset(
    "independent individual none self selfemployed freelance freelancer na unaffiliated personal individualcontributor "
    "independentcontributor independentconsultant student community unknown tbd retired".split()
)


def named_employer(name: str, companies: Companies) -> Row | None:
    """Return an employer as it is named, with its domain if just one company has the name."""
    if company_key(name) in (*NO_EMPLOYER, ""):
        return None
    company = companies.named(name)
    return {"name": name, "domain": company.get("domain")} if company else {"name": name}
