"""The language server: what an editor asks of a rule file, answered from the parser, the checker and the operators.

Everything but `server` and what it is made of (`protocol`, `features`) knows characters and trees only, and neither
pygls nor TVM; a test is run in a process of its own.
"""
