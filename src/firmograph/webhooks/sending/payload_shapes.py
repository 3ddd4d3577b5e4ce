"""Payloads of deliveries.

See docs/reference/webhooks.md#payloads.

Payloads are composed from stored events; these structs describe them in the AsyncAPI document, and tests check payloads
against them. Company events are described by the structs of the signal endpoints.
"""

from typing import Annotated, Final, Literal, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart
from firmograph.security.record_ids import Entity
from firmograph.signals.answers import Day, SignalsOfCompany
from firmograph.signals.types import COMPANY_TYPES

PayloadId = Annotated[
    str,
    Meta(
        description="Constant for an event and a subscription over all attempts; use it to detect duplicates",
        extra_json_schema={"format": "uuid"},
    ),
]
Moment = Annotated[str, Meta(description="UTC, ISO 8601", extra_json_schema={"format": "date-time"})]


class DeliveryBilling(ResponsePart):
    credits_charged: Annotated[int, Meta(ge=0, description="0 if the account had already paid for the event")]


class Payload(ResponsePart):
    """Envelope around the `data` of a signal delivery."""

    id: PayloadId
    type: Annotated[str, Meta(description="Concrete type, never `allSignals`")]
    entity_type: Literal["contact", "company"]
    entity_id: Annotated[str, Meta(description="As sent when the subscription was created")]
    subscription_id: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    timestamp: Annotated[Moment, Meta(description="Time of composition; retries do not change it")]
    billing: DeliveryBilling


class NumberedDepartment(ResponsePart):
    id: Annotated[int, Meta(description="Constant")]
    value: str


class PromotionData(ResponsePart, kw_only=True):
    """Data of a promotion, with numeric ids and a list of departments."""

    person_id: Annotated[int, Meta(description="Legacy number of the contact")]
    current_company_id: Annotated[int, Meta(description="Legacy number of the company")]
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


class RemovedDatapoint(ResponsePart):
    datapoint_id: Annotated[str, Meta(description="The e-mail address or phone number")]
    datapoint_type: Literal["email", "phone"]


class OptOutPayload(ResponsePart):
    """Opt-out of a person; recipients must remove the listed data points."""

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
            description="First time the account was shown one of them: UTC, `YYYY-MM-DD HH:MM:SS`",
            pattern=r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$",
        ),
    ]
    datapoints: Annotated[
        list[RemovedDatapoint],
        Meta(description="Data points that the account was shown; empty if the record no longer had any"),
    ]
    company_name: str | UnsetType = UNSET
    job_title: str | UnsetType = UNSET
    linkedin_url: str | UnsetType = UNSET
    partner_client_id: (
        Annotated[
            str | None,
            Meta(description="Partner of the exposure; null or absent for none"),
        ]
        | UnsetType
    ) = UNSET


class Acknowledgement(ResponsePart):
    """Expected response body of a receiver."""

    received: Literal[True]
    timestamp: Annotated[Moment, Meta(description="Time of receipt")]
    webhook_id: Annotated[str, Meta(description="The payload's `id`")]


def _of_companies() -> dict[str, type[msgspec.Struct]]:
    hints = get_type_hints(SignalsOfCompany)
    fields = {field.encode_name: hints[field.name] for field in msgspec.structs.fields(SignalsOfCompany)}
    return {name: get_args(get_args(fields[name])[0])[0] for name in COMPANY_TYPES}


DATA: Final[dict[Entity, dict[str, type[msgspec.Struct]]]] = {
    Entity.CONTACT: {"promotion": PromotionData, "companyChange": CompanyChangeData},
    Entity.COMPANY: _of_companies(),
}
"""Struct of `data`, by type."""
