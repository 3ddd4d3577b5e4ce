"""Two versions of a small data set, and all signals that their imports must yield.

Written by hand from docs/reference/signals.md and `signals/thresholds.toml`, and not from detected signals. Dates are
in 2024, so that all of them are past at any run. Posts, and the signals that scores count, expire; these are dated
relative to the day of the run.
"""

import json
from datetime import UTC, date, datetime, timedelta

from firmograph.directory.money import dollars


def days_ago(days):
    return (datetime.now(UTC).date() - timedelta(days=days)).isoformat()


POSTED_BY_ADA, POSTED_BY_BEN, KIM_ROSE = days_ago(20), days_ago(10), days_ago(30)


def person(id, full_name, company, title, day, *, name=None, **more):
    first, last = full_name.split()
    return {
        "sourceId": id,
        "firstName": first,
        "lastName": last,
        "emails": [f"{id}@mail.test"],
        "company": company and {"domain": f"{company}.test", "name": name},
        "jobTitle": title,
        "updateDate": day,
    } | more


def started(title, day):
    return {"title": title, "startDate": day}


def counts(company, **by_day):
    return [
        {"company": f"{company}.test", "date": day[1:].replace("_", "-"), "count": n}
        for day, n in by_day.items()
    ]


def visits(company, first, *months):
    return [
        {"company": f"{company}.test", "month": f"2024-{first + n:02}", "visits": v}
        for n, v in enumerate(months)
    ]


def spend(company, day, value, currency):
    return {"company": f"{company}.test", "date": day, "value": value, "currency": currency}


def job(company, id, title, day, **place):
    return {"company": f"{company}.test", "postingId": id, "title": title, "openDate": day, **place}


def weekly(weeks):
    """Return one opening at Acme and two at Globex for each week, numbered from the week of 1 January 2024."""
    rows = []
    for week in weeks:
        monday = date(2024, 1, 1) + timedelta(weeks=week)
        sunday = (monday + timedelta(6)).isoformat()
        rows += [
            job(
                "acme",
                f"a{week}",
                "Account Executive",
                monday.isoformat(),
                country="United States",
                state="California",
            ),
            job("globex", f"g{week}", "Software Engineer", monday.isoformat(), country="Germany"),
            job("globex", f"h{week}", "Software Engineer", sunday, country="Germany"),
        ]
    return rows


ADAS_POST = {
    "url": "https://www.linkedin.com/posts/ada-moss_launch-activity-7000000000000000001-aaaa",
    "date": POSTED_BY_ADA,
    "author": {"fullName": "Ada Moss", "linkedinUrl": "https://www.linkedin.com/in/ada-moss"},
    "text": "How we moved every service of ours to Kubernetes in a month.",
    "likes": 5,
}
PARTNERSHIP = {
    "url": "https://news.example.org/partnership",
    "date": "2024-02-05",
    "title": "Acme Rocketry and Globex Systems announce strategic partnership",
    "text": "Acme Rocketry announced a partnership with Globex Systems on Monday.",
}

VERSION_1 = {
    "companies": [
        {"sourceId": "acme", "name": "Acme Rocketry Inc", "domain": "acme.test"},
        {
            "sourceId": "labs",
            "name": "Acme Labs",
            "domain": "labs.test",
            "directParent": {"name": "Acme Rocketry Inc", "domain": "acme.test"},
        },
        {"sourceId": "globex", "name": "Globex Systems", "domain": "globex.test"},
        {"sourceId": "initech", "name": "Initech Software", "domain": "initech.test"},
        {"sourceId": "quiet", "name": "Quiet Harbor Ltd", "domain": "quiet.test"},
    ],
    "contacts": [
        person(
            "ada", "Ada Moss", "acme", "Sales Manager", "2024-01-10", linkedinUrl="linkedin.com/in/ada-moss"
        ),
        person("ben", "Ben Hart", "acme", "Sales Manager", "2024-01-10"),
        person("cid", "Cid Lowe", "acme", "Sofware Engineer", "2024-01-10"),
        person("dan", "Dan Reed", "acme", "Sales Director", "2024-01-10"),
        person("eve", "Eve Shaw", "acme", "Sales Manager", "2024-01-10"),
        person("gus", "Gus Cole", "labs", "Chemist", "2024-01-10"),
        person("hal", "Hal Ford", "acme", "Sales Manager", "2024-05-01"),
        person("ida", "Ida Page", "globex", "Software Engineer", "2024-01-10"),
        person("jon", "Jon Dale", "initech", "Controller", "2024-01-10"),
        person("kim", "Kim Bell", "globex", "Account Executive", "2024-01-10"),
        person("lea", "Lea Nash", "acme", "Analyst", "2024-01-10"),
    ],
    "headcounts": [
        *counts("acme", _2023_03_31=100, _2023_12_31=104),
        *counts("globex", _2024_01_15=200, _2024_02_15=180),
        *counts("initech", _2024_01_15=20),
    ],
    "jobs": weekly(range(12)),
    "traffic": [
        *visits("acme", 1, 10_000, 11_000, 9_000),
        *visits("globex", 1, 5_000, 5_000, 5_000, 5_500),
        *visits("quiet", 1, 100, 100, 100),
    ],
    "it-spend": [
        spend("acme", "2023-06-30", 1_000_000, "USD"),
        spend("globex", "2022-01-01", 500_000, "USD"),
        spend("initech", "2023-06-30", 400_000, "EUR"),
    ],
    "news": [PARTNERSHIP],
    "posts": [ADAS_POST],
}

VERSION_2 = {
    "companies": [
        {"sourceId": "initech", "name": "Initech Cloud", "domain": "initech.test"},
        {"sourceId": "quiet", "name": "Quiet Harbor Limited", "domain": "quiet.test"},
    ],
    "contacts": [
        # a new employer and a higher title: a move
        person("ada", "Ada Moss", "globex", started("Sales Director", "2024-03-01"), "2024-03-15"),
        # a promotion without a start date
        person("ben", "Ben Hart", "acme", "Sales Director", "2024-03-20"),
        # a corrected spelling, a lower title, an emptied row
        person("cid", "Cid Lowe", "acme", "Software Engineer", "2024-03-20"),
        person("dan", "Dan Reed", "acme", "Sales Manager", "2024-03-20"),
        person("eve", "Eve Shaw", None, None, "2024-03-20"),
        # a new contact
        person("fay", "Fay Wood", "acme", "Sales Director", "2024-03-20"),
        # a move to the parent company
        person("gus", "Gus Cole", "acme", "Chemist", "2024-03-20"),
        # a row older than the stored one
        person("hal", "Hal Ford", "globex", "Sales Manager", "2024-02-01"),
        # a promotion with a start date
        person("ida", "Ida Page", "globex", started("Senior Software Engineer", "2024-02-15"), "2024-03-20"),
        # an employer with a new name
        person("jon", "Jon Dale", "initech", "Controller", "2024-03-20", name="Initech Cloud"),
        person("kim", "Kim Bell", "globex", started("Sales Director", KIM_ROSE), KIM_ROSE),
        # two moves, the later one first
        person("lea", "Lea Nash", "initech", "Analyst", "2024-04-01"),
        person("lea", "Lea Nash", "globex", "Analyst", "2024-02-01"),
    ],
    "headcounts": [
        *counts("acme", _2024_01_31=110, _2024_03_31=130),
        # a corrected figure: the former signal remains; 3 more people are too few
        *counts("globex", _2024_02_15=199),
        *counts("initech", _2024_02_15=23),
    ],
    "jobs": [
        *weekly([12]),
        *(
            job("acme", f"b{n}", "Account Executive", "2024-03-26", country="US", state="CA")
            for n in range(5)
        ),
    ],
    "traffic": [
        *visits("acme", 4, 15_000),
        *visits("globex", 5, 3_000),
        *visits("quiet", 4, 900),
    ],
    "it-spend": [
        spend("acme", "2024-06-30", 1_200_000, "USD"),
        # too long after the previous estimate
        spend("globex", "2024-06-30", 900_000, "USD"),
        spend("initech", "2024-06-28", 300_000, "EUR"),
    ],
    "news": [
        # the same article under another spelling of its address
        PARTNERSHIP | {"url": "https://News.example.org/partnership/?utm_source=feed"},
        {
            "url": "https://news.example.org/funding",
            "date": "2024-03-04",
            "title": "Initech Cloud raises $30 million in Series B funding",
            "text": "Initech Cloud raised $30 million in a Series B funding round.",
        },
        {
            "url": "https://news.example.org/hire",
            "date": "2024-03-05",
            "title": "A new chief for Quiet Harbor",
            "companies": ["quiet.test"],
            "eventTypes": ["Executive Hire"],
        },
        {
            "url": "https://news.example.org/weather",
            "date": "2024-03-06",
            "title": "Rain is expected in the north",
            "text": "Rain is expected in the north until Friday.",
        },
    ],
    "posts": [
        # the author has another employer since
        ADAS_POST,
        {
            "url": "https://www.linkedin.com/posts/ben-hart_scale-activity-7000000000000000002-bbbb",
            "date": POSTED_BY_BEN,
            "author": {"fullName": "Ben Hart", "company": "acme.test"},
            "text": "Our data warehouse is now twice as fast.",
            "summary": "On data platforms.",
            "likes": 7,
        },
    ],
}

ORDER = tuple(VERSION_1)


def move(previous, current, title):
    return {"previousCompanyName": previous, "currentCompanyName": current, "currentTitle": title}


def grew(old, new, rate):
    return {"baselineEmployeesCount": old, "newEmployeesCount": new, "changeRatePercent": rate}


def surged(weeks, new, average, rate, **where):
    return {f"newJobsPostedLast{weeks}": new, "historicalAvg": average, "changeRatePercent": rate, **where}


def drew(average, new, rate):
    return {"historicalAvg": average, "lastMonthVisits": new, "changeRatePercent": rate}


def article(event, name):
    return {"eventType": event, "articleUrl": f"https://news.example.org/{name}"}


ACME, GLOBEX, INITECH = "Acme Rocketry Inc", "Globex Systems", "Initech Cloud"
US = "United States"

EXPECTED = [
    ("Ada Moss", "companyChange", "2024-03-01", move(ACME, GLOBEX, "Sales Director")),
    ("Ben Hart", "promotion", "2024-03-20", move(ACME, ACME, "Sales Director")),
    ("Ida Page", "promotion", "2024-02-15", move(GLOBEX, GLOBEX, "Senior Software Engineer")),
    ("Kim Bell", "promotion", KIM_ROSE, move(GLOBEX, GLOBEX, "Sales Director")),
    ("Lea Nash", "companyChange", "2024-02-01", move(ACME, GLOBEX, "Analyst")),
    ("Lea Nash", "companyChange", "2024-04-01", move(GLOBEX, INITECH, "Analyst")),
    (ACME, "headcountIncrease1m", "2024-01-31", grew(104, 110, 6)),
    (ACME, "headcountIncrease1m", "2024-03-31", grew(110, 130, 18)),
    (ACME, "headcountIncrease3m", "2024-03-31", grew(104, 130, 25)),
    (ACME, "headcountIncrease12m", "2024-03-31", grew(100, 130, 30)),
    (GLOBEX, "headcountDecrease1m", "2024-02-15", grew(200, 180, -10)),
    # six openings after twelve weeks of one each; nine in four weeks after blocks of four
    (ACME, "surgeInHiring", "2024-03-31", surged("Week", 6, 1, 500)),
    (ACME, "surgeInHiringByDepartment", "2024-03-31", surged("4Weeks", 9, 4, 125, department="Sales")),
    (ACME, "surgeInHiringByLocation", "2024-03-31", surged("4Weeks", 9, 4, 125, country=US)),
    (
        ACME,
        "surgeInHiringByLocation",
        "2024-03-31",
        surged("4Weeks", 9, 4, 125, country=US, state="California"),
    ),
    (ACME, "websiteTrafficIncrease", "2024-04-30", drew(10_000, 15_000, 50)),
    (GLOBEX, "websiteTrafficDecrease", "2024-05-31", drew(5_125, 3_000, -41)),
    (ACME, "itSpendIncrease", "2024-06-30", {"estimatedAnnualItSpend": 1_200_000, "changeRatePercent": 20}),
    (
        INITECH,
        "itSpendDecrease",
        "2024-06-28",
        {"estimatedAnnualItSpend": dollars(300_000, "EUR"), "changeRatePercent": -25},
    ),
    (ACME, "commercialActivityNews", "2024-02-05", article("partnership", "partnership")),
    (GLOBEX, "commercialActivityNews", "2024-02-05", article("partnership", "partnership")),
    (INITECH, "financialEventsNews", "2024-03-04", article("funding round", "funding")),
    ("Quiet Harbor Limited", "peopleNews", "2024-03-05", article("executive hire", "hire")),
    (
        ACME,
        "linkedinActivityIntent",
        POSTED_BY_ADA,
        {
            "intentTopics": [{"topic": "Containers", "category": "Technology"}],
            "activitySummary": None,
            "activityLikes": 5,
        },
    ),
    (
        ACME,
        "linkedinActivityIntent",
        POSTED_BY_BEN,
        {
            "intentTopics": [{"topic": "Data Platforms", "category": "Data"}],
            "activitySummary": "On data platforms.",
            "activityLikes": 7,
        },
    ),
]
"""Name of the record, type, day and some fields of the event of each signal."""

FACTS = {fact for *_, facts in EXPECTED for fact in facts}


def expected_form(name, type, event, day=None):
    """Return a signal in the form of `EXPECTED`."""
    day = (
        day
        or event.get("signalDate")
        or event.get("activityPublicationDate")
        or event["articlePublishedDate"]
    )
    return name, type, day, {key: value for key, value in event.items() if key in FACTS}


def sort_signals(signals):
    return sorted(signals, key=lambda one: json.dumps(one, sort_keys=True))
