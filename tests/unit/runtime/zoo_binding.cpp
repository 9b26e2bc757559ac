// Binding source of the runtime's tests: correct calls and one of every mistake.
#include <torch/extension.h>
#include <torch/library.h>
#include "pytorch_npu_helper.hpp"

#include <stdexcept>

static at::Tensor add(const at::Tensor &x, const at::Tensor &y) {
    at::Tensor z = at::empty_like(x);
    EXEC_NPU_CMD(aclnnAddCustom, x, y, z);
    return z;
}
static at::Tensor add_into(const at::Tensor &x, const at::Tensor &y, at::Tensor z) {
    EXEC_NPU_CMD(aclnnAddCustom, x, y, z);
    return z;
}
static at::Tensor twice(at::Tensor x) {
    EXEC_NPU_CMD(aclnnTwiceCustom, x);
    return x;
}

// The arguments of aclnnZooCustom, each replaceable.
template <class Mode = int64_t, class Scale = double, class Flag = bool, class Name = const char *, class Dims = at::IntArrayRef>
static at::Tensor zoo_call(const at::Tensor &x, const c10::optional<at::Tensor> &m, Mode mode, Scale scale = 2.5, Flag flag = true,
                           Name name = "xyz", Dims dims = {}) {
    at::Tensor y = at::empty({19}, x.options());
    EXEC_NPU_CMD(aclnnZooCustom, x, m, mode, scale, flag, name, dims, y);
    return y;
}
static at::Tensor zoo(const at::Tensor &x, c10::optional<at::Tensor> m, int64_t mode, double scale, bool flag, std::string name,
                      at::IntArrayRef dims) {
    return zoo_call(x, m, mode, scale, flag, name.c_str(), dims);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add", &add, "x + y");
    m.def("add_into", &add_into);
    m.def("twice", &twice);
    m.def("zoo", &zoo, py::arg("x"), py::arg("m") = py::none(), py::arg("mode") = 0, py::arg("scale") = 2.5, py::arg("flag") = true,
          py::arg("name") = "xyz", py::arg("dims") = std::vector<int64_t>{4, 5}, "docs");
    m.def("float_scale", [](const at::Tensor &x) { return zoo_call(x, {}, int64_t{0}, 2.5f); });
    m.def("int_scale", [](const at::Tensor &x) { return zoo_call(x, {}, int64_t{0}, int{2}); });
    m.def("int_mode", [](const at::Tensor &x) { return zoo_call(x, {}, int{0}); });
    m.def("double_mode", [](const at::Tensor &x) { return zoo_call(x, {}, 0.0); });
    m.def("int_flag", [](const at::Tensor &x) { return zoo_call(x, {}, int64_t{0}, 2.5, int64_t{256}); });
    m.def("string_name", [](const at::Tensor &x) { return zoo_call(x, {}, int64_t{0}, 2.5, true, std::string("xyz")); });
    m.def("vector_dims", [](const at::Tensor &x) { return zoo_call(x, {}, int64_t{0}, 2.5, true, "xyz", std::vector<int64_t>{1}); });
    m.def("null_name", [](const at::Tensor &x) {
        return zoo_call(x, {}, int64_t{0}, 2.5, true, static_cast<const char *>(nullptr), c10::optional<at::IntArrayRef>());
    });
    m.def("too_few", [](const at::Tensor &x) {
        at::Tensor y = at::empty_like(x);
        EXEC_NPU_CMD(aclnnAddCustom, x, y);
        return y;
    });
    m.def("undefined_input", [](const at::Tensor &x) {
        at::Tensor none, z = at::empty_like(x);
        EXEC_NPU_CMD(aclnnAddCustom, x, none, z);
        return z;
    });
    m.def("number_input", [](const at::Tensor &x) {
        at::Tensor z = at::empty_like(x);
        double two = 2;
        EXEC_NPU_CMD(aclnnAddCustom, x, two, z);
        return z;
    });
    m.def("cpu_output", [](const at::Tensor &x) {
        at::Tensor z = at::empty(x.sizes(), at::kFloat);
        EXEC_NPU_CMD(aclnnAddCustom, x, x, z);
        return z;
    });
    m.def("strided_output", [](const at::Tensor &x) {
        at::Tensor z = at::empty({x.size(1), x.size(0)}, x.options()).t();
        EXEC_NPU_CMD(aclnnAddCustom, x, x, z);
        return z;
    });
    m.def("wrong_shape_output", [](const at::Tensor &x) {
        at::Tensor z = at::empty({x.numel()}, x.options());
        EXEC_NPU_CMD(aclnnAddCustom, x, x, z);
        return z;
    });
    m.def("builtin", [](const at::Tensor &x) {
        at::Tensor z = at::empty_like(x);
        EXEC_NPU_CMD(aclnnRelu, x, z);
        return z;
    });
    m.def("checked", [](const at::Tensor &x) {
        TORCH_CHECK(x.dim() == 3, "x must be 3D, got ", x.sizes(), " of ", x.scalar_type(), " on ", x.device());
        return x;
    });
    m.def("throws", []() -> int64_t { throw std::out_of_range("index 7"); });
    m.def("throws_int", []() -> int64_t { throw 7; });
    m.def("undefined_sizes", [] { return at::Tensor().size(0); });
    m.def("cast", [](const at::Tensor &x) {
        at::Tensor wide = x.to(at::kDouble);
        const at::Tensor back = wide.to(at::kFloat);
        return ::add(back, x);
    });
    m.def("uncast", [](const at::Tensor &x) {
        const at::Tensor same = x.to(at::kFloat);
        return ::add(same, x);
    });
    m.def("pair", [](const at::Tensor &x, int64_t apart) {
        at::Tensor both = at::empty({2, x.numel()}, x.options()), flat = both.view({2 * x.numel()});
        at::Tensor y = flat.slice(0, 0, x.numel()), z = flat.slice(0, apart, apart + x.numel());
        EXEC_NPU_CMD(aclnnPairCustom, x, y, z);
        return y;
    });
    m.def("not_from_kernel", [](const at::Tensor &x) { return at::zeros_like(x); });
    m.def("identity", [](at::Tensor x) { return x; });
    m.def("copy_of_result", [](const at::Tensor &x) { return add(x, x).t().contiguous().unsqueeze(0); });
    m.def("many", [](int64_t i, double d, std::vector<int64_t> v, c10::optional<double> o, std::string s) {
        return std::make_tuple(i + 1, d, v, o, s, std::vector<double>{0.5}, true);
    });
    m.def("tensors", [](std::vector<at::Tensor> v) { return v; });
    m.def("two", [](const at::Tensor &x, const at::Tensor &y) { return std::make_tuple(add(x, x), std::vector<at::Tensor>{add(x, y), x}); });
    m.def("nothing", [](const at::Tensor &x) { (void)x; });
    m.def("over", [](const at::Tensor &) { return std::string("tensor"); });
    m.def("over", [](int64_t) { return std::string("int"); });
    m.def("over", [](at::IntArrayRef v, bool) { return std::to_string(v.size()); });
}
TORCH_LIBRARY(zoo, m) { m.def("add(Tensor x, Tensor y) -> Tensor"); }
TORCH_LIBRARY_IMPL(zoo, PrivateUse1, m) { m.impl("add", &add); }
