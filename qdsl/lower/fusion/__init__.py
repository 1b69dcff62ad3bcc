"""Which kernels become one: groups of calls around a convolution or product, narrow values between them."""

from qdsl.lower.fusion.build import FuseGroups

__all__ = ["FuseGroups"]
