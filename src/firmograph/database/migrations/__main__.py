"""Generation of a migration from the newest one to the declared tables."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command

from firmograph.database.connection import Database
from firmograph.database.schema import HEAD, alembic_config, locked, prepare


def main(message: str) -> None:
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'empty.db'}")
        prepare(database)
        with locked(database) as connection:
            config = alembic_config(connection, compare=True)
            command.revision(config, message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04}")
        database.close()


if __name__ == "__main__":
    main(sys.argv[1])
