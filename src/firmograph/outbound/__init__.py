"""HTTP requests to addresses that customers choose.

Other packages import `client`; `address_guard` refuses private networks and `response_limit` bounds answers.
"""
