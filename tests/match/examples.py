"""How many random examples a property is tried on: a few everywhere, the same ones each time; more on demand.

QDSL_EXAMPLES=20 makes twenty times as many, and other ones in every run.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

MORE = int(os.environ.get("QDSL_EXAMPLES", "1"))


def examples(count: int) -> settings:
    return settings(
        max_examples=count * MORE,
        derandomize=MORE == 1,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
