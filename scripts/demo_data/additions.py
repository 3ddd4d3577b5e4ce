"""What other sources add: brands' social links, technologies, and the companies that say they use them."""

from collections.abc import Iterator

from demo_data.companies import Companies, agrees, host, label_of, unite
from demo_data.files import OpenData, Row
from firmograph.directory.company_names import company_key, company_words


def add_members(data: OpenData, companies: Companies) -> None:
    """Companies of the cloud native landscape whose name and domain agree, and their X links."""
    for given in data.table("companies/cncf_landscape_items.csv.gz"):
        name = given["name"].removesuffix(" (member)").removesuffix(" (supporter)")
        domain = host(given["domain"])
        if given["category"] != "CNCF Members" or not domain or not agrees(name, domain):
            continue
        first = name.split()[0]
        # Google Cloud at google.com is Google
        own = first if company_key(first) == label_of(domain) else name
        held = companies.add({
            "sourceId": f"cncf:{domain}",
            "name": own,
            "domain": domain,
            "alternativeNames": [name] if name != own else [],
        })  # fmt: skip
        if given["twitter"]:
            held.setdefault("socialLinks", {}).setdefault(
                "x", given["twitter"].replace("twitter.com", "x.com")
            )


def add_technologies(data: OpenData, companies: Companies) -> None:
    """Technologies that companies themselves say they use, joined by domain."""
    for given in data.table("companies/technology_adopters.csv.gz"):
        domain = host(given["domain"])
        held = companies.at(domain)
        if held is None and domain and agrees(given["company"], domain):
            held = companies.add(
                {"sourceId": f"adopter:{domain}", "name": given["company"], "domain": domain}
            )
        if held:
            unite(held, "technologies", [given["technology"]])


def add_recruiting_systems(data: OpenData, companies: Companies) -> None:
    """The recruiting system of a company whose name and domain are those of a job board."""
    by_label = {label_of(row["domain"]): row for row in companies if row.get("domain")}
    for given in data.table("companies/ats_job_board_companies.csv.gz"):
        label = given["board_url"].rstrip("/").split("/")[-1].lower()
        held = by_label.get(label)
        key = company_key(given["name"])
        if held and len(key) > 4 and key == company_key(held["name"]) == label:
            unite(held, "technologies", [given["ats"]])


def add_social_links(data: OpenData, companies: Companies) -> None:
    """Links of brands, only where the brand's name and domain are the company's."""
    for given, held in _brands(data, companies):
        links = held.setdefault("socialLinks", {})
        for network in ("facebook", "twitter"):
            links.setdefault({"twitter": "x"}.get(network, network), _link(network, given[network]))
        for network in ("instagram", "youtube"):
            if given[network]:
                links.setdefault(network, [_link(network, given[network])])
        if given["linkedin"]:
            companies.add(
                {**_same(held), "linkedinUrl": f"https://www.linkedin.com/company/{given['linkedin']}"}
            )


def _same(held: Row) -> Row:
    return {"sourceId": held["sourceId"], "name": held["name"], "domain": held["domain"]}


def _brands(data: OpenData, companies: Companies) -> Iterator[tuple[dict[str, str], Row]]:
    for given in data.table("companies/brands_social_links.csv.gz"):
        domain = host(given["domain"])
        held = companies.at(domain)
        if held is None and domain and agrees(given["name"], domain):
            held = companies.named(given["name"])
            if held is None or held.get("domain") or not held["sourceId"].startswith("sp500:"):
                continue
            # a company that its list names without a domain: the brand of its very name has it
            companies.settle(held, domain)
        if held is None:
            continue
        names = (held["name"], *held.get("alternativeNames", ()))
        if any(_same_name(given["name"], name) for name in names):
            yield given, held


def _same_name(brand: str, company: str) -> bool:
    """Nestlé and Nestlé S.A., Accor and Accor Group; not Delta and Delta Galil."""
    words = company_words(company)
    if words and words[-1] in ("group", "holdings", "holding", "international", "com") and len(words) > 1:
        words = words[:-1]
    return company_key(brand) in ("".join(words), company_key(company))


def _link(network: str, handle: str) -> str | None:
    """The address of a profile; YouTube's is told by a channel id, a user or a handle."""
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
