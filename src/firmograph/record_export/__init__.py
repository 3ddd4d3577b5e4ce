"""Export of the operator's own merged records, with e-mails and phones, for nothing.

The command line imports `service`, `columns` and `native`.
"""
