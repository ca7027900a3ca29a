#include "implementations/strategies/graph/dump.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "implementations/common/failure.h"
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
    case Location::Place::nowhere:
      break;
  }
  return "nowhere";
}

}  // namespace

Observer dump_to(const std::string& folder, const std::string& name) {
  return [=, number = std::make_shared<int>(0)](const Graph& graph, const Pass* pass) {
    const std::string digits = std::to_string((*number)++);
    const std::string file = name + "-" + std::string(digits.size() < 2 ? 2 - digits.size() : 0, '0') + digits + "-" +
                             (pass == nullptr ? "built" : pass->name);
    write(folder, file + ".txt", text_of(graph));
    write(folder, file + ".dot", dot_of(graph, file));
  };
}

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

}  // namespace gdbench::strategies::graph
