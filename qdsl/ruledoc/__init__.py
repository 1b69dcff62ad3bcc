"""Documentation made of rules (`document`, `pages`), and rules made of an operator's signature (`new_rule`)."""

from qdsl.ruledoc.markdown import pages
from qdsl.ruledoc.model import RuleDoc, document

__all__ = ["RuleDoc", "document", "pages"]
