#pragma once
#include "../../ow/check.h"
