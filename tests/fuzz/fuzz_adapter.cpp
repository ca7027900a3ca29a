// A hostile adapter: to each request it answers the input's next line, and then it is gone. It is a process, so that
// each input takes some milliseconds.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>

#include "harness/data/dataset.h"
#include "harness/protocol/process_client.h"
#include "harness/protocol/state_image.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

namespace gdbench::fuzz {
namespace {

struct Trained {
  Trained() {
    std::signal(SIGPIPE, SIG_IGN);
    const scenario::Scenario scenario =
        scenario::read_scenario(std::string(GDBENCH_SOURCE_DIR) + "/scenarios/linreg-3x2.json", {}).value();
    dataset = data::make_dataset(scenario).value();
    problem = data::make_problem(scenario, dataset).value();
    state = SharedMemory::create("fuzz-state", 3 * protocol::state_layout(problem).image_bytes).value();
  }
  data::Dataset dataset;
  scenario::Problem problem;
  SharedMemory state;
};

// All that a coordinator asks, until something is refused.
Status ask_all(protocol::Client& client, const Trained& trained) {
  const protocol::HelloAnswer hello = TRY(client.hello());
  if (hello.implementations.empty()) return {};
  TRY(client.load(hello.implementations[0].id, trained.dataset));
  TRY(client.prepare(trained.problem, {}, {}, trained.state.size()));
  TRY(client.set_state(0, 0));
  TRY(client.run({.steps = 3, .warm_up = 1}));
  TRY(client.run_on(2));
  TRY(client.get_state(1));
  TRY(client.evaluate());
  TRY(client.profile(2));
  return client.bye();
}

}  // namespace
}  // namespace gdbench::fuzz

GDBENCH_FUZZ_TARGET(adapter) {
  using namespace gdbench;
  static const fuzz::Trained trained;
  const fuzz::InputFile file(data, size);
  const std::string path = "/proc/" + std::to_string(getpid()) + file.path().string().substr(sizeof("/proc/self") - 1);
  protocol::Limits limits;
  limits.request = std::chrono::milliseconds(500);
  limits.permissions.network = true;  // without it the kernel keeps the adapter from this process's descriptors, too
  auto client = protocol::ProcessClient::start(
      {"/usr/bin/perl", "-e",
       R"(open($in, '<', shift); open($asked, '<&=3'); open($said, '>&=4');)"
       R"(while (<$asked>) { my $line = <$in>; last unless defined $line; syswrite($said, $line); last if /"bye"/; })",
       path},
      &trained.dataset.memory, &trained.state, limits);
  if (client.ok()) static_cast<void>(fuzz::ask_all(**client, trained));
  return 0;
}
