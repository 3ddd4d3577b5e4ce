"""Installations of tests: everything built by the composition root, with the tests' keys."""

from firmograph.backup.protections import Protections
from firmograph.bootstrap.assembly import make_installation
from firmograph.bootstrap.background import periodic_jobs
from firmograph.database.connection import Database
from firmograph.installation import Installation
from firmograph.jobs.scheduler import PeriodicJob, ScopedJob
from firmograph.kit.clock import Clock
from firmograph.privacy.suppression import Suppression
from firmograph.privacy.taken_back import TakenBack
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings
from record_factory import KEYRING


def installation_of(database: Database, clock: Clock | None = None, **settings: object) -> Installation:
    """Return the installation of a database with its schema, with these settings."""
    return make_installation(Settings(**settings), database, KEYRING, clock)


def jobs_of(database: Database, clock: Clock | None = None) -> list[PeriodicJob | ScopedJob]:
    """Return the periodic jobs of the installation of a database."""
    return periodic_jobs(installation_of(database, clock))


def make_suppression(database: Database, keyring: Keyring, clock: Clock) -> Suppression:
    """Return the suppression with the erasers of all packages."""
    return make_installation(Settings(), database, keyring, clock).get(Suppression)


def make_protections() -> Protections:
    """Return what a restore preserves of the data of all packages."""
    return installation_of(Database("sqlite:///unused.db")).get(Protections)


def make_taken_back() -> TakenBack:
    """Return what keeps removed sources and undone imports out of restored copies."""
    return installation_of(Database("sqlite:///unused.db")).get(TakenBack)


JOB_NAMES = sorted(job.name for job in jobs_of(Database("sqlite:///unused.db")))
