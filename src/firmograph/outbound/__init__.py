"""HTTP requests to addresses that customers or the operator choose.

Other packages import `client`, `connector`, `failure_kinds` and `retry_after`; `address_guard` refuses private networks
to customers and `response_limit` bounds answers.
"""
