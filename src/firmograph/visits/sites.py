"""Sites: domains of accounts whose visits are tracked (rulings J 10, 11)."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from firmograph.database.connection import ACCOUNTS, AccountSession, Database
from firmograph.directory.normalise.domains import host_of, is_public_suffix
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.suggestions import suggest
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits import store
from firmograph.visits.types import Exclusions, Site

