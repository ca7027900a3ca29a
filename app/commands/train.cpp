#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "app/commands.h"
#include "app/console.h"
#include "app/plan.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/verify_cell.h"
#include "harness/verify/divergence.h"

namespace gdbench::app {

namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  Request request;
  std::string implementation = "hand/naive";
  std::int64_t steps = 0;  // 0: as the scenario says
  std::string dump;
};

// Magic, version, length and a Python dictionary, padded with spaces to a multiple of 64 bytes (numpy.lib.format).
std::string npy_header(const char* descr, std::int64_t rows, std::int64_t columns) {
  const std::string shape = columns == 0 ? cat("(", rows, ",)") : cat("(", rows, ", ", columns, ")");
  std::string dictionary = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }");
  constexpr std::size_t kPrefix = 10;
  const std::size_t unpadded = kPrefix + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary.push_back('\n');
  std::string text("\x93NUMPY\x01\x00", 8);
  text.push_back(static_cast<char>(dictionary.size() & 0xff));
  text.push_back(static_cast<char>(dictionary.size() >> 8));
  return text + dictionary;
}

// NumPy's file format, version 1.0, so that anyone can check a trajectory with NumPy or PyTorch: C-ordered arrays of
// shape [rows, columns]; columns 0 means a vector [rows]. Errors: the file cannot be written.
template <class T>
Status write_npy(const fs::path& file, const T* values, std::int64_t rows, std::int64_t columns) {
  constexpr bool kReal = std::is_floating_point_v<T>;
  constexpr const char* kDescr = !kReal                       ? std::is_signed_v<T> ? "<i4" : "<u4"
                                 : sizeof(T) == sizeof(float) ? "<f4"
                                                              : "<f8";
  static_assert(kReal || sizeof(T) == 4);
  std::ofstream stream(file, std::ios::binary);
  stream << npy_header(kDescr, rows, columns);
  const std::int64_t count = rows * std::max<std::int64_t>(columns, 1);
  stream.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(sizeof(T)) * count);
  stream.close();
  if (stream) return {};
  return usage_error(file.string() + ": cannot be written: " + std::strerror(errno));
}

template <class T>
Status dump_tensors(const fs::path& folder, const std::string& prefix, const scenario::Problem& problem,
                    const scenario::State& state) {
  const std::vector<scenario::ParameterShape> shapes = scenario::state_shapes(problem);
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    const std::vector<T> values(state.parameters[p].begin(), state.parameters[p].end());
    const bool vector = shapes[p].part != catalogue::LayerPart::weights;
    const std::int64_t rows = vector ? shapes[p].columns : shapes[p].rows;
    const fs::path file = folder / (prefix + "_" + shapes[p].name + ".npy");
    TRY(write_npy(file, values.data(), rows, vector ? 0 : shapes[p].columns));
  }
  return {};
}

template <class T>
Status dump_data(const fs::path& folder, const data::Dataset& data) {
  if (data.stream) {
    print_error("dump: no x.npy and y.npy: the data are streamed from " + data.stream->file().path.string());
    return {};
  }
  TRY(write_npy(folder / "x.npy", data.x<T>(), data.rows, data.features));
  TRY(data.has_labels ? write_npy(folder / "y.npy", data.labels(), data.rows, 0)
                      : write_npy(folder / "y.npy", data.y<T>(), data.rows, data.outputs));
  if (data.has_order) return write_npy(folder / "order.npy", data.order(), data.epochs, data.rows);
  // One of an earlier dump would be taken for this one's.
  std::error_code ignored;
  fs::remove(folder / "order.npy", ignored);
  return {};
}

Status write_file(const fs::path& path, const std::function<void(std::ofstream& file)>& write) {
  std::ofstream file(path);
  write(file);
  file.close();
  return file ? Status() : usage_error(path.string() + ": cannot be written");
}

template <class T>
Status dump(const fs::path& folder, const measure::PlannedScenario& planned, const scenario::State& final_state,
            const std::vector<double>& losses) {
  TRY(dump_data<T>(folder, *planned.dataset));
  TRY(dump_tensors<T>(folder, "initial", planned.problem, planned.start));
  TRY(dump_tensors<T>(folder, "final", planned.problem, final_state));
  TRY(write_file(folder / "loss.csv", [&](std::ofstream& file) {
    file << "step,loss\n";
    file.precision(std::numeric_limits<double>::max_digits10);
    for (std::size_t step = 0; step < losses.size(); ++step) file << step << "," << losses[step] << "\n";
  }));
  return write_file(folder / "scenario.json", [&](std::ofstream& file) {
    file << scenario::to_json(scenario::with_absolute_paths(planned.scenario)).dump(2) << "\n";
  });
}

// The loss over all rows before the first step and after the last; with `each`, after every step. NaN where the
// implementation offers none. Otherwise steps are taken as many at once as take a short while, so that an interrupt is
// noticed.
Result<std::vector<double>> run_steps(protocol::Client& client, std::int64_t steps, bool each) {
  constexpr std::chrono::milliseconds kShort{100};
  std::vector<double> losses;
  TRY(client.set_state(measure::kStartImage, 0));
  std::int64_t at_once = 1;
  for (std::int64_t step = 0;;) {
    const bool ends = step == steps || interrupted();
    if (each || step == 0 || ends) {
      const Result<protocol::EvaluateAnswer> answer = client.evaluate();
      if (!answer.ok() && answer.error().kind != ErrorKind::unsupported) return answer.error();
      losses.push_back(answer.ok() ? answer->loss : std::nan(""));
    }
    if (ends) return losses;
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t next = std::min(at_once, steps - step);
    TRY(client.run_on(next));
    step += next;
    if (!each && std::chrono::steady_clock::now() - start < kShort) at_once *= 2;
  }
}

// Before training, so that a long one is not lost to a folder that cannot be.
Status make_dump_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return usage_error("--dump " + folder + ": " + error.message());
  if (access(folder.c_str(), W_OK) != 0)
    return usage_error("--dump " + folder + ": found a folder that cannot be written");
  return {};
}

struct Trained {
  std::int64_t steps = 0;
  std::vector<double> losses;
  scenario::State state;
};

Result<Trained> train_in_worker(const measure::PlannedScenario& scenario, std::int64_t steps, bool each_loss,
                                const protocol::Limits& limits) {
  report::Launch launch;
  const measure::PlannedCell& cell = scenario.cells.front();
  const scenario::Problem problem = measure::trained_problem(scenario, cell);
  measure::CellWorker worker = TRY(measure::CellWorker::start(scenario, cell, problem, limits, launch));
  Trained trained;
  trained.losses = TRY(run_steps(worker.client(), steps, each_loss));
  trained.steps = TRY(worker.client().get_state(measure::kEndImage));
  TRY(worker.client().bye());
  trained.state = worker.state(measure::kEndImage, trained.steps);
  return trained;
}

Result<int> train(const TrainOptions& options) {
  install_signal_handlers();
  const measure::CellGroup group = TRY(plan_cell(options.request, options.implementation));
  const measure::PlannedScenario& scenario = group.scenario();
  if (!options.dump.empty()) {
    TRY(make_dump_folder(options.dump));
  }
  const Result<Trained> trained = train_in_worker(scenario, options.steps > 0 ? options.steps : scenario.scenario.steps,
                                                  !options.dump.empty(), worker_limits(options.request));
  if (!trained.ok()) return Error{ErrorKind::crashed, trained.error().message};
  print_text(formatted("loss %.9g -> %.9g after %lld steps\n", trained->losses.front(), trained->losses.back(),
                       static_cast<long long>(trained->steps)));
  if (!(trained->losses.back() <= trained->losses.front())) {
    const Status converges =
        verify::check_convergence(scenario.problem, *scenario.dataset, scenario.start, trained->steps);
    if (!converges.ok()) print_error(cat("gdbench: ", scenario.scenario.place(), ": ", converges.error().message));
  }
  if (!options.dump.empty()) {
    const Status dumped = catalogue::with_element(scenario.problem.dtype, [&](auto zero) {
      return dump<decltype(zero)>(options.dump, scenario, trained->state, trained->losses);
    });
    if (!dumped.ok()) return report_error(dumped.error());
    print_error("dump: " + options.dump);
  }
  return interrupted() ? report_interrupted() : kFine;
}

}  // namespace

void add_train(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App& command = *app.add_subcommand("train", "Train once; dump the trajectory's ends for checking elsewhere");
  add_scenario(command, options->request);
  add_value(command, "--impl", "ID", options->implementation, "Implementation")->capture_default_str();
  command.add_option("--steps", options->steps, "Steps (default: the scenario's)")
      ->check(integer_from(1, 1'000'000'000));
  add_worker_options(command, options->request);
  add_value(command, "--dump", "DIRECTORY", options->dump,
            "Folder for x.npy, y.npy, order.npy (mini-batches), initial_w0.npy ..., final_w0.npy ..., "
            "loss.csv, scenario.json");
  command.footer("Example:\n  gdbench train mlp-10-50-1 --impl hand/eigen --steps 20 --dump trajectory");
  when_chosen(command, invocation, [options] { return train(*options); });
}

}  // namespace gdbench::app
