"""Credits: plans and prices, the ledger, paid units, holds and idempotent charges.

Other packages import `ledger`, `paid_units`, `holds`, `idempotency` and `plans`; the stores and tables are private.
"""
