"""The names that an OpenAPI document promises to clients: paths, parameters, and the fields of bodies and answers.
Schema names are left out, because they are never sent."""


def fields(document, schema, prefix=""):
    """Dotted names of all properties: `runs.id` is the field `id` of the entries of `runs`."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    found = []
    for part in schema.get("allOf", ()):
        found += fields(document, part, prefix)
    for name, inner in schema.get("properties", {}).items():
        found += [prefix + name, *fields(document, inner, f"{prefix}{name}.")]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            found += fields(document, schema[key], prefix)
    return found


def content_fields(document, described):
    return [name for content in described.get("content", {}).values()
            for name in fields(document, content.get("schema", {}))]


def api_names(document):
    """For each part of each operation, as `GET /api/v1/runs query`, the set of its names."""
    names = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            place = f"{method.upper()} {path}"
            names[place] = set()
            for parameter in operation.get("parameters", ()):
                if parameter["in"] != "path":  # its name is in the path
                    names.setdefault(f"{place} {parameter['in']}", set()).add(parameter["name"])
            body = content_fields(document, operation.get("requestBody", {}))
            if body:
                names[f"{place} body"] = set(body)
            for status, response in operation["responses"].items():
                answer = content_fields(document, response)
                if answer and not status.startswith(("4", "5")):
                    names[f"{place} {status}"] = set(answer)
    return names


def to_text(names):
    return "".join(f"{place}: {' '.join(sorted(found))}".rstrip() + "\n" for place, found in names.items())


def from_text(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {place: set(found.split()) for place, _, found in (line.partition(":") for line in lines)}
