#pragma once
#include "../ow/library.h"
#include "../ow/pybind.h"
