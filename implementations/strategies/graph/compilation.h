// What making an instance's graphs takes: the options that say how, and a record of the time it took.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "implementations/backends/common/backend.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/graph/plan/executable.h"

namespace gdbench::strategies::graph {

class Compilation {
 public:
  // Reads the options `passes` and `dump`; throws Failure where one has no meaning. `problem` must outlive this.
  Compilation(const backends::Backend& backend, const gdbench_problem& problem, const gdbench_settings& settings);

  // Compiles what `build` returns; `name` is that of its files in the folder of the option `dump`.
  Compiled compile(const std::string& name, const std::function<Graph()>& build);
  // The same without a plan, for a backend that takes the whole graph as a region.
  Graph rewrite(const std::string& name, const std::function<Graph()>& build);
  // What a backend did while it bound a region: recorded like the graph's own passes.
  void add(const backends::RegionCall& region);
  // Runs what binds the graphs.
  template <class Body>
  auto bind(const Body& body) {
    const TimeAdded added(bind_ns_);
    return body();
  }

  // A record per kind of work, in the phase compile.
  void report(const gdbench_profile_sink& sink) const;

 private:
  // Adds the time of its own life.
  class TimeAdded {
   public:
    explicit TimeAdded(double& sum) : sum_(sum), start_ns_(now_ns()) {}
    ~TimeAdded() { sum_ += now_ns() - start_ns_; }
    TimeAdded(const TimeAdded&) = delete;
    TimeAdded& operator=(const TimeAdded&) = delete;

   private:
    double& sum_;
    double start_ns_;
  };

  Graph built(const std::function<Graph()>& build);
  static void add_report(std::vector<PassReport>& reports, const PassReport& report);

  std::uint32_t backend_flags_;
  const gdbench_problem& problem_;
  Selection selection_;
  std::string dump_folder_;
  std::int64_t graphs_ = 0;
  double build_ns_ = 0;
  double bind_ns_ = 0;
  std::string region_passes_;
  std::vector<PassReport> parts_;  // of a backend's work on regions, which are no passes
  std::vector<PassReport> passes_;
};

}  // namespace gdbench::strategies::graph
