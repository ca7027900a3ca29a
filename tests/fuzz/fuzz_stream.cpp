// Data that stay in their file, described and then read in order and from some row on. The first byte says of what
// format the file is.
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/data/stream.h"
#include "harness/data/stream_dataset.h"
#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

// A folder of this process, with the scenarios that read its files.
class Scenarios {
 public:
  Scenarios() {
    std::string name = fs::temp_directory_path() / "gdbench-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    for (const bool npy : {false, true}) write_data(npy, nullptr, 0);
  }
  ~Scenarios() { fs::remove_all(folder_); }
  Scenarios(const Scenarios&) = delete;
  Scenarios& operator=(const Scenarios&) = delete;

  void write_data(bool npy, const char* data, std::size_t size) const {
    std::ofstream(file(npy), std::ios::binary).write(data, static_cast<std::streamsize>(size));
  }

  const gdbench::scenario::Scenario& scenario(bool npy) const {
    static const gdbench::scenario::Scenario read[] = {read_scenario(false), read_scenario(true)};
    return read[npy ? 1 : 0];
  }

 private:
  fs::path file(bool npy) const { return folder_ / (npy ? "table.npy" : "table.csv"); }

  gdbench::scenario::Scenario read_scenario(bool npy) const {
    const fs::path path = folder_ / "s.json";
    std::ofstream(path)
        << R"({"name": "s", "model": {"kind": "linear_regression"}, "data": {"source": "stream", "path": )" << file(npy)
        << R"(, "targets": [)" << (npy ? "0" : R"("y")")
        << R"(]}, "batch": {"rows": 2, "shuffle": false}, "standardise": {"features": true}, )"
        << R"("optimizer": {"learning_rate": 0.1}})";
    return gdbench::scenario::read_scenario(path, {}).value();
  }

  fs::path folder_;
};

}  // namespace

GDBENCH_FUZZ_TARGET(stream) {
  if (size == 0) return 0;
  static const Scenarios scenarios;
  const bool npy = (data[0] & 1) != 0;
  scenarios.write_data(npy, reinterpret_cast<const char*>(data + 1), size - 1);
  const auto dataset = gdbench::data::make_stream_dataset(scenarios.scenario(npy), {});
  if (!dataset.ok()) return 0;
  std::vector<double> x;
  std::vector<double> targets;
  for (const std::int64_t first : {std::int64_t{0}, dataset->rows / 2, std::int64_t{0}}) {
    dataset->stream->read(first, dataset->rows - first, x, targets);
  }
  if (dataset->stream->fault()) std::abort();  // the same file was read before, and was fine
  return 0;
}
