#!/usr/bin/env python3
"""The API truth table of data/api: reads it, and keeps what is derived from it.

    tools/api_table.py write   writes docs/api.md, device/ow/gaps.h and src/verify/api_names.def
    tools/api_table.py check   exit status 1 when one of them is not what `write` would write
    tools/api_table.py calls   prints a C++ file that makes every call of the rows that are modelled, once for each of
                               their element types: it must compile against device/

As a module: read() gives the rows with what they inherit filled in.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {  # file, heading
    "vector": "Vector: arithmetic, logic, fills, conversions, mask register",
    "reorder": "Vector: reductions, sorting, layout, comparison, selection, gathering",
    "copy": "Data movement, atomics, caches",
    "system": "Synchronisation, system variables, scalar functions, printing",
    "resource": "Pipes, queues, buffers, tensors, tiling, Std",
    "adv": "High-level APIs",
    "cube": "Matrix unit",
}
FIELDS = ("api form kind a2 a5 call types types_a5 formula align overlap limits mask stride hidden_ub tmp zero accuracy effects "
          "sync note source").split()
OWN = {"api", "form", "kind", "a2", "a5"}  # a row has these itself; the others come from the row before of the same API
STATES = {"exact": "exact", "bounded": "bounded", "none": "not modelled", "absent": "not on this chip", "twin": "CPU twin only"}
KINDS = {"function", "method", "macro", "type", "value"}
ROW = re.compile(r"^API\(", re.M)
FIELD = re.compile(r'\.(\w+)\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')


def parse(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    for part in ROW.split(text)[1:]:
        row = {}
        for name, value in FIELD.findall(part):
            if name not in FIELDS or name in row:
                raise ValueError(f"{path.name}: field .{name} is unknown or given twice in API({part[:60]}")
            row[name] = "".join(json.loads(piece) for piece in re.findall(r'"(?:[^"\\]|\\.)*"', value))
        yield row


def read(root=ROOT):
    """All rows, family by family. Missing fields are filled from the row before of the same API; "-" means none."""
    rows = []
    for family in FAMILIES:
        before = {}
        for given in parse(root / f"data/api/{family}.def"):
            row = {"kind": "function", **given, "family": family}
            for name in FIELDS:
                if name in OWN or name in given:
                    continue
                row[name] = before[name] if before.get("api") == given["api"] else ""
            row = {k: "" if v == "-" and k != "form" else v for k, v in row.items()}
            if row.get("a2") not in STATES or row["kind"] not in KINDS or not row.get("form") or not row.get("a5"):
                raise ValueError(f"{family}.def: {row.get('api')}, {row.get('form')}: state, kind, form or a5 is missing or unknown")
            rows.append(row)
            before = row
    return rows


def is_modelled(row):
    return row["a2"] in ("exact", "bounded")


# ---- device/ow/gaps.h ------------------------------------------------------------------------------------------------

GAPS_HEAD = """\
/* Written by tools/api_table.py from data/api: the functions AscendC has on this architecture and the simulator does not
 * model. A kernel that calls one compiles, and ends as "not modelled" with the name of the API. */
#ifndef OW_GAPS_H
#define OW_GAPS_H

#include "ow/gap.h"

namespace AscendC {

"""


def gap_names(rows):
    """Names none of whose forms is modelled; of names with some forms, the others are declared where the forms are."""
    modelled = {r["api"].split("<")[0] for r in rows if is_modelled(r)}
    names = {r["api"].split("<")[0] for r in rows if r["a2"] == "none" and r["kind"] == "function"}
    return sorted(n for n in names - modelled if re.fullmatch(r"[A-Z]\w*", n))


def gaps(rows):
    lines = [f"OW_GAP({name})" for name in gap_names(rows)]
    return GAPS_HEAD + "\n".join(lines) + "\n\n} // namespace AscendC\n#undef OW_GAP\n#endif\n"


# ---- docs/api.md -----------------------------------------------------------------------------------------------------

DOC_HEAD = """\
# Which AscendC APIs the simulator models

Written by `tools/api_table.py write` from the truth table in data/api/, which holds more for every row: alignment, overlap,
limits, strides, hidden UB, temporary space, what a count of 0 does, accuracy, effects, open questions and the documentation page.

- **exact**: results are those the documentation gives, bit for bit; what it leaves open is decided once and noted as ASSUMED.
- **bounded**: the hardware's own error is not published bit for bit; results keep within what is.
- **not modelled**: a kernel that uses it ends with the verdict NOT_MODELLED and the name of the API.
- **not on this chip**: other chips only.
- **CPU twin only**: debug calls of the vendor's CPU twin (host memory, running a kernel on the host, printing through host pointers). They are no part of
  what runs on a card, their pages allow them only where a kernel is built for the CPU, and here nothing stands for them.

A2 stands for the 2201 architecture (A2 and A3, which agree); A5 says how the 950 differs. Forms: *count* works on the first
elements; *mask bits* and *mask count* are the two high-dimensional forms, by a mask of two words and by a number of lanes.
"""


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def short(text, limit):
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"


def docs(rows):
    out = [DOC_HEAD, "| | " + " | ".join(STATES.values()) + " |", "|---|" + "---|" * len(STATES)]
    for family, title in FAMILIES.items():
        mine = [r for r in rows if r["family"] == family]
        out.append(f"| {title} | " + " | ".join(str(sum(r["a2"] == s for r in mine)) for s in STATES) + " |")
    out.append("| all | " + " | ".join(str(sum(r["a2"] == s for r in rows)) for s in STATES) + " |")
    for family, title in FAMILIES.items():
        out += ["", f"## {title}", "", "| API | form | A2 | A5 | element types | what it does |", "|---|---|---|---|---|---|"]
        for r in rows:
            if r["family"] == family:
                what = r["formula"] or r["effects"]
                out.append(f"| {cell(r['api'])} | {cell(r['form'])} | {STATES[r['a2']]} | {cell(short(r['a5'], 60))} | "
                           f"{cell(r['types'])} | {cell(short(what, 160))} |")
    return "\n".join(out) + "\n"


# ---- the calls -------------------------------------------------------------------------------------------------------

CALLS_HEAD = """\
#include "kernel_operator.h"
#include "utils/debug/asc_dump.h"
#include "utils/debug/asc_time.h"
using namespace AscendC;
inline void called(int) {}
"""
CONTEXT = """\
    LocalTensor<T> d; LocalTensor<U> a; LocalTensor<uint8_t> b8; LocalTensor<uint32_t> o; LocalTensor<uint64_t> u64;
    LocalTensor<float> df; LocalTensor<int32_t> di; GlobalTensor<T> g; GlobalTensor<float> gf; GlobalTensor<int32_t> gi;
    GlobalTensor<uint64_t> gu; __gm__ T *gp = nullptr; GM_ADDR gmaddr = nullptr; uint64_t bits[2] = {1, 0}; uint64_t lanes = 32;
    uint8_t r = 1; int32_t n = 32; T s{}; U us{}; UnaryRepeatParams up; BinaryRepeatParams bp;
"""


def call_rows(rows):
    return [r for r in rows if is_modelled(r) and r["call"]]


def calls(rows):
    out = [CALLS_HEAD]
    for i, r in enumerate(call_rows(rows)):
        out.append(f"// {r['api']}, {r['form']}\ntemplate <typename T, typename U> __aicore__ inline void call_{i}()\n{{\n{CONTEXT}"
                   f"    {r['call']}\n}}")
        for types in (r["types"] or "float").split():
            t, _, u = types.partition(":")
            out.append(f"template __aicore__ void call_{i}<{t}, {u or t}>();")
    return "\n".join(out) + "\n"


# ---- src/verify/api_names.def ----------------------------------------------------------------------------------------

NAMES_HEAD = """\
/* Written by tools/api_table.py from data/api: names of AscendC on this architecture that the simulator does not model and
 * device/ does not declare (types, members, macros). Included by vendor_names.def. */
"""


def api_names(rows):
    """Identifiers of the rows that are not modelled, other than the functions gaps.h declares."""
    known = set(gap_names(rows))
    for r in rows:
        if is_modelled(r):
            known |= set(re.findall(r"[A-Za-z_]\w*", r["api"]))
    names = set()
    for r in rows:
        if r["a2"] in ("none", "twin"):
            names |= {n for n in re.findall(r"[A-Za-z_]\w{3,}", r["api"]) if re.search(r"[A-Z_]|^assert$", n)}
    return NAMES_HEAD + "\n".join(f"VENDOR_NAME({n})" for n in sorted(names - known)) + "\n"


OUTPUTS = {"docs/api.md": docs, "device/ow/gaps.h": gaps, "src/verify/api_names.def": api_names}


def main(argv):
    rows = read()
    if argv == ["calls"]:
        print(calls(rows), end="")
        return 0
    if argv not in (["write"], ["check"]):
        print(__doc__, end="", file=sys.stderr)
        return 2
    stale = 0
    for name, make in OUTPUTS.items():
        path, text = ROOT / name, make(rows)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if argv == ["check"]:
            print(f"{name}: not what data/api says: run tools/api_table.py write")
            stale = 1
        else:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
