"""Background work: the runner of claimed work, roles, the scheduler of periodic jobs.

Other packages import all modules except `store` and `tables`.
"""
