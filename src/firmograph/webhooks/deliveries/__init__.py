"""The delivery queue: fan-out, claims, retries, results, expiry and the workers.

Other packages import `worker`, `worker_cycle`, `cancel`, `expiry` and `forecast`; the stores are private.
"""
