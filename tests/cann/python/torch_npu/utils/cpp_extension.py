"""Stand-in: checks the binding's source and builds a C module that hands over to custom_ops_stand_in."""
import os
import re
import sys

from setuptools import Extension

SOURCE = """
#include <Python.h>
static PyObject *get(PyObject *self, PyObject *name) {
    (void)self;
    PyObject *module = PyImport_ImportModule("custom_ops_stand_in");
    PyObject *value = module ? PyObject_GetAttr(module, name) : NULL;
    Py_XDECREF(module);
    return value;
}
static PyMethodDef METHODS[] = {{"__getattr__", get, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "MODULE_NAME", NULL, -1, METHODS, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_MODULE_NAME(void) { return PyModule_Create(&MODULE); }
"""


def write_module(path, name):
    with open(path, "w", encoding="utf-8") as f:
        f.write(SOURCE.replace("MODULE_NAME", name))


def direct(name, sources, extra_compile_args, extra_objects, include_dirs, libraries, library_dirs, runtime_library_dirs):
    assert sources and all(map(os.path.isfile, sources)) and extra_objects and all(map(os.path.isfile, extra_objects))
    assert {"ascendcl", "runtime", "tiling_api"} <= set(libraries) and library_dirs == runtime_library_dirs
    for source in sources:
        with open(source, encoding="utf-8") as f:
            if f"PYBIND11_MODULE({name}," not in f.read():
                sys.exit(f"{os.path.abspath(source)}:1:1: error: no module {name}")
    path = os.path.join(os.path.dirname(extra_objects[0]), "stand_in.c")
    write_module(path, name)
    return Extension(name, [path], extra_objects=extra_objects)


def NpuExtension(name, sources, extra_compile_args, **more):
    assert any(flag.endswith("third_party/acl/inc") for flag in extra_compile_args)
    if more:
        return direct(name, sources, extra_compile_args, **more)
    assert name == "custom_ops_lib" and sources == ["op.cpp"]
    assert os.path.exists("pytorch_npu_helper.hpp")
    with open("op.cpp", encoding="utf-8") as f:
        text = f.read()
    if not re.search(r"EXEC_NPU_CMD\(aclnn\w+X[a-z]{7}, ", text):
        sys.exit(f"{os.getcwd()}/op.cpp:1:1: error: the operator's name is not unique")
    write_module("stand_in.c", name)
    return Extension(name, ["stand_in.c"])
