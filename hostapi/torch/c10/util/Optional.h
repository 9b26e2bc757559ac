#pragma once
#include "../../ow/types.h"
