"""Data added by other sources: brands' social links, technologies, and the companies that state their use."""

from collections.abc import Iterator

from demo_data.companies import Companies, agrees, host, label_of, unite
from demo_data.files import OpenData, Row
from firmograph.directory.company_names import company_key, company_words


def add_members(data: OpenData, companies: Companies) -> None:
    """Add companies of the cloud native landscape whose name and domain agree, with their X links."""
    for given in data.table("companies/cncf_landscape_items.csv.gz"):
        name = given["name"].removesuffix(" (member)").removesuffix(" (supporter)")
        domain = host(given["domain"])
        if given["category"] != "CNCF Members" or not domain or not agrees(name, domain):
            continue
        first = name.split()[0]
        # Google Cloud at google.com is Google
        own = first if company_key(first) == label_of(domain) else name
        company = companies.add({
            "sourceId": f"cncf:{domain}",
            "name": own,
            "domain": domain,
            "alternativeNames": [name] if name != own else [],
        })  # fmt: skip
        if given["twitter"]:
            company.setdefault("socialLinks", {}).setdefault(
                "x", given["twitter"].replace("twitter.com", "x.com")
            )


def add_technologies(data: OpenData, companies: Companies) -> None:
    """Add technologies that companies themselves state to use, joined by domain."""
    for given in data.table("companies/technology_adopters.csv.gz"):
        domain = host(given["domain"])
        company = companies.at(domain)
        if company is None and domain and agrees(given["company"], domain):
            company = companies.add(
                {"sourceId": f"adopter:{domain}", "name": given["company"], "domain": domain}
            )
        if company:
            unite(company, "technologies", [given["technology"]])


def add_recruiting_systems(data: OpenData, companies: Companies) -> None:
    """Add the recruiting system of a company whose name and domain are those of a job board."""
    by_label = {label_of(row["domain"]): row for row in companies if row.get("domain")}
    for given in data.table("companies/ats_job_board_companies.csv.gz"):
        label = given["board_url"].rstrip("/").split("/")[-1].lower()
        company = by_label.get(label)
        key = company_key(given["name"])
        if company and len(key) > 4 and key == company_key(company["name"]) == label:
            unite(company, "technologies", [given["ats"]])


def add_social_links(data: OpenData, companies: Companies) -> None:
    """Add links of brands, only if the brand's name and domain are the company's."""
    for given, company in _brands(data, companies):
        links = company.setdefault("socialLinks", {})
        for network in ("facebook", "twitter"):
            links.setdefault({"twitter": "x"}.get(network, network), _link(network, given[network]))
        for network in ("instagram", "youtube"):
            if given[network]:
                links.setdefault(network, [_link(network, given[network])])
        if given["linkedin"]:
            companies.add(
                {**_same(company), "linkedinUrl": f"https://www.linkedin.com/company/{given['linkedin']}"}
            )


def _same(company: Row) -> Row:
    return {"sourceId": company["sourceId"], "name": company["name"], "domain": company["domain"]}


def _brands(data: OpenData, companies: Companies) -> Iterator[tuple[dict[str, str], Row]]:
    for given in data.table("companies/brands_social_links.csv.gz"):
        domain = host(given["domain"])
        company = companies.at(domain)
        if company is None and domain and agrees(given["name"], domain):
            company = companies.named(given["name"])
            if company is None or company.get("domain") or not company["sourceId"].startswith("sp500:"):
                continue
            # a company listed without a domain gets the brand with exactly its name
            companies.settle(company, domain)
        if company is None:
            continue
        names = (company["name"], *company.get("alternativeNames", ()))
        if any(_same_name(given["name"], name) for name in names):
            yield given, company


def _same_name(brand: str, company: str) -> bool:
    """Compare names: Nestlé and Nestlé S.A., Accor and Accor Group match; Delta and Delta Galil do not."""
    words = company_words(company)
    if words and words[-1] in ("group", "holdings", "holding", "international", "com") and len(words) > 1:
        words = words[:-1]
    return company_key(brand) in ("".join(words), company_key(company))


def _link(network: str, handle: str) -> str | None:
    """Return the address of a profile; YouTube's is given by a channel id, a user or a handle."""
    if not handle:
        return None
    if network == "youtube":
        if handle.startswith("UC") and len(handle) == 24:
            return f"https://www.youtube.com/channel/{handle}"
        return (
            f"https://www.youtube.com/{handle.removeprefix('/')}"
            if "/" in handle
            else (f"https://www.youtube.com/@{handle.removeprefix('@')}")
        )
    site = {"twitter": "x.com", "facebook": "www.facebook.com", "instagram": "www.instagram.com"}[network]
    return f"https://{site}/{handle}"
