"""Personal data of the data waterfall: values of other providers, asks for people, and who received them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from firmograph.accounts.preservation import find_same_accounts
from firmograph.database.connection import AccountSession, Session
from firmograph.directory import store as directory
from firmograph.privacy.declarations import (
    Deletion,
    Erasure,
    Impersonal,
    People,
    PersonalData,
    Recipient,
    RecipientKind,
    Replacement,
    TableData,
    rows_by_key,
    rows_by_number,
)
from firmograph.security.record_ids import Entity
from firmograph.waterfall.asks import ask_store, money, provider_store, value_store
from firmograph.waterfall.asks.value_keys import EMAILS, ValueKeys, decode_values
from firmograph.waterfall.asks.value_review import replace_values
from firmograph.waterfall.asks.value_store import HeldValue
from firmograph.waterfall.tables import (
    waterfall_asks,
    waterfall_calls,
    waterfall_job_asks,
    waterfall_jobs,
    waterfall_misses,
    waterfall_providers,
    waterfall_recipients,
    waterfall_states,
    waterfall_value_keys,
    waterfall_values,
)

Values = list[dict[str, Any]]

_CODE, _OWN_WORDS = Impersonal.CODE, Impersonal.OWN_WORDS


def remove_asks(deletion: Deletion) -> None:
    """Delete all about contacts: open asks release what they hold, and answers on their way are dropped."""
    if deletion.entity is not Entity.CONTACT:
        return
    money.release_open(
        deletion.session, ask_store.select_of_contacts(deletion.session, deletion.numbers), deletion.at
    )
    ask_store.delete_of_contacts(deletion.session, deletion.numbers)
    value_store.delete_of_contacts(deletion.session, deletion.numbers)


def keep_recipients(replacement: Replacement) -> None:
    """Keep in a copy which providers were asked for the people that it holds."""
    if replacement.same_origin:
        recipients = value_store.select_recipients(replacement.replaced)
        held = directory.existing_contacts(replacement.copy, {one.contact_id for one in recipients})
        value_store.put_recipients(replacement.copy, [one for one in recipients if one.contact_id in held])


def keep_providers(replacement: Replacement) -> None:
    """Let a copy ask only the providers that are enabled in the replaced database."""
    replaced, copy = replacement.replaced, replacement.copy
    for account_id in sorted(find_same_accounts(replaced, copy)) if replacement.same_origin else ():
        enabled = provider_store.select_enabled(AccountSession(replaced, account_id))
        provider_store.replace_enabled(AccountSession(copy, account_id), enabled)


def void_leases(replacement: Replacement) -> None:
    """Void the claims of workers that still ask for the replaced database."""
    ask_store.void_leases(replacement.copy)


def erase_values(erasure: Erasure) -> None:
    """Delete the e-mail addresses of the people from values of others, which providers found under another name."""
    keys = ValueKeys(erasure.people.digests)
    for held, _, kept in _values_with(erasure.session, erasure.people):
        replace_values(erasure.session, keys, held, kept)


def _values_with(session: Session, people: People) -> Iterator[tuple[HeldValue, Values, Values]]:
    """Yield values of other contacts with e-mail addresses of the people: which these are, and the others."""
    keys = ValueKeys(people.digests)
    for held in value_store.select_with_key(session, EMAILS, people.keys):
        if held.value.contact_id not in people.records:
            values = decode_values(held.value.contents)
            named = [each for each in values if not keys.of_value(EMAILS, each).isdisjoint(people.keys)]
            yield held, named, [each for each in values if each not in named]


def find_values(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the values of the people, and their addresses among values of others."""
    for held in value_store.select_of(session, people.records):
        yield {"account_id": held.account_id, **held.value._asdict()}
    for held, named, _ in _values_with(session, people):
        row = {"account_id": held.account_id, **held.value._asdict(), "contents": msgspec.json.encode(named)}
        yield {name: value for name, value in row.items() if name != "contact_id"}


def find_keys(session: Session, people: People) -> Iterator[Mapping[str, Any]]:
    """Yield the keys of the values that `find_values` yields."""
    yield from rows_by_number(waterfall_value_keys.c.contact_id)(session, people)
    of_others = rows_by_key(waterfall_value_keys.c.digest)(session, people)
    for row in of_others:
        if row["data_point"] == EMAILS and row["contact_id"] not in people.records:
            yield {name: value for name, value in row.items() if name != "contact_id"}


def find_providers(session: Session, people: People) -> Iterator[Recipient]:
    """Yield the providers that were asked for the people, which took name, employer, and e-mail or LinkedIn URL."""
    for one in value_store.select_recipients_of(session, people.records):
        yield Recipient(RecipientKind.PROVIDER, None, one.provider, "identifiers", one.first_at, one.last_at)


_OF_CONTACT: Final = ("contact_id",)

_TABLES = (
    TableData(waterfall_providers, impersonal={"provider": _OWN_WORDS}),
    TableData(waterfall_states, impersonal={"provider": _OWN_WORDS}),
    TableData(
        waterfall_asks,
        erased=_OF_CONTACT,
        removed=_OF_CONTACT,
        impersonal={"token": _CODE, "actor": _CODE, "provider": _OWN_WORDS, "trail": _CODE},
        find=rows_by_number(waterfall_asks.c.contact_id),
        place="asks of providers",
    ),
    TableData(waterfall_jobs, impersonal={"token": _CODE}),
    TableData(waterfall_job_asks, kept=dict.fromkeys(("job_id", "ask_id"), "numbers an ask, not a record")),
    TableData(
        waterfall_values,
        erased=("contact_id", "contents"),
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=find_values,
        place="values of providers",
    ),
    TableData(
        waterfall_value_keys,
        erased=("digest", "contact_id"),
        removed=_OF_CONTACT,
        find=find_keys,
        place="values of providers",
    ),
    TableData(
        waterfall_misses,
        erased=_OF_CONTACT,
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=rows_by_number(waterfall_misses.c.contact_id),
        place="asks of providers",
    ),
    TableData(
        waterfall_recipients,
        erased=_OF_CONTACT,
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=rows_by_number(waterfall_recipients.c.contact_id),
        place="asks of providers",
    ),
    TableData(waterfall_calls, impersonal={"provider": _OWN_WORDS, "outcome": _CODE}),
)

PERSONAL_DATA: Final = PersonalData(
    "waterfall",
    uses=("accounts", "billing", "records"),
    tables=_TABLES,
    removers=(remove_asks,),
    erasers=(erase_values,),
    recipients=(find_providers,),
    preservers=(keep_recipients, keep_providers, void_leases),
)
