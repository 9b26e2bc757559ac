#pragma once
#include "ow/exec.h"
#include "ow/library.h"
#include "ow/pybind.h"
