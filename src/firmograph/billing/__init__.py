"""Credits: plans and prices, the ledger, paid units, holds, exposures and idempotent charges.

Other packages import `ledger`, `paid_units`, `holds`, `idempotency`, `plans` and `types`; the rest is private.
"""
