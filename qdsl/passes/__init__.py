"""The passes: fold, annotate, calibrate, realize. Each takes a module and returns a module that prints and is well
formed."""
