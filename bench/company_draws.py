"""Random values of generated companies."""

from random import Random
from typing import Any

from bench.draws import Brand, Row, Values
from bench.values import INVESTORS, KEYWORDS, SIZES, WORDS, Draw, by_weight, codes, zipf
from firmograph.directory.vocabulary import REVENUE_BANDS


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
        self.keyword = zipf(KEYWORDS, 0.8)
        self.tag = zipf([sub for _, sub in pairs], 0.8)
        self.sic: Draw[Row] = zipf(codes("sic_codes"), 0.8)
        self.naics: Draw[Row] = zipf(codes("naics_codes"), 0.8)
        self.model = by_weight("business_models")
        self.topic = zipf(WORDS["intent_topics"], 0.8)
        self.investor = zipf(INVESTORS, 0.8)
        self.round_name = by_weight("funding_names")
        self.round_type = by_weight("funding_rounds")

    def size(self, rank: float) -> Row | int | str:
        """Return employees by the company's rank from 0 to 1: an exact figure, or a band."""
        number = self._rng.random()
        exact = max(1, int(60_000 / (1 + rank * 4_000) * (0.5 + number)))
        if number < 0.5:
            return exact
        low, high = next(band for band in SIZES if exact <= band[1])
        return {"min": low, "max": high} if number < 0.9 else f"{low}-{high}"

    def revenue(self, number: float) -> Row | int | str:
        """Return dollars a year: a figure, a band of the catalogue in one of two forms, or a band of its own."""
        figure = int(10 ** (5 + self._rng.random() ** 1.5 * 6))
        if number < 0.4:
            return figure
        low, high = next(band for band in REVENUE_BANDS[:-1] if figure <= (band[1] or figure))
        if number < 0.7:
            return {"min": low, "max": high}
        if number < 0.9:
            return f"${low:,}-{high:,}"
        return {"min": figure, "max": figure * 3}

    def classes(self) -> Row:
        """Return keywords, tags, codes and the kind of customers, as often as real data have them."""
        random, row = self._rng.random, dict[str, Any]()
        if random() < 0.5:
            row["keywords"] = self.several(self.keyword, 3, 12)
        if random() < 0.3:
            row["industryTags"] = self.several(self.tag, 1, 4)
        if random() < 0.4:
            row["sicCodes"] = [self.sic(random()) for _ in range(1 + int(random() * 2))]
        if random() < 0.4:
            row["naicsCodes"] = [self.naics(random()) for _ in range(1 + int(random() * 2))]
        if random() < 0.6:
            row["businessModel"] = self.model(random()).split()
        return row

    def offices(self, brand: Brand) -> Row:
        """Return its other offices, at home more often than abroad, and its other names."""
        random, row = self._rng.random, dict[str, Any]()
        if random() < 0.3:
            row["additionalLocations"] = [
                self.place(brand.country if random() < 0.6 else self.country(random()), 0.6, 0.4)
                for _ in range(1 + int(random() ** 2 * 6))
            ]
        if random() < 0.2:
            words = brand.name.split(" ")
            initials = "".join(word[0] for word in words if word[0].isalpha()).upper()
            row["alternativeNames"] = [words[0], initials][: 1 + int(random() * 2)]
        return row

    def demand(self) -> Row:
        """Return its intent topics and its funding."""
        random, row = self._rng.random, dict[str, Any]()
        if random() < 0.3:
            topics = self.several(self.topic, 1, 8)
            row["intent"] = {
                "detectedTopics": [
                    {
                        "topicName": topic,
                        "metadata": {"topicScore": 1 + int(random() * 100), "topicTrend": "stable"},
                    }
                    for topic in topics
                ],
                "topicCount": len(topics),
            }
        if random() < 0.25:
            row["funding"] = self._funding()
        return row

    def _funding(self) -> Row:
        random = self._rng.random
        rounds = sorted((self._round() for _ in range(1 + int(random() ** 2 * 5))), key=_day_of)
        last = rounds[-1]
        return {
            "rounds": rounds,
            "totalRounds": len(rounds),
            "totalRoundsAmount": sum(one["roundAmount"] for one in rounds),
            "currency": "USD",
            "isIpo": random() < 0.08,
            "lastRoundType": last["roundType"],
            "lastRoundAmount": last["roundAmount"],
            "lastRoundDate": last["roundDate"],
        }

    def _round(self) -> Row:
        random = self._rng.random
        made = {
            "currency": "USD",
            "roundAmount": int(10 ** (5 + random() * 3.5)),
            "roundType": self.round_type(random()),
            "roundDate": f"{2010 + int(random() ** 0.5 * 15)}-{1 + int(random() * 12):02d}-15",
            "name": self.round_name(random()),
        }
        return made | ({"investors": self.several(self.investor, 1, 4)} if random() < 0.7 else {})

    def premium(self, known_brands: list[Brand]) -> Row:
        """Return data points that are only shown when revealed, for the few companies that have them."""
        rng = self._rng
        owner, rival = rng.choice(known_brands), rng.choice(known_brands)
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
        }


def _day_of(one: Row) -> str:
    return str(one["roundDate"])
