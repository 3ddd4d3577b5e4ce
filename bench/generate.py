"""Made-up contacts and companies, as native JSON Lines, the same for the same counts.

Nobody among them exists: domains are under `.test`, private addresses under `example.net`, telephone numbers
from ranges reserved for fiction. Values are skewed (`values.py`), some of them are written as untidily as in
real files, and every tenth title is one of a long tail. Every field that a prospecting filter reads
is filled, on as many records as in real data.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import msgspec

from bench.company_draws import CompanyValues
from bench.draws import Brand, ContactValues, Row
from bench.values import LAST_NAMES, WORDS, by_weight, plain, zipf

SEED = 20_260_101
VERSION = 4
"""Increased when the generator makes other rows, so that files of earlier runs are made again."""

_CHUNK = 1_000


def brands(count: int) -> list[Brand]:
    """Return the companies, largest employers first; no two have the same domain, a few have the same name."""
    rng = Random(f"{SEED} brands")
    country, forms = by_weight("countries"), WORDS["legal_forms"]
    front, end = zipf(WORDS["brand_front"], 0.2), zipf(WORDS["brand_end"], 0.2)
    surname, trade = zipf(LAST_NAMES, 0.2), zipf(WORDS["brand_trade"], 0.4)
    made, domains = [], dict[str, int]()
    for _ in range(count):
        where = country(rng.random())
        name = surname(rng.random()) if rng.random() < 0.3 else front(rng.random()) + end(rng.random())
        name += f" {trade(rng.random())}"
        if rng.random() < 0.85:
            name += f"{rng.choice((' ', ' & '))}{trade(rng.random())}"
        slug = plain(name)
        again = domains[slug] = domains.get(slug, 0) + 1
        slug = f"{slug}-{again}" if again > 1 else slug
        form = rng.choice(forms.get(where, ("", " Ltd")))
        made.append(Brand(name + form, f"{slug.replace('-', '')}.test", slug, where))
    return made


def company_rows(employers: list[Brand]) -> Iterator[Row]:
    """Yield one row for each company."""
    rng = Random(f"{SEED} companies {len(employers)}")
    random, made = rng.random, CompanyValues(rng)
    for place, brand in enumerate(employers):
        industry, sub_industry = made.industry(random())
        row: Row = {
            "sourceId": f"B{place:07d}",
            "name": brand.name,
            "domain": brand.domain if random() < 0.8 else f"https://www.{brand.domain}/",
            "location": made.place(brand.country, 0.6, 0.5),
            "employeeCount": made.size(place / len(employers)),
            "industry": industry,
            "subIndustry": sub_industry,
            "description": f"{brand.name} works in {industry.lower()} and serves customers in many places.",
        }
        if random() < 0.97:
            row["updateDate"] = made.day(random())
        if random() < 0.9:
            row["companyType"] = made.kind(random())
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
        row |= made.classes() | made.offices(brand) | made.demand()
        if random() < 0.1:
            row |= made.premium(employers)
        yield row


def contact_rows(count: int, employers: list[Brand]) -> Iterator[Row]:
    """Yield one row for each contact, at employers in random order."""
    rng = Random(f"{SEED} contacts {count}")
    random, made = rng.random, ContactValues(rng, employers)
    for place in range(count):
        first, last = made.first(random()), made.last(random())
        brand = made.brand(random())
        slug = f"{plain(first)}-{plain(last)}"
        unique = f"{place * 2_654_435_761 % (1 << 32):08x}"  # a different one for each row number
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
            row["location"] = made.place(country, 0.3, 0.2)
        if random() < 0.4:
            row["skills"] = made.several(made.skill, 2, 8)
        if random() < 0.2:
            row["previousEmployment"] = [made.past(random()) for _ in range(1 + int(random() * 3))]
        if random() < 0.25:
            row["education"] = [made.education(random()) for _ in range(1 + int(random() * 1.3))]
        if random() < 0.3:
            row["linkedinConnections"] = int(random() ** 2 * 500)
        if random() < 0.15:
            row |= made.distinctions(slug, unique)
        if random() < 0.97:
            row["updateDate"] = made.day(random())
        yield row


def write_rows(rows: Iterator[Row], path: Path, progress: Callable[[int], object]) -> None:
    """Write JSON Lines; the file gets its name only once it is complete. `progress` gets the number of further rows."""
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
