#include "implementations/strategies/graph/compilation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/strategies/graph/ir/print.h"

namespace gdbench::strategies::graph {
namespace {

namespace fs = std::filesystem;

void write(const std::string& folder, const std::string& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = fs::path(folder) / file;
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) throw implementations::Failure(GDBENCH_FAILED, "dump: cannot write " + path.string());
}

std::string place_of(const Location& location) {
  switch (location.place) {
    case Location::Place::input:
      return "in place of %" + std::to_string(location.node);
    case Location::Place::constant:
      return "constant";
    case Location::Place::gradient:
      return "gradient " + std::to_string(location.parameter);
    case Location::Place::arena:
      return "arena " + std::to_string(location.offset) + " +" + std::to_string(location.bytes);
    case Location::Place::none:
      break;
  }
  return "no place";
}

// Writes into `folder`, which it makes: NAME-00-built.txt and .dot, then a pair for each time a pass fired. Throws
// Failure where a file cannot be written. No folder: nothing.
Observer dump_to(const std::string& folder, const std::string& name) {
  if (folder.empty()) return {};
  return [=, number = std::make_shared<int>(0)](const Graph& graph, const Pass* pass) {
    const std::string digits = std::to_string((*number)++);
    const std::string file = name + "-" + std::string(digits.size() < 2 ? 2 - digits.size() : 0, '0') + digits + "-" +
                             (pass == nullptr ? "built" : pass->name);
    write(folder, file + ".txt", text_of(graph));
    write(folder, file + ".dot", dot_of(graph, file));
  };
}

// NAME-plan.txt: the final graph with the place of each value, and how often each pass fired.
void dump_plan(const std::string& folder, const std::string& name, const Compiled& compiled) {
  std::ostringstream text;
  for (const NodeId id : compiled.graph.order()) {
    if (compiled.graph[id].kind == Kind::input) continue;
    text << text_of(compiled.graph, id) << "; " << place_of(compiled.plan.locations[id]) << "\n";
  }
  text << "arena " << compiled.plan.arena_bytes << " bytes\n";
  for (const PassReport& report : compiled.reports) text << report.name << " fired " << report.fired << " times\n";
  write(folder, name + "-plan.txt", text.str());
}

}  // namespace

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

void Compilation::add_report(std::vector<PassReport>& reports, const PassReport& report) {
  const auto known =
      std::ranges::find(reports, std::string_view(report.name), [](const PassReport& other) { return other.name; });
  if (known == reports.end()) {
    reports.push_back(report);
    return;
  }
  known->fired += report.fired;
  known->nanoseconds += report.nanoseconds;
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
                                     catalogue::dtype_of(problem_), dump_to(dump_folder_, name));
  if (!dump_folder_.empty()) dump_plan(dump_folder_, name, compiled);
  for (const PassReport& report : compiled.reports) add_report(passes_, report);
  return compiled;
}

Graph Compilation::rewrite(const std::string& name, const std::function<Graph()>& build) {
  Graph graph = built(build);
  const Target target{.backend_flags = backend_flags_, .optimizer = problem_.optimizer, .region = true};
  for (const PassReport& report :
       run_passes(graph, all_passes(), selection_.passes, target, dump_to(dump_folder_, name))) {
    add_report(passes_, report);
  }
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
