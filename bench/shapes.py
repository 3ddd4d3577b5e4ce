"""The seven query shapes, as bodies of the service's call and as values for other engines."""

from typing import Any, NamedTuple

from firmograph.directory.vocabulary import SIZE_BANDS

PATH = "/v3/contacts/prospecting"
PAGE = 25


class Shape(NamedTuple):
    """One query. Values of one list are alternatives, but all words and all technologies are required."""

    name: str
    country: tuple[str, ...] = ()
    city: str = ""
    seniority: tuple[int, ...] = ()
    not_seniority: int = 0
    department: str = ""
    size: tuple[int, ...] = ()
    """Positions in the catalogue of bands, from 1."""
    industry: tuple[int, ...] = ()
    technologies: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Folded words of the title."""
    phone: bool = False
    work_email: bool = False
    aim: float = 5.0
    """Milliseconds."""
    against: float = 3.0
    """Aim: speed in multiples of the best other engine."""

    def body(self) -> dict[str, Any]:
        """Return the JSON of the call (docs/reference/prospecting.md#request)."""
        points = [
            name for name, required in (("phone", self.phone), ("work_email", self.work_email)) if required
        ]
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
            "contacts": _without_empty(
                {"include": _without_empty(contacts), "exclude": _without_empty(excluded)}
            ),
            "companies": _without_empty({"include": _without_empty(companies)}),
        }
        return {"pagination": {"page": 0, "size": PAGE}, "filters": _without_empty(filters)}


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
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
