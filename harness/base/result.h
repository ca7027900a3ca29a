// Result<T>: a value or an Error. The harness reports failures through it; exceptions stay inside the function that
// calls a throwing library.
//
//   Result<Scenario> scenario = read_scenario(path);
//   if (!scenario.ok()) return scenario.error();
//   use(scenario.value());
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
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

// A Result without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace gdbench
