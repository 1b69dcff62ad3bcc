"""Values in two layouts, and the pass that puts channels last where kernels like it."""

from qdsl.lower.layout.channels_last import ChannelsLast

__all__ = ["ChannelsLast"]
