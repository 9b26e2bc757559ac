/* The host side of one operator call, in the process that runs the candidate (the Python worker loads this as
 * libopwright_rt.so with ctypes): tensors, the loaded op (kernel, host and binding libraries), EXEC_NPU_CMD, launches.
 * Single-threaded. Errors come back as text. Everything here is a C ABI; bridge/runtime.py mirrors it.
 *
 * Flow: rt_open -> rt_load_op -> rt_load_binding -> rt_call (binding function; inside it EXEC_NPU_CMD calls rt_exec,
 * which runs the tiling function, picks the kernel for the dtypes and calls sim_launch) -> rt_report_json -> rt_close. */
#ifndef OPWRIGHT_RUNTIME_RUNTIME_H
#define OPWRIGHT_RUNTIME_RUNTIME_H

#include "../../hostapi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RT_API OWH_API

/* RtTensor, RtKind and RtValue are in hostapi/abi.h, which the bindings share. */
typedef struct Rt Rt;

/* chip: "Ascend910B4". NULL on failure with text in rt_error(NULL). */
RT_API Rt *rt_open(const char *chip);
RT_API void rt_close(Rt *rt);
/* Text of the last failure of a call that returned nonzero or NULL; stage is the part before the first ": ". */
RT_API const char *rt_error(const Rt *rt);

/* A crash or hang can be placed by whoever maps the same file: a SimTrail (sim.h) at offset 0. */
RT_API int rt_set_trail(Rt *rt, const char *path);

/* How the simulator runs what follows. schedule: "in-order", "lazy" or "random:SEED"; strict: what cards forgive is an error;
 * exact: instructions documented as inexact give exact results. */
RT_API int rt_set_model(Rt *rt, const char *schedule, int strict, int exact);

/* host_so: built from host_operator_src; its OP_ADD tables register with us.
 * kernel_sos: one library per dtype combination, index = position in the `type` lists of project_json_src; NULL entries
 * were not built. kernel_name: add_custom. */
RT_API int rt_load_op(Rt *rt, const char *host_so, const char *kernel_name, const char *const *kernel_sos, int n_kernels);
/* binding_so: built from python_bind_src. */
RT_API int rt_load_binding(Rt *rt, const char *binding_so);
/* Functions the binding exports (PYBIND11_MODULE m.def). */
RT_API int rt_n_functions(const Rt *rt);
RT_API const char *rt_function_name(const Rt *rt, int i);
/* Parameters, JSON list of {type, name?, default?}: name and default as given with py::arg ("arg0" style otherwise).
 * Functions of one name are overloads, tried in order. Valid until the binding is loaded again. */
RT_API const char *rt_function_params_json(const Rt *rt, int i);

/* A handle on the caller's storage; the caller keeps it alive until the handle is gone. dtype by torch name. */
RT_API RtTensor *rt_tensor_wrap(const char *dtype, int rank, const int64_t *size, const int64_t *stride, int64_t offset,
                                void *storage, int64_t storage_bytes);
RT_API void rt_tensor_ref(RtTensor *t);
RT_API void rt_tensor_unref(RtTensor *t);
RT_API const char *rt_dtype_name(int32_t dtype);
RT_API void rt_value_clear(RtValue *v);

/* Calls exported function `name`. args' references are consumed. 0 and *result, or nonzero and rt_error (a
 * TORCH_CHECK text, a tiling failure, "do tiling failed", ...). Kernel faults are findings, not errors.
 * When no overload takes the arguments the text starts with "type: "; the caller knows how to word the TypeError. */
RT_API int rt_call(Rt *rt, const char *name, RtValue *args, int n_args, RtValue *result);

/* What the function returns, as pybind11 writes it: "torch.Tensor", "tuple[torch.Tensor, int]", "None". */
RT_API const char *rt_function_result(const Rt *rt, int i);

/* JSON of everything seen since rt_open or the last rt_report_reset:
 * {"launches":[{"op","kernel","block_dim","tiling_key","tiling_bytes","workspace_bytes","dtypes":[..]}],
 *  "findings":[{check,severity:"error|warning|note",file,line,api,block,count,text,text_zh,hint,hint_zh}],
 *  "ub":{bytes, "uses":[{what,file,line,count,bytes,hidden}]} the ledger of UB, findings of two places also have other_file, other_line;
 *  "stats":{n_insns,gm_read_bytes,gm_write_bytes,store_bytes,ub_peak_bytes,sim_wall_s}}. Valid until the next call. */
RT_API const char *rt_report_json(Rt *rt);
RT_API void rt_report_reset(Rt *rt);
/* Of n_bytes of memory: tells whether they changed, not against malice. */
RT_API uint64_t rt_checksum(const void *p, size_t n_bytes);

#ifdef __cplusplus
}
#endif
#endif
