"""Tensor expressions of the heavy operators over channels-last data and packed weights."""
