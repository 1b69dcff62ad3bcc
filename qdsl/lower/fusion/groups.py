"""Which nodes share a kernel. Every group has one result; everything else in it is computed on the way.

The nodes are visited against their order, each after all who read it. A node joins the group of its readers when all
are in one group and the group gains by it:

    a convolution or product ("anchor")   joins a group without one, whose nodes all have its shape
    an elementwise node                   joins where its elements are read one by one, except where it belongs to an
                                          anchor that the group cannot take: then the group reads the node's narrow
                                          result, and the node stays with its anchor
    one that widens (8 bits to 32)        joins all groups that read it, copied: reading 8 bits is cheaper
"""

from __future__ import annotations

from dataclasses import dataclass, field

from qdsl.lower.fusion.nodes import Kind, Node

_LARGEST = 300
"""Terms of the expression that a group's nodes become when they are written into one; beyond, a group is cut."""

_STEPS = 3
"""Elementwise steps that are done again rather than read wide."""


@dataclass
class Group:
    """A kernel to be."""

    result: Node
    nodes: list[Node] = field(default_factory=list)
    """All members, against their order; the result is the first."""
    anchor: Node | None = None
    """The member that is a convolution or product, or the one that the group waits for."""
    is_uniform: bool = True
    """Whether every member has the result's shape, as an anchor asks for."""
    terms: dict[int, int] = field(default_factory=dict)
    """How often each member's expression stands in the result's."""

    def holds(self, node: Node) -> bool:
        """Whether `node` is a member."""
        return node.index in self.terms

    def times(self, node: Node) -> int:
        """How often the expression of `node` would stand in the result's."""
        return sum(self.terms[reader.index] for reader in node.readers if self.holds(reader))


def find_groups(nodes: list[Node]) -> list[Group]:
    """All groups, in order of their results. Opaque nodes are in none."""
    sources = _anchors_above(nodes)
    homes: dict[int, list[Group]] = {}
    groups: list[Group] = []
    for node in reversed(nodes):
        if node.kind == Kind.OPAQUE:
            continue
        around = _readers_groups(node, homes)
        joined = [group for group in around if _may_join(node, group, sources)]
        copied = len(around) > 1
        if copied and not _widens(node):
            joined = []
        if node.is_output and not _widens(node):
            joined = []
        if node.is_output or len(joined) < len(around) or not around:
            joined.append(_new_group(node, sources))
            groups.append(joined[-1])
        for group in joined:
            _join(node, group)
        homes[node.index] = joined
    return sorted(groups, key=lambda group: group.result.index)


def _readers_groups(node: Node, homes: dict[int, list[Group]]) -> list[Group]:
    """The groups that read a node; each once."""
    found: list[Group] = []
    for reader in node.readers:
        found += [group for group in homes.get(reader.index, []) if not any(group is other for other in found)]
    return found


def _new_group(node: Node, sources: dict[int, Node]) -> Group:
    uniform = node.kind <= Kind.BROADCAST or node.kind == Kind.ANCHOR
    anchor = node if node.kind == Kind.ANCHOR else sources.get(node.index) if uniform else None
    return Group(node, anchor=anchor, is_uniform=uniform)


def _join(node: Node, group: Group) -> None:
    group.terms[node.index] = 1 if node is group.result else group.times(node)
    group.nodes.append(node)
    if node.shape != group.result.shape or node.kind in (Kind.INJECTIVE, Kind.REDUCTION):
        group.is_uniform = False


def _may_join(node: Node, group: Group, sources: dict[int, Node]) -> bool:
    readers = [reader for reader in node.readers if group.holds(reader)]
    if node.kind == Kind.ANCHOR:
        pointwise = all(reader.is_pointwise for reader in readers)
        return pointwise and group.is_uniform and node.shape == group.result.shape and group.anchor is node
    if node.kind == Kind.REDUCTION:
        followed = all(reader.is_pointwise and reader.shape == node.shape for reader in readers)
        return followed and group.is_uniform and group.anchor is None and node.shape == group.result.shape
    if any(reader.kind == Kind.ANCHOR for reader in readers):
        return False
    if sum(group.terms.values()) + group.times(node) > _LARGEST:
        return False
    if any(reader.kind == Kind.REDUCTION for reader in readers):
        return _widens(node) and node.is_pointwise
    if any(reader.elements != node.elements for reader in readers):
        return False
    if node.kind == Kind.INJECTIVE:
        return group.anchor is None and node.index not in sources
    own = sources.get(node.index)
    return own is None or (own is group.anchor and group.is_uniform) or _widens(node)


def _widens(node: Node) -> bool:
    """Whether a few elementwise steps make a node's result of a tensor that takes less memory."""
    size, steps = node.size, 0
    while node.is_pointwise and steps < _STEPS:
        same = [operand for operand in node.operands if operand.elements == node.elements]
        if len(same) != 1:
            return False
        node, steps = same[0], steps + 1
        if node.size < size:
            return True
    return False


def _anchors_above(nodes: list[Node]) -> dict[int, Node]:
    """For elementwise nodes: the last anchor of their shape that they could share a kernel with."""
    sources: dict[int, Node] = {}
    for node in nodes:
        if node.kind == Kind.ANCHOR:
            sources[node.index] = node
        elif node.is_pointwise:
            above = [
                sources[operand.index]
                for operand in node.operands
                if operand.index in sources and operand.shape == node.shape and _stays_inside(operand)
            ]
            if above:
                sources[node.index] = max(above, key=lambda anchor: anchor.index)
    return sources


def _stays_inside(node: Node) -> bool:
    """Whether all who read a node could be in its kernel."""
    return not node.is_output and all(reader.is_pointwise and reader.shape == node.shape for reader in node.readers)
