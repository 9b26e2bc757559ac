#pragma once
#include "log/log.h"
#define OPS_LOG_D(name, ...) OP_LOGD(name, __VA_ARGS__)
#define OPS_LOG_I(name, ...) OP_LOGI(name, __VA_ARGS__)
#define OPS_LOG_W(name, ...) OP_LOGW(name, __VA_ARGS__)
#define OPS_LOG_E(name, ...) OP_LOGE(name, __VA_ARGS__)
