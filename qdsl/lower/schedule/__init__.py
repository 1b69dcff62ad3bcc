"""Schedules of the CPU kernels, one file a kind of kernel."""

from qdsl.lower.schedule.apply import ScheduleAll

__all__ = ["ScheduleAll"]
