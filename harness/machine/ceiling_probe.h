// Ceilings side by side with what is judged by them: a process that waits and, whenever it is asked, measures.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/base/unique_descriptor.h"
#include "harness/machine/probes.h"
#include "harness/report/report.h"

namespace gdbench::machine {

class CeilingProbe {
 public:
  // Starts the process, which uses no processor until it is asked. Errors: the system has no process or no memory.
  static Result<CeilingProbe> start(std::vector<FloorFigures> figures);
  ~CeilingProbe();
  CeilingProbe(CeilingProbe&& other) noexcept;
  CeilingProbe& operator=(CeilingProbe&&) = delete;
  CeilingProbe(const CeilingProbe&) = delete;
  CeilingProbe& operator=(const CeilingProbe&) = delete;

  // Measures each figure once, and keeps the best of all that `counts`. Errors, after which there is no process: it
  // ended, hung, or was cancelled.
  Status measure(bool counts, const std::function<bool()>& cancelled);

  // The best of each of the figures, in their order, without `at` and `seconds`.
  std::vector<report::CeilingsMeasurement> measurements() const;

 private:
  CeilingProbe(std::vector<FloorFigures> figures, std::vector<std::vector<Probe>> probes, SharedMemory shared)
      : figures_(std::move(figures)), probes_(std::move(probes)), shared_(std::move(shared)) {}
  [[noreturn]] void serve() const;
  std::span<double> best_of(std::size_t team) const;
  Error end(const char* why);

  std::vector<FloorFigures> figures_;
  std::vector<std::vector<Probe>> probes_;  // of each of them
  SharedMemory shared_;                     // the best of each probe, team after team
  pid_t process_ = 0;
  UniqueDescriptor socket_;  // a byte asks for a visit, a byte answers
};

}  // namespace gdbench::machine
