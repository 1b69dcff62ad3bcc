"""Values in two layouts, and the pass that puts channels last where kernels like it."""

from qdsl.lower.layout.channels_last import ChannelsLast
from qdsl.lower.layout.values import turned_results_of

__all__ = ["ChannelsLast", "turned_results_of"]
