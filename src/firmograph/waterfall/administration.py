"""What operators do with the data waterfall (docs/waterfall.md#commands)."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple

import msgspec

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.directory import store as directory
from firmograph.kit.clock import DAY_SECONDS, Clock, iso
from firmograph.kit.errors import Refused
from firmograph.kit.suggestions import nearest_values
from firmograph.operator_audit.service import OperatorAudit
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.waterfall.asks import provider_store, value_store
from firmograph.waterfall.asks.contacts import AskedContact, ValueReader, read_contact
from firmograph.waterfall.asks.value_store import AskedProvider
from firmograph.waterfall.providers.types import DataPoint, Found, Miss, Person, Provider, Providers, Trouble
from firmograph.waterfall.types import EnabledProvider, ProviderCall, ProviderState

MOST_PROVIDERS: Final = 50
"""Providers of an account."""


class ListedProvider(NamedTuple):
    """Provider of an account, as operators see it."""

    enabled: EnabledProvider
    provider: Provider | None
    """None if the providers file has it no longer: it is not asked."""
    state: ProviderState
    is_resting: bool
    """Whether it is not asked for a moment, as it did not answer."""


class ReportLine(NamedTuple):
    """Asks of one provider for one account."""

    provider: str
    asks: int
    matches: int
    reused: int
    """Values of other accounts, of the matches."""
    median_ms: int | None
    credits: int
    outcomes: Mapping[str, int]
    """Number of asks by outcome."""

    @property
    def match_rate(self) -> float:
        return self.matches / self.asks if self.asks else 0.0


class Tested(NamedTuple):
    """Answer of a provider, with what would be stored of it."""

    person: Person
    answer: Found | Miss | Trouble
    values: bytes | None
    """JSON as of a record."""


class WaterfallAdministration:
    """Providers of accounts, for operators."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        audit: OperatorAudit,
        providers: Providers,
        values: ValueReader,
        record_ids: RecordIds,
    ) -> None:
        self._database = database
        self._clock = clock
        self._audit = audit
        self._providers = providers
        self._values = values
        self._record_ids = record_ids

    def enable(
        self,
        account_id: int,
        names: Sequence[str],
        only: DataPoint | None = None,
        contact_cap: int | None = None,
        day_cap: int | None = None,
    ) -> list[ListedProvider]:
        """Enable providers after those that are, in this order; of enabled ones change what is given.

        A cap of 0 lifts it. Raises Refused for a name that the providers file lacks.
        """
        for name in names:
            self._find(name)
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            enabled = {one.name: one for one in provider_store.select_enabled(own)}
            for name in dict.fromkeys(names):
                place = max((one.place for one in enabled.values()), default=0) + 1
                one = enabled.get(name) or EnabledProvider(name, place, True, True)
                if only is not None:
                    one = one._replace(emails=only == "emails", phones=only == "phones")
                if contact_cap is not None:
                    one = one._replace(contact_cap=contact_cap or None)
                if day_cap is not None:
                    one = one._replace(day_cap=day_cap or None)
                enabled[name] = one
            if len(enabled) > MOST_PROVIDERS:
                raise Refused(f"An account can have {MOST_PROVIDERS} providers at most; disable others first")
            provider_store.replace_enabled(own, enabled.values())
            self._record(own, "waterfall enable", names)
        return self.list(account_id)

    def disable(self, account_id: int, names: Sequence[str]) -> list[str]:
        """Disable providers, or all without names, and return which. Raises Refused for one that is not enabled."""
        with self._database.write(account_scope(account_id)) as session:
            own = AccountSession(session, account_id)
            enabled = provider_store.select_enabled(own)
            held = [one.name for one in enabled]
            for name in names:
                if name not in held:
                    raise Refused(
                        f"{name!r} is not enabled for this account; enabled are {', '.join(held) or 'none'}"
                    )
            ended = list(dict.fromkeys(names)) or held
            provider_store.replace_enabled(own, [one for one in enabled if one.name not in ended])
            if ended:
                self._record(own, "waterfall disable", ended)
            return ended

    def list(self, account_id: int) -> list[ListedProvider]:
        """Return the providers of an account in the order in which they are asked."""
        with self._database.read() as session:
            enabled = provider_store.select_enabled(AccountSession(session, account_id))
            states = provider_store.select_states(session, {one.name for one in enabled})
        now = self._clock.seconds()
        return [
            ListedProvider(one, self._providers.get(one.name), state, state.rests_until > now)
            for one in enabled
            for state in (states[one.name],)
        ]

    def report(self, account_id: int, days: int) -> "Sequence[ReportLine]":
        """Return the asks of each provider in the last days, by name."""
        calls: dict[str, list[ProviderCall]] = defaultdict(list)
        with self._database.read() as session:
            since = self._clock.seconds() - days * DAY_SECONDS
            for call in value_store.select_calls(AccountSession(session, account_id), since):
                calls[call.provider].append(call)
        return [_line(name, calls[name]) for name in sorted(calls)]

    def read_person(self, contact_id: str) -> AskedContact:
        """Return a held contact by id. Raises Refused for an unknown id."""
        number = self._record_ids.open(Entity.CONTACT, contact_id)
        with self._database.look() as session:
            profiles = directory.contact_profiles(session, [number]) if number is not None else {}
        if number is None or number not in profiles:
            raise Refused(f"No contact found for {contact_id!r}; ids are those of a search")
        return read_contact(profiles[number])

    async def test(self, name: str, contact: AskedContact, data_point: DataPoint) -> Tested:
        """Ask a provider for one person; nothing is charged, or stored but that it was asked.

        Raises Refused for an unknown provider, one that cannot be asked for the person, and one outside the EU for a
        person in the EU.
        """
        provider = self._find(name)
        if contact.in_eu and not provider.eu:
            raise Refused(f"{name} is not marked `eu = true`, and this person is in the EU")
        if not provider.can_ask(contact.person, data_point):
            raise Refused(f"Too little is known of this person to ask {name} for {data_point}")
        now = self._clock.seconds()
        with self._database.write(None) as session:
            self._audit.record(session, now, "waterfall test", details={"provider": name})
            if contact.number is not None:
                value_store.put_recipients(session, [AskedProvider(contact.number, name, now, now)])
        try:
            answer = await provider.ask(contact.person, data_point, str(uuid.uuid4()))
        finally:
            await self._providers.close()
        values = None
        if isinstance(answer, Found):
            with self._database.look() as session:
                values = self._values.read(session, contact, data_point, answer, iso(now)[:10])
        return Tested(contact.person, answer, values)

    def _find(self, name: str) -> Provider:
        provider = self._providers.get(name)
        if provider is None:
            names = list(self._providers.names())
            if not names:
                raise Refused("There are no providers; name a file of them in FIRMOGRAPH_PROVIDERS_FILE")
            raise Refused(
                f"The providers file has no {name!r}; did you mean {nearest_values(name, names)[0]}?"
                f" It has {', '.join(names)}"
            )
        return provider

    def _record(self, own: AccountSession, action: str, names: Sequence[str]) -> None:
        self._audit.record(
            own.session,
            self._clock.seconds(),
            action,
            account=own.account_id,
            details={"providers": ", ".join(names)},
        )


def _line(name: str, calls: Sequence[ProviderCall]) -> ReportLine:
    timed = [call.milliseconds for call in calls if call.outcome != "reused"]
    return ReportLine(
        name,
        len(calls),
        sum(call.matched for call in calls),
        sum(call.outcome == "reused" for call in calls),
        int(median(timed)) if timed else None,
        sum(call.credits for call in calls),
        dict(Counter(call.outcome for call in calls)),
    )


def person_fields(person: Person) -> dict[str, str]:
    """Return what is known of a person, by the names of the interface."""
    return {name: value for name, value in msgspec.structs.asdict(person).items() if value}
