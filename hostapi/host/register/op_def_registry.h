/* What op_host sources include to define an operator. */
#ifndef OPWRIGHT_HOSTAPI_REGISTER_OP_DEF_REGISTRY_H
#define OPWRIGHT_HOSTAPI_REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/op_impl_registry.h"

#endif
