"""Fixed vocabularies of the API (docs/reference/filters.md#fixed-values)."""

DEPARTMENT_IDS = {
    "Business Development": 1,
    "Consulting": 2,
    "Customer Service": 3,
    "Engineering & Technical": 4,
    "Finance": 5,
    "General Management": 6,
    "Health Care & Medical": 7,
    "Human Resources": 8,
    "Information Technology": 9,
    "Legal": 10,
    "Marketing": 11,
    "Operations": 12,
    "Other": 13,
    "Product": 14,
    "Research & Analytics": 15,
    "Sales": 16,
}
"""Department numbers in webhooks. A new department gets a new number; no number is changed or used again."""

DEPARTMENTS = tuple(DEPARTMENT_IDS)

SENIORITIES = {
    10: "Founder",
    9: "C-Suite",
    8: "Vice President",
    7: "Partner",
    6: "Director",
    5: "Manager",
    4: "Senior",
    3: "Non-Manager",
    2: "Intern",
    1: "Other",
}
"""Id to the label in records; the filter catalogue has lower-case names, and `entry` for 3."""

COMPANY_TYPES = (
    "Government",
    "Private Company",
    "Public Company",
    "Educational",
    "Non Profit",
    "Self Employed",
)

BUSINESS_MODELS = ("B2B", "B2C", "B2G")

SIZE_BANDS: tuple[tuple[int, int | None], ...] = (
    (1, 10),
    (11, 50),
    (51, 200),
    (201, 500),
    (501, 1000),
    (1001, 5000),
    (5001, 10_000),
    (10_001, 100_000),
    (100_001, None),
)

TOP_SIZE_MAX = 10_000_000
"""Upper end of the open size band in records."""

_M, _B = 1_000_000, 1_000_000_000
REVENUE_BANDS: tuple[tuple[int, int | None], ...] = (
    (1, _M),
    (_M + 1, 5 * _M),
    (5 * _M + 1, 10 * _M),
    (10 * _M + 1, 50 * _M),
    (50 * _M + 1, 100 * _M),
    (100 * _M + 1, 250 * _M),
    (250 * _M + 1, 500 * _M),
    (500 * _M + 1, _B),
    (_B + 1, 10 * _B),
    (10 * _B + 1, 100 * _B),
    (100 * _B + 1, None),
)
"""US dollars a year."""
