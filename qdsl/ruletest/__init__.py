"""`test` items of rule files: the graph of `given` is built, quantized and held against every line of `expect`."""
