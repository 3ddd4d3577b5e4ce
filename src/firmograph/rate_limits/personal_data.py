"""Personal data of rate limits: none."""

from typing import Final

from firmograph.privacy.declarations import FileData, Impersonal, PersonalData, TableData
from firmograph.rate_limits.tables import rate_counters

PERSONAL_DATA: Final = PersonalData(
    "rate_limits",
    tables=(TableData(rate_counters, impersonal={"window": Impersonal.CODE}),),
    files=(
        FileData("rate_limits.shared_memory", "counters of accounts, shared by the workers of one `serve`"),
    ),
)
