"""Personal data of periodic jobs: none."""

from typing import Final

from firmograph.jobs.tables import duties
from firmograph.privacy.declarations import Impersonal, PersonalData, TableData

PERSONAL_DATA: Final = PersonalData("jobs", tables=(TableData(duties, impersonal={"name": Impersonal.CODE}),))
