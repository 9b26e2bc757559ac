#pragma once
#include "../../ow/tensor.h"
