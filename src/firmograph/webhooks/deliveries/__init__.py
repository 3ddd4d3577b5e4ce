"""The delivery queue: fan-out, claims, retries, results, expiry and the workers.

Other packages import `worker`, `queue`, `cancel` and `forecast`; the stores are private.
"""
