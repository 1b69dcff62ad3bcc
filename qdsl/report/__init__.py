"""The report: for every operator of the original model what was done and why, as plain data with several views."""

from qdsl.report.compare import Comparison, compare
from qdsl.report.report import Report
from qdsl.report.rows import OUTCOMES, Output, Row

__all__ = ["OUTCOMES", "Comparison", "Output", "Report", "Row", "compare"]
