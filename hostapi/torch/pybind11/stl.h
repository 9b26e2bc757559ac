#pragma once
#include "../ow/pybind.h"
