#!/usr/bin/env python3
"""Verifies a folder of public operator descriptions against a folder of public references, both unchanged but for sizes.

    bench/fidelity/run.py --descriptions DIR --references DIR [--only NAME]... [--jobs N] [--write docs/fidelity.md]

operators.json names, for every operator, its reference and what is set smaller; the reduced reference is a copy in a folder of
its own that is removed afterwards. Nothing of either folder is kept. Exit status: 0 when every operator was judged, 1 else.
"""

import argparse
import ast
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OWN_REFERENCES = HERE / "references"
ORDER = ["PASS", "FAIL", "REJECTED", "NOT_MODELLED", "INFRA_ERROR", "NOT_JUDGED"]
MEANING = {
    "PASS": "built, ran, and every output meets the standard",
    "FAIL": "a fault of the description at these sizes",
    "REJECTED": "work done outside the kernel, or the form is not kept",
    "NOT_MODELLED": "it needs something the simulator does not know",
    "INFRA_ERROR": "opwright or the machine failed",
    "NOT_JUDGED": "the reference or the description could not be loaded",
}


class Resize(ast.NodeTransformer):
    """Sets module-level names (`batch_size`) to other values, and puts whole numbers in place of others ("4096")."""

    def __init__(self, sizes):
        self.names = {k: v for k, v in sizes.items() if not k.isdigit()}
        self.numbers = {int(k): v for k, v in sizes.items() if k.isdigit()}
        self.unused = set(sizes)

    def visit_Constant(self, node):
        if type(node.value) is int and node.value in self.numbers:
            self.unused.discard(str(node.value))
            return ast.copy_location(ast.Constant(self.numbers[node.value]), node)
        return node

    def assign(self, node):
        """`height = width = 256` and `height, width = 256, 256` become one assignment for each name."""
        done = []
        for target in node.targets:
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            names, values = (target.elts, node.value.elts) if several else ([target], [node.value])
            for name, value in zip(names, values):
                if isinstance(name, ast.Name) and name.id in self.names:
                    self.unused.discard(name.id)
                    given = self.names[name.id]
                    value = ast.parse(repr(tuple(given) if isinstance(given, list) else given), mode="eval").body
                else:
                    value = self.visit(value)
                done.append(ast.Assign(targets=[name], value=value))
        return done

    def resized(self, module):
        body = []
        for node in module.body:
            body += self.assign(node) if isinstance(node, ast.Assign) else [self.visit(node)]
        module.body = body
        return ast.fix_missing_locations(module)


def reduced(reference, sizes, target):
    """Writes the reference to `target` with `sizes` in place; an override that meets nothing is an error."""
    resize = Resize(sizes)
    module = resize.resized(ast.parse(reference.read_text(encoding="utf-8")))
    if resize.unused:
        raise ValueError(f"{reference.name} has no {', '.join(sorted(resize.unused))}")
    target.write_text(ast.unparse(module), encoding="utf-8")


def limits(seconds):
    """For the child: last in the queue for the processor, and no more processor time than twice its time limit."""

    def set_limits():
        os.nice(10)
        resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds, 2 * seconds + 5))

    return set_limits


def verify(options, name, operator):
    """One row: {name, verdict, why, warnings, sizes, seconds}."""
    row = {"name": name, "verdict": "NOT_JUDGED", "why": "", "warnings": [], "seconds": 0.0, "operator": operator}
    own = "reference" not in operator
    source = OWN_REFERENCES / f"{name}.py" if own else options.references / operator["reference"]
    description = options.descriptions / f"{name}.py"
    with tempfile.TemporaryDirectory(prefix="fidelity-") as folder:
        reference, answer = pathlib.Path(folder) / f"{name}.py", pathlib.Path(folder) / "result.json"
        try:
            reduced(source, operator.get("sizes", {}), reference)
        except (OSError, ValueError, SyntaxError) as error:
            row["why"] = str(error)
            return row
        command = [options.opwright, "verify", "--local", "--standard", "seed", "--quiet", "--op", name, "--reference_path", reference,
                   "--kernel_code_path", description, "--result_json_path", answer, "--time-limit", str(options.time_limit),
                   "--memory-limit", str(options.memory_limit)]
        try:
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=4 * options.time_limit,
                                  preexec_fn=limits(options.time_limit), check=False)
            result = json.loads(answer.read_text(encoding="utf-8"))["result"][0] if answer.exists() else {}
        except subprocess.TimeoutExpired:
            row["why"] = f"not done in {4 * options.time_limit} s"
            return row
    row["verdict"] = result.get("verdict") or "NOT_JUDGED"
    row["seconds"] = result.get("stages", {}).get("total", 0.0)
    checks = result.get("checks", [])
    row["warnings"] = sorted({c["check"] for c in checks if c["severity"] == "warning"})
    if row["verdict"] != "PASS":
        row["why"] = reason(result, checks) or clause(done.stderr or done.stdout)
        row["log"] = result.get("compile_info", "") + result.get("correctness_info", "") + (result.get("error_message") or "")
    return row


def reason(result, checks):
    """The check that decided, and the first clause of what it says."""
    wanted = {"NOT_MODELLED": lambda c: c.get("not_modelled") or c["check"] == "not-modelled"}
    for decides in (wanted.get(result.get("verdict"), lambda c: c["severity"] == "error"), lambda c: True):
        for check in filter(decides, checks):
            return f"`{check['check']}`: {clause(check['text'])}"
    return clause(result.get("error_message") or "")


def clause(text):
    """The first line, cut at a word, that goes into a table's cell."""
    line = next((one.strip() for one in text.splitlines() if one.strip()), "")
    if len(line) > 110:
        line = line[:110].rsplit(" ", 1)[0] + " ..."
    return line.replace("|", "\\|").replace("<", "&lt;")


def sizes_text(operator):
    sizes = operator.get("sizes", {})
    text = ", ".join(f"{k} to {v}" if k.isdigit() else f"{k} {v}" for k, v in sizes.items()) or "as given"
    return f"own reference: {operator['own']}" if "own" in operator else text


def table(rows):
    lines = ["| operator | verdict | why | warnings | sizes |", "|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda r: (ORDER.index(r["verdict"]), r["name"])):
        note = row["operator"].get("note", "") if row["verdict"] != "PASS" else ""
        why = ". ".join(part.rstrip(".") for part in (row["why"], note) if part)
        warnings = ", ".join(f"`{w}`" for w in row["warnings"])
        lines.append(f"| {row['name']} | {row['verdict']} | {why} | {warnings} | {sizes_text(row['operator'])} |")
    return "\n".join(lines)


def counts(rows):
    lines = ["| verdict | operators | means |", "|---|---:|---|"]
    for verdict in ORDER:
        n = sum(row["verdict"] == verdict for row in rows)
        if n:
            lines.append(f"| {verdict} | {n} | {MEANING[verdict]} |")
    warned = sum(bool(row["warnings"]) for row in rows if row["verdict"] == "PASS")
    lines.append(f"| all | {len(rows)} | {warned} of those that pass have warnings |")
    return "\n".join(lines)


def write_page(path, rows):
    """The page is bench/fidelity/page.md with the counts and the table in it."""
    page = (HERE / "page.md").read_text(encoding="utf-8")
    path.write_text(page.replace("{counts}", counts(rows)).replace("{table}", table(rows)), encoding="utf-8")


def parse_options():
    parser = argparse.ArgumentParser(description="Verify public descriptions against public references.")
    parser.add_argument("--descriptions", type=pathlib.Path, required=True, help="folder of NAME.py, each a description")
    parser.add_argument("--references", type=pathlib.Path, required=True, help="folder of KIND/NAME.py, each a reference")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this operator; may be given again")
    parser.add_argument("--jobs", type=int, default=1, help="operators at a time, default 1")
    parser.add_argument("--time-limit", type=int, default=60, help="seconds for each stage of one operator, default 60")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MB for one operator, default 4096")
    parser.add_argument("--opwright", default=str(ROOT / "build" / "opwright"), help="the program, default build/opwright")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="write the page to FILE; all operators only")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every row with its full log to FILE")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write needs every operator: leave out --only")
    return options


def main():
    options = parse_options()
    operators = json.loads((HERE / "operators.json").read_text(encoding="utf-8"))
    unknown = [name for name in options.only if name not in operators]
    if unknown:
        sys.exit(f"fidelity: operators.json has no {', '.join(unknown)}")
    names = options.only or list(operators)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        for row in pool.map(lambda name: verify(options, name, operators[name]), names):
            rows.append(row)
            print(f"{row['verdict']:12} {row['seconds']:5.1f} s  {row['name']}  {row['why']}", flush=True)
    print()
    print(counts(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if options.write:
        write_page(options.write, rows)
    return 1 if any(row["verdict"] in ("INFRA_ERROR", "NOT_JUDGED") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
