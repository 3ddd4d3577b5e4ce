"""The payloads of deliveries (specification 6.3, wire-b 8.2 and 8.3).

They are put together from stored events (`payload.py`, `opt_outs.py`); the structs here describe them in the AsyncAPI
document (`asyncapi.py`) and are what tests hold them to. Events of companies are described once, for the calls.
"""

from typing import Annotated, Final, Literal, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import Shown
from firmograph.security.record_ids import Entity
from firmograph.signals.answers import Day, SignalsOfCompany
from firmograph.signals.types import COMPANY_TYPES

PayloadId = Annotated[
    str,
    Meta(
        description="The same for the same event and subscription, however often it is sent: what is received a "
        "second time is known by it",
        extra_json_schema={"format": "uuid"},
    ),
]
Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]


class Charged(Shown):
    credits_charged: Annotated[
        int, Meta(ge=0, description="0 where the account had paid for the event before")
    ]


class Payload(Shown):
    """What every delivery of a signal has around its `data`."""

    id: PayloadId
    type: Annotated[str, Meta(description="The concrete type, never `allSignals`")]
    entity_type: Literal["contact", "company"]
    entity_id: Annotated[str, Meta(description="As it was first sent when the subscription was made")]
    subscription_id: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    timestamp: Annotated[Moment, Meta(description="When the payload was made: retries do not change it")]
    billing: Charged


class NumberedDepartment(Shown):
    id: Annotated[int, Meta(description="Never changes")]
    value: str


class PromotionData(Shown, kw_only=True):
    """In deliveries ids are numbers and departments a list, unlike in the answers of the calls."""

    person_id: Annotated[int, Meta(description="The contact's legacy number")]
    current_company_id: Annotated[int, Meta(description="The company's legacy number")]
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: list[NumberedDepartment]
    previous_company_name: str
    previous_domain: str
    signal_date: Day


class CompanyChangeData(PromotionData, kw_only=True):
    previous_title: str
    current_seniority_label: str


class RemovedDatapoint(Shown):
    datapoint_id: Annotated[str, Meta(description="The e-mail address or phone number itself")]
    datapoint_type: Literal["email", "phone"]


class OptOutPayload(Shown):
    """A person opted out. Whoever was shown these data points has to remove them."""

    contact_id: str
    full_name: str
    contact_opt_out_date: Annotated[
        str,
        Meta(
            description="UTC, `YYYY-MM-DD HH:MM:SS.mmm`",
            pattern=r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$",
        ),
    ]
    contact_exposure_date: Annotated[
        str,
        Meta(
            description="When the account was first shown one of them: UTC, `YYYY-MM-DD HH:MM:SS`",
            pattern=r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$",
        ),
    ]
    datapoints: Annotated[
        list[RemovedDatapoint],
        Meta(
            description="Those that the account was shown; empty where the record had none of them any more"
        ),
    ]
    company_name: str | UnsetType = UNSET
    job_title: str | UnsetType = UNSET
    linkedin_url: str | UnsetType = UNSET
    partner_client_id: (
        Annotated[
            str | None,
            Meta(description="The partner that the subscription is for; null, or left out, for none"),
        ]
        | UnsetType
    ) = UNSET


class Acknowledgement(Shown):
    """What a receiver is asked to answer with."""

    received: Literal[True]
    timestamp: Annotated[Moment, Meta(description="When it was received")]
    webhook_id: Annotated[str, Meta(description="The payload's `id`")]


def _of_companies() -> dict[str, type[msgspec.Struct]]:
    hints = get_type_hints(SignalsOfCompany)
    fields = {field.encode_name: hints[field.name] for field in msgspec.structs.fields(SignalsOfCompany)}
    return {name: get_args(get_args(fields[name])[0])[0] for name in COMPANY_TYPES}


DATA: Final[dict[Entity, dict[str, type[msgspec.Struct]]]] = {
    Entity.CONTACT: {"promotion": PromotionData, "companyChange": CompanyChangeData},
    Entity.COMPANY: _of_companies(),
}
"""What `data` is, by type."""
