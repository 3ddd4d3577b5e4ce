"""Personal data of the data waterfall: values of other providers, asks for people, and who received them."""

from typing import Final

from firmograph.accounts.preservation import find_same_accounts
from firmograph.database.connection import AccountSession
from firmograph.directory import store as directory
from firmograph.privacy.declarations import (
    Deletion,
    Impersonal,
    PersonalData,
    Replacement,
    TableData,
    rows_by_number,
)
from firmograph.security.record_ids import Entity
from firmograph.waterfall.asks import ask_store, money, provider_store, value_store
from firmograph.waterfall.tables import (
    waterfall_asks,
    waterfall_calls,
    waterfall_job_asks,
    waterfall_jobs,
    waterfall_misses,
    waterfall_providers,
    waterfall_recipients,
    waterfall_states,
    waterfall_values,
)

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
    ),
    TableData(waterfall_jobs, impersonal={"token": _CODE}),
    TableData(waterfall_job_asks, kept=dict.fromkeys(("job_id", "ask_id"), "numbers an ask, not a record")),
    TableData(
        waterfall_values,
        erased=("contact_id", "contents"),
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=rows_by_number(waterfall_values.c.contact_id),
    ),
    TableData(
        waterfall_misses,
        erased=_OF_CONTACT,
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=rows_by_number(waterfall_misses.c.contact_id),
    ),
    TableData(
        waterfall_recipients,
        erased=_OF_CONTACT,
        removed=_OF_CONTACT,
        impersonal={"provider": _OWN_WORDS},
        find=rows_by_number(waterfall_recipients.c.contact_id),
    ),
    TableData(waterfall_calls, impersonal={"provider": _OWN_WORDS, "outcome": _CODE}),
)

PERSONAL_DATA: Final = PersonalData(
    "waterfall",
    uses=("accounts", "billing", "records"),
    tables=_TABLES,
    removers=(remove_asks,),
    preservers=(keep_recipients, keep_providers, void_leases),
)
