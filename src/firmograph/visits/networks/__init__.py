"""Networks: owners of address ranges, which the operator loads for all accounts.

Other packages use `service`.
"""
