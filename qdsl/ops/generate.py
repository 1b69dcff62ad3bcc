"""Read TVM's operator registry into table.json: `python -m qdsl.ops.generate`.

What is read from where:
- names and documentation: `tvm.ir.Op` of every `relax.` operator;
- operands, their names and kinds: `Op.arguments`, and for the operands that the registry leaves out (the axes of
  strided_slice) the arguments of a sample call, named after the Python wrapper's parameters;
- attributes, their types and documentation: the reflected fields of the sample call's attribute object;
- defaults: the Python wrapper's signature, since it is what a person leaves out;
- the number of results: the type that TVM infers for the sample call.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tvm
from tvm import ir, relax

from qdsl.ops.registry import EXCLUDED, OPERAND_KINDS, REQUIRED, RESULTS, sample_argument

TABLE = Path(__file__).with_name("table.json")
PREFIX = "relax."


def read_registry() -> dict[str, Any]:
    """The table as plain data, sorted by name: what table.json holds."""
    operators = {}
    for full in sorted(ir.Op.list_op_names()):
        name = full.removeprefix(PREFIX)
        if full.startswith(PREFIX) and not is_excluded(name):
            operators[name] = read_operator(name)
    return {"tvm": tvm.__version__, "operators": operators}


def is_excluded(name: str) -> bool:
    """Whether `name` (without the relax. prefix) is no operator on tensors; see EXCLUDED for the reasons."""
    return any(name == pattern or (pattern.endswith(".") and name.startswith(pattern)) for pattern in EXCLUDED)


def read_operator(name: str) -> dict[str, Any]:
    """One operator's entry."""
    op = ir.Op.get(PREFIX + name)
    wrapper = find_wrapper(name)
    signature = inspect.signature(wrapper)
    call = sample_call(op, wrapper, signature)
    operands = read_operands(op, call, signature)
    entry: dict[str, Any] = {
        "doc": first_sentence(op.description or inspect.getdoc(wrapper) or ""),
        "operands": operands,
        "attributes": read_attributes(name, call, signature),
    }
    results = RESULTS[name] if name in RESULTS else count_results(call)
    entry["results"] = None if results < 0 else results
    return entry


def find_wrapper(name: str) -> Callable[..., Any]:
    """The Python function that builds a call of the operator."""
    found: Any = relax.op
    for part in name.split("."):
        found = getattr(found, part)
    return found


def sample_call(op: ir.Op, wrapper: Callable[..., Any], signature: inspect.Signature) -> Any:
    """A call of the operator on operands of unknown shape, with every attribute at its default."""
    name = op.name.removeprefix(PREFIX)
    registered = [a.type_info for a in op.arguments] if op.arguments else []
    arguments = []
    for index, parameter in enumerate(signature.parameters.values()):
        kind = registered[index] if index < len(registered) else None
        is_tensor = kind == "Tensor" and f"{name}.{parameter.name}" not in OPERAND_KINDS
        if parameter.default is inspect.Parameter.empty or is_tensor:
            arguments.append(sample_argument(name, parameter.name, kind))
        else:
            arguments.append(parameter.default)
    return wrapper(*arguments)


def read_operands(op: ir.Op, call: Any, signature: inspect.Signature) -> list[dict[str, Any]]:
    """Names and kinds of what the call takes as arguments, in order."""
    name = op.name.removeprefix(PREFIX)
    parameters = list(signature.parameters.values())
    registered = list(op.arguments or [])
    operands = []
    for index in range(max(len(registered), len(call.args))):
        parameter = parameters[index] if index < len(parameters) else None
        if index < len(registered):
            operand, kind, doc = registered[index].name, registered[index].type_info, registered[index].description
        else:
            if parameter is None:
                raise LookupError(f"{name}: neither the registry nor the wrapper names operand {index}")
            operand, kind, doc = parameter.name, type(call.args[index]).__name__, ""
        entry = {"name": operand, "kind": OPERAND_KINDS.get(f"{name}.{operand}") or OPERAND_KINDS[kind]}
        named = signature.parameters.get(operand, parameter)
        if named is not None and named.default is not inspect.Parameter.empty and f"{name}.{operand}" not in REQUIRED:
            entry["optional"] = True
        if doc:
            entry["doc"] = first_sentence(doc)
        operands.append(entry)
    for parameter in parameters[len(operands) :]:
        known = OPERAND_KINDS.get(f"{name}.{parameter.name}")
        if known:
            operands.append({"name": parameter.name, "kind": known, "optional": True})
    return operands


def read_attributes(name: str, call: Any, signature: inspect.Signature) -> list[dict[str, Any]]:
    """Names, types and defaults of the attributes; one without a default in the wrapper must be given."""
    if call.attrs is None:
        return []
    attributes = []
    for field in reflected_fields(type(call.attrs)):
        parameter = signature.parameters.get(field.name)
        schema = json.loads(field.metadata["type_schema"])
        entry: dict[str, Any] = {"name": field.name, "type": attribute_type(field.name, schema, parameter)}
        if parameter is None:
            entry["default"] = plain(getattr(call.attrs, field.name))
        elif parameter.default is not inspect.Parameter.empty:
            entry["default"] = plain(parameter.default)
        if field.doc:
            entry["doc"] = first_sentence(field.doc)
        attributes.append(entry)
    return attributes


def reflected_fields(cls: type) -> list[Any]:
    """The fields that TVM's reflection knows of an attribute class."""
    info = getattr(cls, "__tvm_ffi_type_info__", None)
    return list(info.fields) if info is not None else []


def attribute_type(name: str, schema: dict[str, Any], parameter: inspect.Parameter | None) -> str:
    """The type in words: int, float, bool, str, dtype, ints, floats, or `int or ints` where the wrapper takes both."""
    kind, args = schema["type"], schema.get("args", [])
    if kind == "Optional":
        return attribute_type(name, args[0], parameter)
    if kind == "ffi.Array":
        inner = attribute_type(name, args[0], None) if args else "int"
        annotation = str(parameter.annotation) if parameter is not None else ""
        single = re.match(rf"{inner}\b", annotation) is not None
        return f"{inner} or {inner}s" if single else f"{inner}s"
    scalars = {
        "int": "int", "float": "float", "bool": "bool", "ffi.String": "str", "str": "str", "DataType": "dtype",
        "dtype": "dtype", "ir.FloatImm": "float", "ir.IntImm": "int", "ir.PrimExpr": "float",
    }  # fmt: skip
    if kind == "ffi.Object":
        return "int or ints" if name == "indices_or_sections" else "object"
    return scalars.get(kind, "object")


def count_results(call: Any) -> int:
    """How many tensors the call returns, by TVM's own inference."""
    inferred = relax.BlockBuilder().normalize(call).ty
    return len(inferred.fields) if isinstance(inferred, ir.TupleType) else 1


def plain(value: Any) -> Any:
    """A default as JSON data."""
    if isinstance(value, list | tuple) or type(value).__name__ == "Array":
        return [plain(v) for v in value]
    if hasattr(value, "value"):
        return value.value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def first_sentence(text: str) -> str:
    """The first sentence on one line, without the registry's line breaks."""
    line = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z0-9)`'])\.(?=\s|[A-Z])", line)[0].rstrip(".") + "." if line else ""


def as_text(table: dict[str, Any]) -> str:
    """The table as JSON, one operator a line so that a change shows as a line."""
    lines = [f"  {json.dumps(n)}: {json.dumps(entry, ensure_ascii=False)}" for n, entry in table["operators"].items()]
    head = f'{{\n "tvm": {json.dumps(table["tvm"])},\n "operators": {{\n'
    return head + ",\n".join(lines) + "\n }\n}\n"


def main() -> None:
    """Write table.json."""
    table = read_registry()
    TABLE.write_text(as_text(table), encoding="utf-8")
    print(f"{TABLE.name}: {len(table['operators'])} operators of TVM {table['tvm']}")


if __name__ == "__main__":
    main()
