"""The formatter of rule files: one style, no options. `format_text` is all that others need."""

from qdsl.lang.format.format import Formatted, FormatterFault, format_text

__all__ = ["Formatted", "FormatterFault", "format_text"]
