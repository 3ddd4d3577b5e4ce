"""Registration of company names: the index by which look-ups find a company under another spelling."""

from typing import Final

from firmograph.installation import Registration

REGISTRATION: Final = Registration(
    services=("firmograph.company_names.wiring",),
    server="firmograph.company_names.server_wiring",
)
