"""Every folder of qdsl is a package, and so are the two beside it. All else stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["qdsl", "qdsl.*"]), "qdsl.grammar", "qdsl.rules"])
