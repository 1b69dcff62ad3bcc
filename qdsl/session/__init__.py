"""The pipeline as a person uses it: a model and samples in, a result with its module, report and calibration out."""
