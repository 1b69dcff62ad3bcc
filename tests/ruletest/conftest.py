"""Rule files written by a test, read as a rule set of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qdsl.ruleset import RuleSet, load_rules

SCHEMES = """
scheme act    = uint8 asymmetric per_tensor
scheme weight = int8  symmetric  per_channel narrow
scheme acc    = int32 symmetric  per_channel
scheme wide   = int32 symmetric  per_tensor 24 bits
"""

CONVOLUTION = """
rule convolution
    match     y = nn.conv2d(x, w)
    when      constant(w)
    annotate  x as act
              w as weight[O]
              y as acc[C] = x.scale * w.scale
    realize   y = nn.conv2d(centered(x), w, **y, out_dtype=int32)

rule relu
    match     y = nn.relu(x)
    annotate  y like x
    realize   y = maximum(x, x.zero)
"""

GIVEN = """
    given     x: float32[1, 4, 6, 6]
              w: const float32[4, 4, 3, 3]
              c = nn.conv2d(x, w, padding=[1, 1, 1, 1])
"""

Rules = Callable[..., RuleSet]


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """rules(text, ...): the rule set of these texts behind the usual schemes, without the stock rules."""

    def made(*texts: str) -> RuleSet:
        path = tmp_path / "own.qrule"
        path.write_text(SCHEMES + "\n".join(texts))
        return load_rules(path, stock=False)

    return made
