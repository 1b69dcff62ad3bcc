"""Rules that keep their promises pass, and what they were tried on is what was promised."""

from __future__ import annotations

import numpy as np

from qdsl.lang import tree
from qdsl.match.graph import shape_of
from qdsl.ruleset import RuleSet
from qdsl.verify import verify
from qdsl.verify.operands import KINDS
from qdsl.verify.scene import Scene, Stage
from qdsl.verify.trial import trials

from .conftest import Rules

CONVOLUTION = """
    rule convolution for conv in nn.conv2d, nn.conv1d_transpose
        match     y = conv(x, w)
        when      constant(w)
        annotate  x as act
                  w as weight[O]
                  y as acc[C] = x.scale * w.scale
        realize   y = conv(centered(x), w, **y, out_dtype=int32)
"""
CLIP = """
    rule clip
        match     y = clip(x, low, high)
        annotate  y like x
        realize   y = clip(x, level(low, x), level(high, x))
"""
SUM = """
    rule residual_add
        match     y = add(a, b)
        when      not constant(a) and not constant(b) and (quantized(a) or quantized(b)) and wanted(y)
        annotate  a, b as act
                  y as wide
        realize   y = rescale(a, y.scale) + rescale(b, y.scale)
"""
JOIN = """
    rule concat
        match     y = concat([parts...])
        when      wanted(y)
        annotate  share parts..., y as act
        realize   y = concat([parts...], **y)
    rule split
        match     parts... = split(x)
        when      wanted(parts...)
        annotate  x as act
                  parts... like x
        realize   parts... = split(x, **parts)
"""
NARROW = """
    rule narrow
        match     y = add{x, c}
        when      constant(c) and scalar(c) and c > 0
        annotate  x as act
                  c as float
                  y as act
        realize   y = affine(x, 1, c)
"""


def scenes(made: RuleSet, most: int = 12) -> list[Scene]:
    found = []
    for rule in made.program.rules:
        stage = Stage(made.program, rule)
        found += [s for compiled in stage.compiled() for s in stage.scenes(compiled, most)]
    return found


def test_sound_rules_are_sound(rules: Rules) -> None:
    report = verify(rules(CONVOLUTION, CLIP, SUM, JOIN, NARROW), graphs=4)
    assert [f.text() for f in report.failures] == []
    assert report.untried == ()
    assert {v.op for v in report.verified} == {"nn.conv2d", "nn.conv1d_transpose", None}
    assert all(v.scenes == 4 for v in report.verified)
    assert report.summary().endswith("all promises kept")


def test_convolutions_are_tried_in_their_layouts_strides_and_groups(rules: Rules) -> None:
    calls = [s.firing.match.places["y"].call for s in scenes(rules(CONVOLUTION)) if s.op == "nn.conv2d" and s.firing]
    layouts = {(str(c.attrs.data_layout), str(c.attrs.kernel_layout)) for c in calls}
    assert layouts >= {("NCHW", "OIHW"), ("NHWC", "HWIO"), ("NHWC", "OHWI")}
    assert {int(c.attrs.groups) for c in calls} >= {1, 2, 4}
    assert {int(c.attrs.strides[0]) for c in calls} >= {1, 2}
    assert any(int(c.attrs.padding[0]) != int(c.attrs.padding[2]) for c in calls), "a border on one side only"


def test_every_code_is_tried_on_elementwise_rules(rules: Rules) -> None:
    made = rules(CLIP)
    covered = set()
    for scene in scenes(made):
        for trial in trials(made.program, scene, (0,)):
            (x,) = trial.operands
            if x.scheme == "act":
                covered |= set(x.codes(trial.inputs[KINDS.index("every code")]["x"]).reshape(-1))
    assert covered == set(range(256))


def test_every_pair_of_codes_is_tried_on_two_operands(rules: Rules) -> None:
    made = rules(SUM)
    for scene in scenes(made):
        (trial,) = trials(made.program, scene, (0,))
        a, b = trial.operands
        sample = trial.inputs[KINDS.index("every code")]
        if a.scheme == b.scheme == "act" and a.shape == b.shape == (1, 1, 256, 256):
            pairs = set(zip(a.codes(sample["a"]).reshape(-1), b.codes(sample["b"]).reshape(-1), strict=True))
            assert len(pairs) == 256 * 256
            return
    raise AssertionError("no graph has room for every pair")


def test_zero_points_stand_at_both_ends_and_in_between(rules: Rules) -> None:
    made = rules(CONVOLUTION)
    (scene, *_) = scenes(made, 1)
    zeros = [t.operands[0].zero for t in trials(made.program, scene, (0, 1, 2, 3))]
    assert zeros[1:3] == [0, 255]
    assert 0 < zeros[0] < 255


def test_a_narrow_result_saturates_in_some_style(rules: Rules) -> None:
    made = rules(NARROW)
    (scene, *_) = scenes(made, 1)
    beyond = False
    for trial in trials(made.program, scene, (0, 1, 2, 3)):
        for inputs in trial.inputs:
            ((pair, _, reference),) = trial.run(inputs)
            assert pair.format is not None
            codes = reference / float(pair.format.scale) + pair.format.zero
            beyond = beyond or bool(np.any((codes < -1) | (codes > 256)))
    assert beyond


def test_a_guard_decides_what_is_tried(rules: Rules) -> None:
    """`c > 0` and `scalar(c)` hold in every graph, in each of the forms that a scalar may have."""
    shapes = set()
    for scene in scenes(rules(NARROW)):
        assert scene.firing is not None
        constant = scene.firing.match.value("c")
        shapes.add(shape_of(constant))
        assert float(constant.value.numpy().reshape(-1)[0]) > 0
    assert () in shapes
    assert len(shapes) > 1


def test_an_operator_without_known_shapes_is_told_not_passed_over(rules: Rules) -> None:
    report = verify(rules("rule sorted match y = sort(x) annotate x as act y like x realize y = sort(x, **y)"))
    (untried,) = report.untried
    assert (untried.scenes, untried.refused) == (0, ["no shapes are known for sort"])
    assert report.as_dict()["rules"][0]["why_not"] == "no shapes are known for sort"


def test_the_same_seed_gives_the_same_graphs_and_numbers(rules: Rules) -> None:
    made = rules(SUM)
    first, second = ([(s.choices, str(s.module)) for s in scenes(made, 6)] for _ in range(2))
    assert first == second
    scene = scenes(made, 1)[0]
    one, two = (next(iter(trials(made.program, scene, (3,), seed=5))) for _ in range(2))
    assert all(np.array_equal(a[n], b[n]) for a, b in zip(one.inputs, two.inputs, strict=True) for n in a)


def test_scenes_of_a_rule_are_those_of_its_item(rules: Rules) -> None:
    assert all(isinstance(s.item, tree.Rule) and s.item.name == "clip" for s in scenes(rules(CLIP), 3))
