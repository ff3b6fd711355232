#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tacho {

enum class ErrorCode {
  usage,          // the request makes no sense: exit code 2
  invalid,        // a file or message is not what it claims to be
  not_found,      // a file, run, model or dataset does not exist
  unavailable,    // a component this machine lacks; the message says how to get it
  newer,          // written by a later version of Tacho
  io,             // a system call failed: disk full, no permission
  out_of_memory,  // an outcome of a run, not a crash
  failed,         // any other error
};

// An error as one sentence that a user can act on. Each layer prepends its context: "run 41:
// events.jsonl: line 7: not a JSON object".
struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string message;

  [[nodiscard]] Error in(std::string_view place) && {
    return {code, std::string(place) + ": " + message};
  }
  [[nodiscard]] Error in(std::string_view place) const& { return Error(*this).in(place); }
};

[[noreturn]] inline void broken_invariant(std::string_view what) {
  std::fprintf(stderr, "tacho: broken invariant: %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::abort();
}

// A value, or the Error that prevented it. Reading the wrong one aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  // By value: a reference would outlive the temporary in `for (x : *list())`.
  T operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }

  [[nodiscard]] const Error& error() const {
    if (ok()) broken_invariant("error() of a Result that holds a value");
    return std::get<1>(state_);
  }

  // Returns the same result with `place` prepended to its error message.
  [[nodiscard]] Result in(std::string_view place) && {
    if (!ok()) return std::get<1>(std::move(state_)).in(place);
    return std::move(*this);
  }

 private:
  T& value() {
    if (!ok()) broken_invariant("value of a failed Result: " + std::get<1>(state_).message);
    return std::get<0>(state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    if (!error_) broken_invariant("error() of a Result that succeeded");
    return *error_;
  }
  [[nodiscard]] Result in(std::string_view place) && {
    if (error_) return std::move(*error_).in(place);
    return {};
  }

 private:
  std::optional<Error> error_;
};

}  // namespace tacho

// TACHO_TRY(name, expression) declares `name` as the expression's value, or returns its error.
// TACHO_CHECK(expression) returns the error of a Result<void>.
#define TACHO_TRY(name, ...)                             \
  auto name##_result = (__VA_ARGS__);                    \
  if (!name##_result.ok()) return name##_result.error(); \
  auto& name = *name##_result
#define TACHO_CHECK(...)                                                                    \
  do {                                                                                      \
    if (auto check_result = (__VA_ARGS__); !check_result.ok()) return check_result.error(); \
  } while (false)
