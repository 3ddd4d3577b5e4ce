"""Companies as rows name them: by a name, a domain or a LinkedIn page (decisions A)."""

from functools import lru_cache

from firmograph.directory.names import fold
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.places import country_code
from firmograph.directory.records import CompanyRef
from firmograph.ingest.inputs import CompanyRefInput
from firmograph.ingest.values import line, linkedin, token

# many organisations have a page there: a page's address says nothing of whose the host is
_SHARED = frozenset(
    "facebook.com linkedin.com twitter.com x.com instagram.com youtube.com tiktok.com github.com gitlab.com "
    "medium.com linktr.ee crunchbase.com wikipedia.org sites.google.com google.com goo.gl bit.ly t.me "
    "about.me angel.co wellfound.com".split()
)


@lru_cache(maxsize=65_536)
def company_host(value: str) -> str | None:
    """The host of a company's domain or web site; None for its page on a site that many share."""
    host = host_of(value)
    if host is None or "/" not in value:
        return host
    path = value.partition("://")[2].partition("/")[2] if "://" in value else value.partition("/")[2]
    bare = next((shared for shared in _SHARED if host == shared or host.endswith("." + shared)), None)
    return None if bare and path.strip("/ ") else host


_NO_COMPANY = frozenset(
    "independent,individual,self employed,selfemployed,freelance,freelancer,none,null,n a,not applicable,"
    "unemployed,retired,unknown".split(",")
)


def company_named(value: CompanyRefInput | str | None) -> CompanyRef | None:
    """A company as another row names it; None when nothing names one (decisions A).

    Text is its name, or its address if it reads like one.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return _company_text(value)
    return _company_ref(
        value.name,
        value.domain,
        value.linkedin_url,
        value.country_iso2 or value.hq_country or value.country,
        token(value.id) or token(value.lusha_company_id),
    )


def _company_text(value: str) -> CompanyRef | None:
    if "linkedin.com/" in value:
        return _company_ref(None, None, value, None)
    if "://" in value or value.startswith("www."):
        return _company_ref(None, value, None, None)
    return _company_ref(value, None, None, None)


@lru_cache(maxsize=32_768)
def _company_ref(
    name: str | None, domain: str | None, page: str | None, country: str | None, token: str | None = None
) -> CompanyRef | None:
    """Shared by all rows that name it so: never changed."""
    name = line(name)
    host = company_host(domain) if domain else None
    address = linkedin(page, "company")
    if not host and not address:
        folded = fold(name) if name else ""
        if not folded or folded in _NO_COMPANY:
            return None
    return CompanyRef(
        name=name,
        domain=host,
        linkedin_url=address,
        country_iso2=country_code(country) if country else None,
        token=token,
    )
