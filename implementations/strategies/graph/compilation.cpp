#include "implementations/strategies/graph/compilation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "implementations/common/options.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/graph/dump.h"

namespace gdbench::strategies::graph {

Compilation::Compilation(const backends::Backend& backend, const gdbench_problem& problem,
                         const gdbench_settings& settings)
    : backend_flags_(backend.flags),
      problem_(problem),
      selection_(parse_selection(implementations::option_value(settings, "passes"), backend.regions.passes)),
      dump_folder_(implementations::option_value(settings, "dump")),
      region_passes_(backend.regions.passes) {}

Graph Compilation::built(const std::function<Graph()>& build) {
  const double start = now_ns();
  Graph graph = build();
  build_ns_ += now_ns() - start;
  ++graphs_;
  return graph;
}

Observer Compilation::observer(const std::string& name) const {
  return dump_folder_.empty() ? Observer() : dump_to(dump_folder_, name);
}

void Compilation::add_report(std::vector<PassReport>& reports, const PassReport& report) {
  const auto known = std::find_if(reports.begin(), reports.end(),
                                  [&](const PassReport& other) { return std::string_view(other.name) == report.name; });
  if (known == reports.end()) {
    reports.push_back(report);
    return;
  }
  known->fired += report.fired;
  known->nanoseconds += report.nanoseconds;
}

void Compilation::add_reports(const std::vector<PassReport>& reports) {
  for (const PassReport& report : reports) add_report(passes_, report);
}

void Compilation::add(const backends::RegionCall& region) {
  for (std::size_t i = 0; i < region.report_count; ++i) {
    const backends::RegionReport& report = region.reports[i];
    add_report(implementations::is_among(region_passes_, report.name) ? passes_ : parts_,
               {report.name, report.fired, report.nanoseconds});
  }
}

Compiled Compilation::compile(const std::string& name, const std::function<Graph()>& build) {
  Compiled compiled = graph::compile(built(build), {backend_flags_, problem_.optimizer}, selection_,
                                     catalogue::dtype_of(problem_), observer(name));
  if (!dump_folder_.empty()) dump_plan(dump_folder_, name, compiled);
  add_reports(compiled.reports);
  return compiled;
}

Graph Compilation::rewrite(const std::string& name, const std::function<Graph()>& build) {
  Graph graph = built(build);
  const Target target{.backend_flags = backend_flags_, .optimizer = problem_.optimizer, .region = true};
  add_reports(run_passes(graph, all_passes(), selection_.passes, target, observer(name)));
  remove_dead_code(graph, target);  // also where that pass is switched off: a region has no word for what is dead
  return graph;
}

void Compilation::report(const gdbench_profile_sink& sink) const {
  const auto record = [&](const std::string& name, std::int64_t calls, double nanoseconds) {
    gdbench_profile_record values{};
    values.op = name.c_str();
    values.phase = static_cast<std::int32_t>(catalogue::Phase::compile);
    values.calls = static_cast<std::uint64_t>(calls);
    values.time_ns = nanoseconds;
    sink.record(sink.context, &values);
  };
  record("build", graphs_, build_ns_);
  for (const PassReport& pass : passes_) record(std::string("pass ") + pass.name, pass.fired, pass.nanoseconds);
  for (const PassReport& part : parts_) record(part.name, part.fired, part.nanoseconds);
  record("bind", graphs_, bind_ns_);
}

}  // namespace gdbench::strategies::graph
