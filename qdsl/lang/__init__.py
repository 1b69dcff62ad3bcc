"""The rule language: source and spans, parser, tree, diagnostics and their rendering. Knows nothing of TVM."""
