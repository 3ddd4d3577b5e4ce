"""Personal data of website visits: what people with a known e-mail address have looked at."""

from typing import Final

from firmograph.privacy.declarations import Impersonal, PersonalData, TableData
from firmograph.visits.erasure import (
    erase_visitors,
    find_page_views,
    find_sessions,
    read_page_views,
    read_sessions,
)
from firmograph.visits.salts import keep_destroyed
from firmograph.visits.tables import (
    network_parts,
    network_sources,
    visit_owners,
    visit_page_views,
    visit_salts,
    visit_sessions,
    visit_sites,
)

_CODE, _OWN_WORDS, _COMPANY = Impersonal.CODE, Impersonal.OWN_WORDS, Impersonal.COMPANY
_SITE: Final = {"site_id": "numbers a site, not a record"}

_TABLES = (
    TableData(
        visit_sites,
        impersonal=dict.fromkeys(("domain", "intent", "customers", "zone", "excluded"), _OWN_WORDS),
    ),
    # a visitor without an e-mail hash is nobody who is known
    TableData(
        visit_page_views,
        erased=("visitor",),
        impersonal={"page_views": Impersonal.KEYED_HASH},
        find=find_page_views,
        place="visits",
        read=read_page_views,
        kept=_SITE,
    ),
    TableData(
        visit_sessions,
        erased=("sessions",),
        find=find_sessions,
        place="visits",
        read=read_sessions,
        kept=_SITE,
    ),
    TableData(visit_owners, impersonal={"key": _COMPANY}, kept=_SITE),
    TableData(visit_salts, impersonal={"salt": Impersonal.CREDENTIALS}),
    TableData(network_sources, impersonal={"name": _OWN_WORDS, "version": _CODE, "file": _OWN_WORDS}),
    TableData(network_parts, impersonal={"name": _OWN_WORDS, "contents": _COMPANY}),
)

PERSONAL_DATA: Final = PersonalData(
    "visits",
    uses=("records",),
    tables=_TABLES,
    erasers=(erase_visitors,),
    preservers=(keep_destroyed,),
)
