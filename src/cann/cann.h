/* The same verdict from a real NPU: builds a description with the vendor's toolkit and runs it with
 * torch_npu, in a folder of its own and with a private operator path; nothing global is installed or changed.
 * Needs the CANN toolkit, torch_npu and a device; without them cann_available says what is missing.
 * docs/cann.md has the steps and their limits. */
#ifndef OPWRIGHT_CANN_CANN_H
#define OPWRIGHT_CANN_CANN_H

#include "verify/verify.h"

#define CANN_DEVICES_MAX 64

/* What of the toolkit this machine has. Strings belong to the arena. */
typedef struct CannParts {
    const char *toolkit;           /* folder, or NULL */
    const char *version;           /* "8.0.RC2", or "" */
    const char *msopgen;           /* path of the program, or NULL */
    int devices[CANN_DEVICES_MAX]; /* numbers k of /dev/davinci<k>, ascending */
    size_t n_devices;
} CannParts;

/* Looks at ASCEND_TOOLKIT_HOME, ASCEND_HOME_PATH, the usual folders, PATH, and the devices in /dev (or
 * OPWRIGHT_DEV_DIR). Quick: starts no process. */
void cann_find(Arena *a, CannParts *p);
/* True when a job can be tried. Otherwise `why` gets what is missing and where it comes from. Does not start
 * Python, so torch_npu is found missing only by the job. */
bool cann_available(char *why, size_t n_bytes);

/* The Python that jobs run in, chosen as the worker's is: $OPWRIGHT_PYTHON, <home>/.venv/bin/python, python3.
 */
const char *cann_python(Arena *a, const char *home);

/* Verifies o->kernel_code_path on device npu:<device> and measures it; the result object is that of
 * docs/result.md with backend "cann" and a measured `performance`. True: *r holds a verdict. False: nothing
 * could be judged (toolkit, Python or a file is missing). r->json belongs to the caller. o->cases other than
 * the file's own inputs are not supported and are an error. */
bool cann_verify_on(Arena *a, const VerifyOptions *o, int device, VerifyResult *r, Err *err) ERR_CHECKED;
/* The same on the first device. */
bool cann_verify(Arena *a, const VerifyOptions *o, VerifyResult *r, Err *err) ERR_CHECKED;

#endif
