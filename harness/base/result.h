// Result<T>: a value or an Error. The harness reports failures through it; exceptions stay inside the function that
// calls a throwing library.
//
//   const Scenario scenario = TRY(read_scenario(path));      // returns the error from this function
//   TRY(write_report(report, path));                          // of a Status, too
//
//   const Result<Scenario> scenario = read_scenario(path);   // where the error is dealt with
//   if (!scenario.ok()) return say(scenario.error());
//   use(*scenario);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace gdbench {

enum class ErrorKind {
  usage,         // the caller's input is wrong: one line, exit status 2
  unsupported,   // a combination that is not offered; not a fault
  failed,        // an operation of the system or of a worker failed
  exhausted,     // the system gives this process no more descriptors or processes, so that no worker can be started
  crashed,       // a worker process ended
  disconnected,  // the other end of a channel is gone
  timed_out,     // a worker did not answer in time
  untrusted,     // what a worker says of itself cannot be
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string message;  // one line
};

inline Error usage_error(std::string message) { return {ErrorKind::usage, std::move(message)}; }
inline Error failure(std::string message) { return {ErrorKind::failed, std::move(message)}; }
inline Error unsupported(std::string message) { return {ErrorKind::unsupported, std::move(message)}; }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return content_.index() == 0; }
  T& value() & { return std::get<0>(content_); }
  const T& value() const& { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

// A Result without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  Status(const Result<T>& result) {  // NOLINT(google-explicit-constructor)
    if (!result.ok()) error_ = result.error();
  }

  bool ok() const { return !error_.has_value(); }
  void value() const {}
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace gdbench

// The value of a Result, or of a Status nothing; an error is returned from the function that this stands in. An
// expression that returns is an extension which g++ and clang share.
#define TRY(expression)                                    \
  ({                                                       \
    auto result_of_try = (expression);                     \
    if (!result_of_try.ok()) return result_of_try.error(); \
    std::move(result_of_try).value();                      \
  })
