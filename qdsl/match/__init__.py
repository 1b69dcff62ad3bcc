"""From a rule's match clause to matches in a Relax function: TVM patterns decide, our own walk says what was
captured."""
