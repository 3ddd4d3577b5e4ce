"""Table of saved quality reports."""

import sqlalchemy as sa

from firmograph.database.columns import id_column
from firmograph.database.connection import metadata

quality_reports = sa.Table(
    "quality_reports",
    metadata,
    id_column(),
    sa.Column("at", sa.Double, nullable=False),
    # JSON of `QualityFigures`: counts alone
    sa.Column("figures", sa.Text, nullable=False),
    sqlite_autoincrement=True,
)
