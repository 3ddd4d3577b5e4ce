from forked_workers import forked_workers  # noqa: F401
