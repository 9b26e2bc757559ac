/* Logging macros of operator sources; the first argument is the operator's name or the context's node name. */
#ifndef OPWRIGHT_HOSTAPI_LOG_H
#define OPWRIGHT_HOSTAPI_LOG_H

#include "../../abi.h"

#define OWH_OP_LOG(level, name, ...) ((void)(name), owh_host_log(level, __FILE__, __LINE__, __VA_ARGS__))
#define OP_LOGD(name, ...) OWH_OP_LOG("debug", name, __VA_ARGS__)
#define OP_LOGI(name, ...) OWH_OP_LOG("info", name, __VA_ARGS__)
#define OP_LOGW(name, ...) OWH_OP_LOG("warning", name, __VA_ARGS__)
#define OP_LOGE(name, ...) OWH_OP_LOG("error", name, __VA_ARGS__)

#endif
