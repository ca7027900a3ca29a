#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cell_planner.h"
#include "app/commands.h"
#include "app/npy_writer.h"
#include "app/selection.h"
#include "harness/measure/cell_worker.h"

namespace gdbench::app {

namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string scenario;
  std::string implementation = "hand/naive";
  std::vector<std::string> settings;
  std::int64_t steps = 0;  // 0: as the scenario says
  std::string dump;
};

template <class T>
Status dump_tensors(const fs::path& folder, const std::string& prefix, const scenario::Problem& problem,
                    const scenario::State& state) {
  const std::vector<scenario::ParameterShape> shapes = scenario::parameter_shapes(problem);
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    const std::vector<T> values(state.parameters[p].begin(), state.parameters[p].end());
    const bool bias = shapes[p].name.front() == 'b';
    const std::int64_t rows = bias ? shapes[p].columns : shapes[p].rows;
    const fs::path file = folder / (prefix + "_" + shapes[p].name + ".npy");
    TRY(write_npy(file, values.data(), rows, bias ? 0 : shapes[p].columns));
  }
  return {};
}

template <class T>
Status dump_data(const fs::path& folder, const data::Dataset& data) {
  if (data.stream) {
    std::fprintf(stderr, "dump: no x.npy and y.npy: the data are streamed from %s\n",
                 data.stream->file().path.string().c_str());
    return {};
  }
  Status status = write_npy(folder / "x.npy", data.x<T>(), data.rows, data.features);
  if (!status.ok()) return status;
  status = data.has_labels ? write_npy(folder / "y.npy", data.labels(), data.rows, 0)
                           : write_npy(folder / "y.npy", data.y<T>(), data.rows, data.outputs);
  if (!status.ok()) return status;
  if (data.has_order) return write_npy(folder / "order.npy", data.order(), data.epochs, data.rows);
  // One of an earlier dump would be taken for this one's.
  std::error_code ignored;
  fs::remove(folder / "order.npy", ignored);
  return {};
}

Status dump_losses(const fs::path& folder, const std::vector<double>& losses) {
  std::ofstream file(folder / "loss.csv");
  file << "step,loss\n";
  file.precision(std::numeric_limits<double>::max_digits10);
  for (std::size_t step = 0; step < losses.size(); ++step) file << step << "," << losses[step] << "\n";
  file.close();
  if (file) return {};
  return usage_error((folder / "loss.csv").string() + ": cannot be written");
}

template <class T>
Status dump(const fs::path& folder, const measure::PlannedScenario& planned, const scenario::State& final_state,
            const std::vector<double>& losses) {
  Status status = dump_data<T>(folder, *planned.dataset);
  if (status.ok()) status = dump_tensors<T>(folder, "initial", planned.problem, planned.start);
  if (status.ok()) status = dump_tensors<T>(folder, "final", planned.problem, final_state);
  if (status.ok()) status = dump_losses(folder, losses);
  if (!status.ok()) return status;
  std::ofstream file(folder / "scenario.json");
  file << scenario::to_json(scenario::with_absolute_paths(planned.scenario)).dump(2) << "\n";
  file.close();
  if (file) return {};
  return usage_error((folder / "scenario.json").string() + ": cannot be written");
}

// The loss over all rows before each step and after the last. NaN where the implementation offers none.
Result<std::vector<double>> run_steps(protocol::Client& client, std::int64_t steps) {
  std::vector<double> losses;
  TRY(client.set_state(measure::kStartImage, 0));
  for (std::int64_t step = 0;; ++step) {
    const Result<protocol::EvaluateAnswer> answer = client.evaluate();
    if (!answer.ok() && answer.error().kind != ErrorKind::unsupported) return answer.error();
    losses.push_back(answer.ok() ? answer->loss : std::nan(""));
    if (step == steps || interrupted()) return losses;
    TRY(client.run_on(1));
  }
}

// A worker that we stopped ourselves has done nothing wrong.
int report_failed_worker(const Error& error) {
  return interrupted() ? report_interrupted() : report_error({ErrorKind::crashed, error.message});
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

int train(const TrainOptions& options) {
  const Result<std::unique_ptr<SingleCell>> planned =
      plan_single_cell(options.scenario, options.implementation, options.settings);
  if (!planned.ok()) return interrupted() ? report_interrupted() : report_error(planned.error());
  const measure::PlannedScenario& scenario = planned.value()->scenario();
  const std::int64_t steps = options.steps > 0 ? options.steps : scenario.scenario.steps;
  if (!options.dump.empty()) {
    if (Status status = make_dump_folder(options.dump); !status.ok()) return report_error(status.error());
  }
  report::Launch launch;
  Result<measure::CellWorker> worker =
      measure::CellWorker::start(scenario, planned.value()->cell(), scenario.problem, worker_limits({}), launch);
  if (!worker.ok()) return report_failed_worker(worker.error());
  protocol::Client& client = worker->client();
  const Result<std::vector<double>> losses = run_steps(client, steps);
  if (!losses.ok()) return report_failed_worker(losses.error());
  const Result<std::int64_t> step = client.get_state(measure::kEndImage);
  if (!step.ok()) return report_failed_worker(step.error());
  if (Status status = client.bye(); !status.ok()) return report_failed_worker(status.error());

  std::printf("loss %.9g -> %.9g after %lld steps\n", losses->front(), losses->back(),
              static_cast<long long>(step.value()));
  if (!options.dump.empty()) {
    const scenario::State final_state = worker->state(measure::kEndImage, step.value());
    const Status dumped = catalogue::with_element(scenario.problem.dtype, [&](auto zero) {
      return dump<decltype(zero)>(options.dump, scenario, final_state, losses.value());
    });
    if (!dumped.ok()) return report_error(dumped.error());
    std::fprintf(stderr, "dump: %s\n", options.dump.c_str());
  }
  return interrupted() ? report_interrupted() : kFine;
}

}  // namespace

void add_train(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<TrainOptions>();
  CommandLine command = app.command("train", "Train once; dump the trajectory's ends for checking elsewhere");
  command.option("scenario", options->scenario, "Scenario by name or file").required();
  command.option("--impl", options->implementation, "Implementation").show_default().type_name("ID");
  command.option("--steps", options->steps, "Steps (default: the scenario's)")
      .between(std::int64_t{1}, std::int64_t{1'000'000'000});
  command.option("--set", options->settings, "Override a key of the scenario, or impl.KEY of the implementation")
      .type_name("KEY=VALUE")
      .one_value_at_a_time();
  command
      .option("--dump", options->dump,
              "Folder for x.npy, y.npy, order.npy (mini-batches), initial_w0.npy ..., final_w0.npy ..., "
              "loss.csv, scenario.json")
      .type_name("DIRECTORY");
  command.footer("Example:\n  gdbench train mlp-10-50-1 --impl hand/eigen --steps 20 --dump trajectory");
  command.when_chosen([options, &invocation] {
    install_signal_handlers();
    invocation.status = train(*options);
  });
}

}  // namespace gdbench::app
