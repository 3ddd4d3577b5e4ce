"""The seven query shapes: what each asks for, as the body of the service's call and as values for other engines."""

from typing import Any, NamedTuple

from firmograph.directory.vocabulary import SIZE_BANDS

PATH = "/v3/contacts/prospecting"
PAGE = 25


class Shape(NamedTuple):
    """One query. Values of one list are alternatives, but all words and all technologies are asked for."""

    name: str
    country: tuple[str, ...] = ()
    city: str = ""
    seniority: tuple[int, ...] = ()
    not_seniority: int = 0
    department: str = ""
    size: tuple[int, ...] = ()
    """Places in the catalogue of bands, from 1."""
    industry: tuple[int, ...] = ()
    technologies: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Of the title, folded."""
    phone: bool = False
    work_email: bool = False
    aim: float = 5.0
    """Milliseconds."""
    against: float = 3.0
    """How many times as fast as the best other engine is aimed at."""

    def body(self) -> dict[str, Any]:
        """The JSON of the call (docs/reference/prospecting.md#request)."""
        points = [name for name, held in (("phone", self.phone), ("work_email", self.work_email)) if held]
        contacts = {
            "countries": list(self.country),
            "locations": [{"city": self.city}] if self.city else [],
            "seniorityIds": list(self.seniority),
            "departments": [self.department] if self.department else [],
            "jobTitles": [" ".join(self.words)] if self.words else [],
            "existingDataPoints": points,
        }
        bands = [SIZE_BANDS[place - 1] for place in self.size]
        companies = {
            "sizes": [{"min": low, "max": high} for low, high in bands],
            "mainIndustriesIds": list(self.industry),
            "technologies": list(self.technologies),
            "technologiesCondition": "and" if self.technologies else "",
        }
        excluded = {"seniorityIds": [self.not_seniority] if self.not_seniority else []}
        filters = {
            "contacts": _held({"include": _held(contacts), "exclude": _held(excluded)}),
            "companies": _held({"include": _held(companies)}),
        }
        return {"pagination": {"page": 0, "size": PAGE}, "filters": _held(filters)}


def _held(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


SHAPES = (
    Shape("country + two seniorities + department", country=("US",), seniority=(8, 6), department="Sales"),
    Shape(
        "three countries + two size bands + three industries + seniority",
        country=("US", "GB", "DE"),
        size=(3, 4),
        industry=(17, 9, 14),
        seniority=(6,),
    ),
    Shape("two technologies + department", technologies=("Salesforce", "Slack"), department="Marketing"),
    Shape("two title words + country", words=("software", "engineer"), country=("US",), aim=8.0),
    Shape(
        "country + has phone minus one seniority", country=("US",), phone=True, not_seniority=3, against=10.0
    ),
    Shape("one city + one industry", city="Chicago", industry=(17,)),
    Shape("country + has e-mail", country=("US",), work_email=True, against=10.0),
)
