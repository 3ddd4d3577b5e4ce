"""Registration of enrichment: search, enrich, and search-and-enrich."""

from firmograph.caller import Price
from firmograph.installation import Registration

REGISTRATION = Registration(
    prices={
        "companySearch": Price(credits=0, per_quantity=25),
        "contactSearch": Price(credits=0, per_quantity=25),
        "revealCompany": Price(credits=1, per_quantity=1),
        "revealCompanyPremiumData": Price(credits=1, per_quantity=1),
        "revealEmail": Price(credits=1, per_quantity=1),
        "revealPhone": Price(credits=5, per_quantity=1),
    },
    services=("firmograph.enrichment.wiring", "firmograph.waterfall.enrich_wiring"),
    server="firmograph.enrichment.server_wiring",
)
