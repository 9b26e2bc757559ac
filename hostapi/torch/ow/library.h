/* TORCH_LIBRARY and friends: accepted. The call path is the pybind module, so registration has no effect here; the
 * bodies are compiled and run, so that a wrong name or function still shows. */
#ifndef OPWRIGHT_HOSTAPI_TORCH_LIBRARY_H
#define OPWRIGHT_HOSTAPI_TORCH_LIBRARY_H

#include "tensor.h"

namespace torch {

class Library {
  public:
    Library &def(const char *) & { return *this; }
    template <class F> Library &def(const char *, F &&) & { return *this; }
    template <class F> Library &impl(const char *, F &&) & { return *this; }
    template <class F> Library &impl(const char *, at::DeviceType, F &&) & { return *this; }
};
struct OwLibraryInit {
    explicit OwLibraryInit(void (*fn)(Library &)) {
        Library lib;
        fn(lib);
    }
};

} // namespace torch

#define OWH_PASTE_(a, b) a##b
#define OWH_PASTE(a, b)  OWH_PASTE_(a, b)
#define OWH_TORCH_LIBRARY(fn, m)                                                                             \
    static void fn(::torch::Library &);                                                                      \
    static ::torch::OwLibraryInit OWH_PASTE(fn, _init)(&fn);                                                 \
    static void fn([[maybe_unused]] ::torch::Library &m)
#define TORCH_LIBRARY(ns, m)          OWH_TORCH_LIBRARY(owh_torch_library_##ns, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) OWH_TORCH_LIBRARY(OWH_PASTE(owh_torch_fragment_##ns##_, __COUNTER__), m)
#define TORCH_LIBRARY_IMPL(ns, k, m)  OWH_TORCH_LIBRARY(OWH_PASTE(owh_torch_impl_##ns##_##k##_, __COUNTER__), m)

#endif
