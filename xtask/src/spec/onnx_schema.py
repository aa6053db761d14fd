"""Prints what the installed onnx package says of an operator, as JSON: cargo xtask spec runs it.

Arguments: names of operators. Every version of each that the release defines is printed. A section is a name and a
text, laid out as onnx's own page of operators has it, so that a saved page and a package give the same sentences.
Only what every release since 1.12 has is asked of the package.
"""

import json
import sys

import onnx
from onnx import AttributeProto, defs


def name_of(value):
    """The bare name of an enumeration's member: INT of AttrType.INT."""
    return str(value).rsplit(".", 1)[-1]


def attribute_value(attribute):
    """An attribute's value as text, or the attribute of the function that it stands for."""
    if attribute.ref_attr_name:
        return "@" + attribute.ref_attr_name
    value = {
        AttributeProto.INT: lambda: attribute.i,
        AttributeProto.FLOAT: lambda: attribute.f,
        AttributeProto.STRING: lambda: attribute.s.decode(),
        AttributeProto.INTS: lambda: list(attribute.ints),
        AttributeProto.FLOATS: lambda: list(attribute.floats),
    }.get(attribute.type)
    if value is None:
        return AttributeProto.AttributeType.Name(attribute.type) + " " + attribute.SerializeToString().hex()
    return str(value())


def body_lines(schema):
    """The function body, one operator a line."""
    for node in schema.function_body.node:
        attributes = []
        for attribute in node.attribute:
            kind = AttributeProto.AttributeType.Name(attribute.type).lower()
            attributes.append(f"{attribute.name}: {kind} = {attribute_value(attribute)}")
        listed = f" <{', '.join(attributes)}>" if attributes else ""
        yield f"{', '.join(node.output)} = {node.op_type}{listed} ({', '.join(node.input)})"


def parameter(formal):
    """An input or an output: its options and its type, then its description."""
    option = name_of(formal.option).lower()
    flag = "" if option == "single" else f"{option} "
    # Named typeStr up to 1.13, and type_str from 1.14 on.
    kind = formal.type_str if hasattr(formal, "type_str") else formal.typeStr
    return f"{flag}{kind}:\n{formal.description}"


def count(least, most, what):
    return f"Between {least} and {most} {what}." if least != most else ""


def sections(schema):
    """The sections of one version."""
    lines = [
        f"name: {schema.name}",
        f"domain: {schema.domain or 'main'}",
        f"since_version: {schema.since_version}",
        f"function: {schema.has_function}",
        f"support_level: {schema.support_level}",
        f"shape inference: {schema.has_type_and_shape_inference_function}",
    ]
    if schema.deprecated:
        lines.append("deprecated: True")
    if schema.has_context_dependent_function:
        lines.append("context-dependent function: True")
    yield "version", "\n".join(lines)
    yield "summary", schema.doc
    if schema.has_function:
        yield "function-body", "\n".join(body_lines(schema))
    yield "attributes", ""
    for name, attribute in sorted(schema.attributes.items()):
        default = attribute.default_value
        if attribute.required:
            note = " (required)"
        elif default.name:
            note = f" (default is {attribute_value(default)})"
        else:
            note = ""
        yield f"attributes/{name}", f"{name_of(attribute.type)}{note}:\n{attribute.description}"
    yield "inputs", count(schema.min_input, schema.max_input, "inputs")
    for formal in schema.inputs:
        yield f"inputs/{formal.name}", parameter(formal)
    yield "outputs", count(schema.min_output, schema.max_output, "outputs")
    for formal in schema.outputs:
        yield f"outputs/{formal.name}", parameter(formal)
    yield "type-constraints", ""
    for constraint in schema.type_constraints:
        # Their order says nothing.
        types = ", ".join(sorted(constraint.allowed_type_strs))
        yield f"type-constraints/{constraint.type_param_str}", f"{types}:\n{constraint.description}"


def main():
    wanted = sys.argv[1:]
    texts = []
    for schema in defs.get_all_schemas_with_history():
        if schema.name in wanted and schema.domain in ("", "ai.onnx"):
            texts.append(
                {
                    "version": f"{schema.name}-{schema.since_version}",
                    "sections": [{"name": name, "text": text} for name, text in sections(schema)],
                }
            )
    texts.sort(key=lambda text: text["version"])
    json.dump({"release": onnx.__version__, "texts": texts}, sys.stdout)


main()
