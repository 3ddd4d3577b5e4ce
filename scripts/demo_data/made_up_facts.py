"""Dated facts about the companies that do not exist: figures, postings with locations, articles and posts.

Open data lacks dated head counts, traffic and IT spend, postings by location, and posts; these facts are made up.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from demo_data.files import Row

_NORTHWIND, _ROBOTICS, _CONTOSO = "northwind.example.com", "robotics.example.com", "contoso.example.com"
_FABRIKAM = "fabrikam.example.org"
_MONTHS = [f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13)][9:22]
"""From October 2025 to October 2026."""


def _by_month(field: str, figures: dict[str, list[int]], day: str = "") -> Iterator[Row]:
    for company, values in figures.items():
        for month, value in zip(_MONTHS, values, strict=True):
            yield {"company": company, "date" if day else "month": month + day, field: value}


def headcounts() -> Iterator[Row]:
    """Return head counts: Northwind grows all year, Contoso shrinks in the summer, Robotics stays the same."""
    return _by_month(
        "count",
        {
            _NORTHWIND: [318, 322, 330, 338, 346, 352, 361, 368, 377, 386, 395, 408, 420],
            _CONTOSO: [2480, 2475, 2470, 2468, 2470, 2465, 2460, 2452, 2440, 2180, 2150, 2140, 2135],
            _ROBOTICS: [63, 63, 64, 62, 63, 64, 64, 65, 64, 64, 63, 64, 64],
        },
        "-28",
    )


def traffic() -> Iterator[Row]:
    return _by_month(
        "visits",
        {
            _NORTHWIND: [
                61_000, 62_500, 60_100, 63_800, 62_900, 64_000, 63_100, 65_200, 64_400, 84_200, 66_000, 65_100, 88_700,
            ],
            _ROBOTICS: [5_200, 5_100, 5_300, 5_250, 5_180, 5_220, 5_240, 5_210, 5_190, 5_100, 5_050, 3_400, 3_100],
        },
    )  # fmt: skip


def it_spend() -> list[Row]:
    return [
        {"company": _NORTHWIND, "date": "2025-06-30", "value": 2_600_000, "currency": "USD"},
        {"company": _NORTHWIND, "date": "2026-06-30", "value": 3_400_000, "currency": "USD"},
        {"company": _CONTOSO, "date": "2025-06-30", "value": 24_500_000, "currency": "USD"},
        {"company": _CONTOSO, "date": "2026-06-30", "value": 21_000_000, "currency": "USD"},
    ]


_LAST_MONDAY = date(2026, 10, 19)
_WEEKS = 30
_ROLES = (
    ("Software Engineer", "Illinois"),
    ("Account Executive", "Illinois"),
    ("Field Service Technician", "Texas"),
    ("Customer Support Specialist", "Illinois"),
)


def postings() -> Iterator[Row]:
    """Return two to three postings a week at Northwind, and many for engineers in Texas in the last four weeks."""
    number = 0
    for week in range(_WEEKS):
        monday = _LAST_MONDAY - timedelta(weeks=_WEEKS - 1 - week)
        roles = [_ROLES[(week + place) % len(_ROLES)] for place in range(2 + week % 2)]
        if week >= _WEEKS - 4:
            roles += [("Senior Software Engineer", "Texas")] * (4 + 2 * (week - (_WEEKS - 4)))
        for place, (title, state) in enumerate(roles):
            number += 1
            opened = monday + timedelta(days=place % 5)
            yield {
                "company": _NORTHWIND,
                "postingId": f"NW-{number:04}",
                "title": title,
                "country": "United States",
                "state": state,
                "openDate": opened.isoformat(),
                "closeDate": (opened + timedelta(days=35)).isoformat(),
            }


def articles() -> list[Row]:
    """Return articles to classify: they name their companies, but not their events."""
    return [
        {
            "url": "https://news.example.com/northwind-contoso-partnership",
            "date": "2026-09-14",
            "title": "Northwind Example Ltd and Contoso Example Inc. announce partnership",
            "companies": [_NORTHWIND, _CONTOSO],
            "text": "Northwind Example Ltd announced a strategic partnership with Contoso "
            "Example Inc. on Monday. They will offer warehouse software together from January.",
        },
        {
            "url": "https://news.example.com/fabrikam-recall-suit",
            "date": "2026-08-03",
            "title": "Fabrikam Example GmbH sued over delivery delays",
            "companies": [_FABRIKAM],
            "text": "A customer has filed a lawsuit against Fabrikam Example GmbH over late "
            "deliveries. The company said that it would defend itself.",
        },
        {
            "url": "https://news.example.com/weather",
            "date": "2026-08-04",
            "title": "Sunny week ahead",
            "text": "It stays warm and dry until Friday.",
        },
    ]


def posts() -> list[Row]:
    return [
        {
            "url": "https://www.linkedin.com/posts/ana-maria-muestra-made-up-1",
            "date": "2026-10-20",
            "author": {
                "fullName": "Ana María Muestra",
                "linkedinUrl": "https://www.linkedin.com/in/ana-maria-muestra-made-up",
                "company": _NORTHWIND,
            },
            "text": "Our cloud migration is done: Kubernetes in production everywhere, thanks to Zoë. "
            "https://www.linkedin.com/in/zoe-placeholder-made-up",
            "summary": "Northwind has moved its systems to Kubernetes.",
            "likes": 182,
            "comments": 14,
            "shares": 9,
            "type": "post",
        },
        {
            "url": "https://www.linkedin.com/posts/john-sample-made-up-7",
            "date": "2026-09-29",
            "author": {
                "fullName": "John Sample",
                "linkedinUrl": "https://www.linkedin.com/in/john-sample-made-up",
                "company": _NORTHWIND,
            },
            "text": "Hiring account executives who know CRM and sales automation.",
            "likes": 41,
            "comments": 3,
            "shares": 2,
            "type": "post",
        },
    ]
