"""What the SARIF 2.1.0 schema asks of the objects that opwright writes: properties it knows, those it requires, their values.

Objects take no property the schema lacks (its additionalProperties is false everywhere but in property bags).
"""

from __future__ import annotations

import re
from typing import Any, Callable

Check = Callable[[Any, str], None]


def fail(where: str, why: str) -> None:
    raise AssertionError(f"SARIF {where}: {why}")


def text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        fail(where, f"{value!r} is no string")


def number(least: int) -> Check:
    def check(value: Any, where: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            fail(where, f"{value!r} is no integer of at least {least}")

    return check


def truth(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        fail(where, f"{value!r} is no boolean")


def one_of(*values: str) -> Check:
    return lambda value, where: None if value in values else fail(where, f"{value!r} is none of {values}")


def uri(value: Any, where: str) -> None:
    text(value, where)
    if not re.fullmatch(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", value):
        fail(where, f"{value!r} is no URI reference")


def bag(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        fail(where, "a property bag is an object")


def items(of: Check, unique: bool = True) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            fail(where, "is no array")
        for i, item in enumerate(value):
            of(item, f"{where}[{i}]")
            if unique and item in value[:i]:
                fail(f"{where}[{i}]", "is there twice")

    return check


def thing(required: str = "", any_of: str = "", **properties: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            fail(where, "is no object")
        for name in required.split():
            if name not in value:
                fail(where, f"lacks {name}")
        if any_of and not any(name in value for name in any_of.split()):
            fail(where, f"has none of {any_of}")
        for name, member in value.items():
            known = {"properties": bag, **properties}.get(name.replace("$", ""))
            if known is None:
                fail(where, f"the schema has no {name} here")
            known(member, f"{where}.{name}")

    return check


def later(value: Any, where: str) -> None:
    location(value, where)


MESSAGE = thing(any_of="text id", text=text, markdown=text, id=text, arguments=items(text, unique=False))
DESCRIPTION = thing("text", text=text, markdown=text)
ARTIFACT_LOCATION = thing(uri=uri, uriBaseId=text, index=number(-1), description=MESSAGE)
REGION = thing(startLine=number(1), startColumn=number(1), endLine=number(1), endColumn=number(1), charOffset=number(-1), charLength=number(0), message=MESSAGE)
location = thing(id=number(-1), physicalLocation=thing(any_of="address artifactLocation", artifactLocation=ARTIFACT_LOCATION, region=REGION, contextRegion=REGION),
                 logicalLocations=items(thing(name=text, index=number(-1), fullyQualifiedName=text, decoratedName=text, parentIndex=number(-1), kind=text)), message=MESSAGE)
RESULT = thing("message", ruleId=text, ruleIndex=number(-1), kind=one_of("notApplicable", "pass", "fail", "review", "open", "informational"),
               level=one_of("none", "note", "warning", "error"), message=MESSAGE, locations=items(later, unique=False), relatedLocations=items(later), occurrenceCount=number(1))
RULE = thing("id", id=text, name=text, shortDescription=DESCRIPTION, fullDescription=DESCRIPTION, help=DESCRIPTION, helpUri=uri)
DRIVER = thing("name", name=text, version=text, semanticVersion=text, organization=text, informationUri=uri, fullName=text, rules=items(RULE))
RUN = thing("tool", tool=thing("driver", driver=DRIVER), artifacts=items(thing(location=ARTIFACT_LOCATION, length=number(-1), mimeType=text)),
            invocations=items(thing("executionSuccessful", executionSuccessful=truth, commandLine=text, exitCode=number(-2**31)), unique=False),
            results=items(RESULT, unique=False), columnKind=one_of("utf16CodeUnits", "unicodeCodePoints"), language=text)
LOG = thing("version runs", schema=uri, version=one_of("2.1.0"), runs=items(RUN, unique=False))


def must_be_sarif(log: Any) -> None:
    """Raises AssertionError with the path of what the schema refuses."""
    LOG(log, "log")
