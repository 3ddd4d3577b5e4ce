"""Training: learns the next similarity model from the records and puts it in force."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import structlog

from firmograph.database.connection import Database, Session
from firmograph.indexing.record_sample import (
    companies_of,
    highest_numbers,
    sample_companies,
    sample_contacts,
)
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.worker_process import Report
from firmograph.lookalikes.model import store
from firmograph.lookalikes.model.attributes import Attribute, company_attributes, contact_attributes
from firmograph.lookalikes.model.learning import MIN_RECORDS, SampledContact, learn
from firmograph.lookalikes.model.similarity_model import SimilarityModel, UnknownFormat

log = structlog.get_logger("firmograph.lookalikes")

SAMPLE_SIZE: Final = 100_000
"""Records of each kind that a model is learnt from at most; bounds its time and memory."""
_GROWTH: Final = 2
"""Growth of the records since the last model that makes another worth learning."""

ReportProgress = Callable[[int, int], None]
"""Called with the number of sampled records read and an upper bound of all that are."""


class LearntModel(NamedTuple):
    """Encoded model with its number, and the highest record numbers when learning began."""

    number: int
    companies: int
    contacts: int
    content: bytes


def _no_report(done: int, total: int) -> None:
    pass


def newest_model(database: Database) -> SimilarityModel | None:
    """Return the model in force. Raises UnknownFormat if another release has written it."""
    stored = store.newest(database.session())
    return SimilarityModel.from_bytes(stored.content) if stored else None


def ensure_model(database: Database, clock: Clock) -> SimilarityModel:
    """Return the model in force; learn the first one if there is none, even without records.

    Processes that do so at once all return the one that was stored first.
    """
    while (model := newest_model(database)) is None:
        log.info("learning the first similarity model")
        put_in_force(database, clock, learn_next(database))
    return model


def learn_if_due(database: Database, clock: Clock, report: ReportProgress) -> None:
    """Learn a model for a command, if there is none or one is due, as servers do in the background.

    Raises Refused, with advice, if another release has written the model in force.
    """
    try:
        is_due = newest_model(database) is None or is_training_due(database.session())
    except UnknownFormat as error:
        raise Refused(
            "The similarity model was written by another release; learn one with: firmograph lookalike train"
        ) from error
    if is_due:
        # another process may have been faster, whose model is as good
        put_in_force(database, clock, learn_next(database, report))


def is_training_due(session: Session) -> bool:
    """Return whether the records of a kind have doubled since the model in force was learnt.

    False without a model: an index learns the first one when it is built.
    """
    model = store.newest_size(session)
    if model is None:
        return False
    companies, contacts = highest_numbers(session)
    return companies >= max(MIN_RECORDS, _GROWTH * model.companies) or contacts >= max(
        MIN_RECORDS, _GROWTH * model.contacts
    )


def learn_next(
    database: Database, report: ReportProgress = _no_report, sample_size: int = SAMPLE_SIZE
) -> LearntModel:
    """Learn the model after the one in force. Exceptions of `report` are passed on."""
    number = store.newest_number(database.session()) + 1
    companies, contacts = highest_numbers(database.session())
    total = min(companies, sample_size) + min(contacts, sample_size)
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done % 1_000 == 0:
            report(min(done, total), total)

    reader = _SampleReader(database, sample_size, count)
    model = learn(reader.companies(), reader.contacts(), company_count=companies, contact_count=contacts)
    report(total, total)
    return LearntModel(number, companies, contacts, model.with_number(number).to_bytes())


def put_in_force(database: Database, clock: Clock, model: LearntModel) -> bool:
    """Store a model. Returns False if another process has stored one of this number first."""
    with database.write(None) as session:
        return insert_learnt(session, clock, model)


def insert_learnt(session: Session, clock: Clock, model: LearntModel) -> bool:
    """Store a model in a transaction of the caller; see `put_in_force`."""
    stored = store.StoredModel(model.number, clock.seconds(), model.companies, model.contacts, model.content)
    return store.insert_model(session, stored)


def learn_in_process(report: Report, url: str) -> LearntModel:
    """Learn the next model in a process of its own."""
    database = Database(url)
    try:
        return learn_next(database, report)
    finally:
        database.close()


class _SampleReader:
    """Attributes of sampled records. Equal attributes share one text, as there are millions."""

    def __init__(self, database: Database, sample_size: int, count: Callable[[], None]) -> None:
        self._database = database
        self._sample_size = sample_size
        self._count = count
        self._texts: dict[Attribute, Attribute] = {}

    def companies(self) -> Iterator[tuple[Attribute, ...]]:
        for company in sample_companies(self._database, self._sample_size):
            self._count()
            yield self._shared(company_attributes(company))

    def contacts(self) -> Iterator[SampledContact]:
        for batch in sample_contacts(self._database, self._sample_size):
            numbers = sorted({each.company for each in batch if each.company is not None})
            employers = {
                number: self._shared(company_attributes(company))
                for number, company in companies_of(self._database, numbers).items()
            }
            for each in batch:
                self._count()
                employer = employers.get(each.company, ()) if each.company is not None else ()
                yield SampledContact(self._shared(contact_attributes(each.contact)), employer)

    def _shared(self, attributes: list[Attribute]) -> tuple[Attribute, ...]:
        return tuple(self._texts.setdefault(each, each) for each in attributes)
