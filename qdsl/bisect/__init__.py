"""Which application of which rule spoils a metric?"""

from qdsl.bisect.bisect import Bisection, bisect

__all__ = ["Bisection", "bisect"]
