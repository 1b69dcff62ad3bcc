"""Real inputs of each kind of model, made of what PyPI packages carry; the same ones on every run."""
