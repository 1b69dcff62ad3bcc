"""Accuracy beside ONNX Runtime and NNCF on real models: `make accuracy` writes docs/accuracy.md."""
