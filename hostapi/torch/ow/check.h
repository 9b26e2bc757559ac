/* c10::Error, TORCH_CHECK and the text they build, without iostream. */
#ifndef OPWRIGHT_HOSTAPI_TORCH_CHECK_H
#define OPWRIGHT_HOSTAPI_TORCH_CHECK_H

#include "../../abi.h"

#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {

class Error : public std::exception {
  public:
    explicit Error(std::string text) : text_(std::move(text)) {}
    const char *what() const noexcept override { return text_.c_str(); }
    const char *what_without_backtrace() const noexcept { return text_.c_str(); }
    const std::string &msg() const { return text_; }

  private:
    std::string text_;
};
class ValueError : public Error { using Error::Error; };
class TypeError : public Error { using Error::Error; };
class IndexError : public Error { using Error::Error; };
class NotImplementedError : public Error { using Error::Error; };

/* One piece of a text. Other types bring their own, in their own namespace, where the call in str() finds it. */
inline void OwAdd(std::string &s, const char *v) { s += v; }
inline void OwAdd(std::string &s, const std::string &v) { s += v; }
inline void OwAdd(std::string &s, char v) { s += v; }
inline void OwAdd(std::string &s, bool v) { s += v ? "1" : "0"; }
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0> void OwAdd(std::string &s, T v) { s += std::to_string(v); }
inline void OwAdd(std::string &s, double v) {
    char text[32];
    __builtin_snprintf(text, sizeof text, "%g", v);
    s += text;
}
inline void OwAdd(std::string &s, float v) { OwAdd(s, static_cast<double>(v)); }
template <class T> void OwAdd(std::string &s, const std::vector<T> &v);

template <class... Args> std::string str(const Args &...args) {
    std::string s;
    (OwAdd(s, args), ...);
    return s;
}
/* The runtime's own text (it starts with the stage). */
[[noreturn]] inline void OwFail() { throw Error(owh_last_error()); }
} // namespace c10

#define OWH_THROW(Type, cond, ...)                                                                           \
    do {                                                                                                     \
        if (__builtin_expect(!(cond), 0)) {                                                                  \
            std::string owh_text = ::c10::str(__VA_ARGS__);                                                  \
            throw Type(owh_text.empty() ? "Expected " #cond " to be true, but got false." : owh_text);       \
        }                                                                                                    \
    } while (false)
#define TORCH_CHECK(cond, ...)           OWH_THROW(::c10::Error, cond, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...)     OWH_THROW(::c10::ValueError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...)      OWH_THROW(::c10::TypeError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...)     OWH_THROW(::c10::IndexError, cond, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) OWH_THROW(::c10::NotImplementedError, cond, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(cond, ...) OWH_THROW(::c10::Error, cond, ##__VA_ARGS__)
#define AT_ASSERTM(cond, ...)            TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_ERROR(...)                    TORCH_CHECK(false, ##__VA_ARGS__)
#define TORCH_WARN(...)                  owh_host_log("warning", __FILE__, __LINE__, "%s", ::c10::str(__VA_ARGS__).c_str())

#endif
