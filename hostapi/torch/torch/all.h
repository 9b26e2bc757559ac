#pragma once
#include "../ow/library.h"
