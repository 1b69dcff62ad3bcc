"""Is a rule right? Small graphs of its own pattern, numbers at the ends of what may come, the float operator beside."""

from qdsl.verify.failure import Failure
from qdsl.verify.report import VerifyReport
from qdsl.verify.verify import verify

__all__ = ["Failure", "VerifyReport", "verify"]
