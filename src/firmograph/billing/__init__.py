"""Credits: charged calls, plans and prices, ledger, paid units, holds, exposures and idempotency.

Other packages import `charged_call`, `ledger`, `paid_units`, `holds`, `idempotency`, `plans` and `types`; the rest is
private.
"""
