"""The delivery queue: fan-out, claims, retries, results, expiry and the workers.

Other packages import `worker`, `queue`, `cancel`, `expiry` and `forecast`; the stores are private.
"""
