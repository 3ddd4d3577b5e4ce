"""Companies and people that do not exist, at reserved domains, for fields missing in open data.

They fill every reveal token. Telephone numbers are of the range reserved for fiction (+1 xxx 555 01xx).
"""

from demo_data.files import Row

_MONTH = "2026-07"


def _company(key: str, name: str, domain: str, city: str, state: str, **more: object) -> Row:
    return {
        "sourceId": f"made-up:{key}",
        "name": name,
        "domain": domain,
        "emailDomain": domain,
        "homepageUrl": f"https://{domain}",
        "description": "A company that does not exist, made up to show every field.",
        "location": {"country": "United States", "stateCode": state, "city": city},
        **more,
    }


def _counts(field: str, **counts: int) -> list[Row]:
    return [{field: label.replace("_", " "), "count": count} for label, count in counts.items()]


def _places(**counts: int) -> list[Row]:
    return [
        {"country": "United States", "state": state.replace("_", " "), "count": count}
        for state, count in counts.items()
    ]


def _owner(name: str, domain: str) -> Row:
    return {"name": name, "domain": domain}


_HOLDING = _owner("Northwind Example Holding Inc. (made up)", "holding.example.com")
_PARENT = _owner("Northwind Example Ltd (made up)", "northwind.example.com")


def made_up_companies() -> list[Row]:
    northwind = _company(
        "northwind", _PARENT["name"], _PARENT["domain"], "Springfield", "IL",
        alternativeNames=["Northwind Example (made up)", "NWE (made up)"],
        alternativeDomains=["northwind-example.test"],
        linkedinUrl="https://www.linkedin.com/company/northwind-example-made-up",
        socialLinks={
            "facebook": "https://www.facebook.com/northwind.example.made.up",
            "x": "https://x.com/nwe_made_up",
            "instagram": ["https://www.instagram.com/northwind_example_made_up"],
            "youtube": ["https://www.youtube.com/@northwind-example-made-up"],
            "tiktok": ["https://www.tiktok.com/@northwind-example-made-up"],
        },
        companyOffering="Warehouse software and the advice that goes with it, both made up.",
        companyType="Private Company", yearFounded=1999, employeeCount=420, linkedinFollowers=12_345,
        industry="Technology, Information & Media", subIndustry="Software Development",
        additionalIndustries=[{"industry": "Transportation & Logistics", "subIndustry": "Warehousing & Storage"}],
        specialities=["warehouse software", "stock forecasts"], keywords=["logistics", "software"],
        sicCodes=[{"code": 7372, "description": "Prepackaged Software"}],
        naicsCodes=[{"code": 513210, "description": "Software Publishers"}],
        revenueRange="$50M-$100M", businessModel=["B2B"], popularityTier=3,
        technologies=["PostgreSQL", "Kubernetes", "Salesforce"],
        phones=["+1 217 555 0100"], emails=["office@northwind.example.com"],
        additionalLocations=[{"country": "United States", "stateCode": "TX", "city": "Austin"}],
        funding={
            "rounds": [{"currency": "USD", "roundAmount": 20_000_000, "roundType": "Series B",
                        "roundDate": "Mar 3, 2021", "investors": ["Example Ventures (made up)"]}],
            "totalRounds": 1, "totalRoundsAmount": 20_000_000, "currency": "USD", "isIpo": False,
            "lastRoundType": "Series B", "lastRoundAmount": 20_000_000, "lastRoundDate": "Mar 3, 2021",
        },
        employeesByDepartment=[
            {"department": "Engineering & Technical", "count": 180}, {"department": "Sales", "count": 95},
            {"department": "Customer Service", "count": 60}, {"department": "Marketing", "count": 35},
            {"department": "Finance", "count": 20}, {"department": "Human Resources", "count": 15},
            {"department": "Operations", "count": 15},
        ],
        employeesByLocation=_places(Illinois=260, Texas=110, California=50),
        employeesBySeniority=[
            {"seniority": "C-Suite", "count": 5}, {"seniority": "Vice President", "count": 9},
            {"seniority": "Director", "count": 26}, {"seniority": "Manager", "count": 70},
            {"seniority": "Senior", "count": 110}, {"seniority": "Non-Manager", "count": 200},
        ],
        competitors=[_owner("Contoso Example Inc. (made up)", "contoso.example.com"),
                     _owner("Fabrikam Example GmbH (made up)", "fabrikam.example.org")],
        intent={"detectedTopics": [
            {"topicName": "Cloud Migration", "metadata": {"topicScore": 82, "topicTrend": "+24"}},
            {"topicName": "Supply Chain Planning", "metadata": {"topicScore": 67, "topicTrend": "-3"}},
        ], "topicCount": 2},
        estimatedAnnualItSpend={"value": 3_400_000, "currency": "USD", "valueUsd": 3_400_000},
        monthlyWebsiteTraffic={"visits": 84_200, "momChangePercent": 6.4, "month": _MONTH},
        openJobs={
            "total": 14,
            "byDepartment": [{"department": "Engineering & Technical", "count": 9},
                             {"department": "Sales", "count": 5}],
            "byLocation": _places(Illinois=8, Texas=6),
            "bySeniority": [{"seniority": "Senior", "count": 6}, {"seniority": "Non-Manager", "count": 8}],
        },
        parents=[_HOLDING],
    )  # fmt: skip
    holding = _company(
        "holding", _HOLDING["name"], _HOLDING["domain"], "Wilmington", "DE", companyType="Private Company",
        industry="Finance", subIndustry="Investment", employeeCount="51-200", yearFounded=1987,
    )  # fmt: skip
    robotics = _company(
        "robotics", "Northwind Example Robotics LLC (made up)", "robotics.example.com", "Austin", "TX",
        companyType="Private Company", industry="Manufacturing", subIndustry="Industrial Machinery & Equipment",
        employeeCount=64, parents=[_PARENT], yearFounded=2016,
        monthlyWebsiteTraffic={"visits": 5_100, "momChangePercent": -2.5, "month": _MONTH},
        openJobs={"total": 3, "byDepartment": [{"department": "Operations", "count": 3}]},
    )  # fmt: skip
    contoso = _company(
        "contoso", "Contoso Example Inc. (made up)", "contoso.example.com", "Boise", "ID", companyType="Public Company",
        industry="Retail & Wholesale Trade", subIndustry="Wholesale Import & Export", employeeCount="1001-5000",
        revenueRange="$250M-$500M", competitors=[_PARENT],
        estimatedAnnualItSpend={"value": 21_000_000, "currency": "USD", "valueUsd": 21_000_000},
        employeesByDepartment=[{"department": "Operations", "count": 900}, {"department": "Sales", "count": 400}],
    )  # fmt: skip
    fabrikam = {
        **_company("fabrikam", "Fabrikam Example GmbH (made up)", "fabrikam.example.org", "Berlin", ""),
        "location": {"country": "Germany", "city": "Berlin"}, "companyType": "Private Company",
        "industry": "Manufacturing", "subIndustry": "Motor Vehicles", "employeeCount": "201-500",
        "intent": {"detectedTopics": [
            {"topicName": "Fleet Electrification", "metadata": {"topicScore": 71, "topicTrend": "+9"}},
        ], "topicCount": 1},
    }  # fmt: skip
    relief = _company(
        "relief", "Example Relief Fund (made up)", "example.org", "Tacoma", "WA", companyType="Non Profit",
        industry="Community & Nonprofit Organizations", employeeCount="11-50",
    )  # fmt: skip
    return [northwind, holding, robotics, contoso, fabrikam, relief]


_PEOPLE = (
    ("Jane", "Example", "Chief Executive Officer", "northwind.example.com", "Northwind Example Ltd (made up)", 1),
    ("John", "Sample", "VP of Sales and Marketing", "northwind.example.com", "Northwind Example Ltd (made up)", 2),
    ("Ana María", "Muestra", "Head of Engineering", "northwind.example.com", "Northwind Example Ltd (made up)", 3),
    ("Zoë", "Placeholder", "Senior Software Engineer", "northwind.example.com", "Northwind Example Ltd (made up)", 4),
    ("William", "Specimen", "Product Manager", "northwind.example.com", "Northwind Example Ltd (made up)", 5),
    ("Priya", "Illustration", "Chief Financial Officer", "holding.example.com", _HOLDING["name"], 6),
    ("Lars", "Beispiel", "Plant Manager", "robotics.example.com", "Northwind Example Robotics LLC (made up)", 7),
    ("Mary", "Madeup", "Robotics Engineering Intern", "robotics.example.com",
     "Northwind Example Robotics LLC (made up)", 8),
    ("Robert", "Fictional", "Founder & President", "contoso.example.com", "Contoso Example Inc. (made up)", 9),
    ("Grace", "Invented", "Account Executive", "contoso.example.com", "Contoso Example Inc. (made up)", 10),
    ("Jürgen", "Muster", "Geschäftsführer", "fabrikam.example.org", "Fabrikam Example GmbH (made up)", 11),
    ("Noor", "Pretend", "Executive Director", "example.org", "Example Relief Fund (made up)", 12),
)  # fmt: skip
_FOLDED = str.maketrans("áéíóúñüëä", "aeiounuea")


def made_up_contacts() -> list[Row]:
    return [_contact(*person) for person in _PEOPLE]


def _contact(first: str, last: str, title: str, domain: str, company: str, number: int) -> Row:
    name = f"{first} {last}".lower().translate(_FOLDED)
    row: Row = {
        "sourceId": f"made-up:{number:02}",
        "firstName": first,
        "lastName": last,
        "jobTitle": {"title": title, "startDate": f"20{10 + number}-02-01"},
        "company": {"name": company, "domain": domain},
        "location": {"country": "Germany" if domain == "fabrikam.example.org" else "United States"},
        "linkedinUrl": f"https://www.linkedin.com/in/{name.replace(' ', '-')}-made-up",
        "emails": [{"email": f"{name.replace(' ', '.')}@{domain}", "type": "work", "confidence": "A"}],
        "phones": [
            {"number": f"+1217555{number + 100:04}", "type": "direct"},
            {"number": f"+1512555{number + 100:04}", "type": "mobile", "doNotCall": number % 4 == 0},
        ],
        "skills": ["making things up"],
        "linkedinConnections": 40 * number,
    }
    if number == 2:
        row["emails"].append({"email": "john.sample@example.com", "type": "private", "confidence": "B"})
        row["previousEmployment"] = [
            {
                "company": {"name": "Contoso Example Inc. (made up)", "domain": "contoso.example.com"},
                "jobTitle": "Sales Manager",
            }
        ]
        row["education"] = [
            {"school": "Example University (made up)", "degree": "BSc", "graduationYear": 2008}
        ]
    return row
