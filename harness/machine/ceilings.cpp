#include "harness/machine/ceilings.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/base/shared_memory.h"
#include "harness/base/text.h"
#include "harness/machine/probe_process.h"

namespace gdbench::machine {

namespace {

using Clock = std::chrono::steady_clock;

int measure_here(const CeilingOptions& options, const std::vector<Level>& levels, const std::vector<Probe>& probes,
                 std::span<double> best) {
  const auto start = Clock::now();
  ProbeTeam team(options.processors);
  if (!team.placed()) return kNotPlaced;
  std::byte* buffer = make_probe_buffer(buffer_bytes(probes, levels));
  if (buffer == nullptr) return kNoMemory;
  team.share(buffer);
  const double used = std::chrono::duration<double>(Clock::now() - start).count();
  run_probes(probes, levels, options.seconds - used, team, best);
  return kProbed;
}

// Waits for the child and takes it away; a child that hangs or is no longer wanted is killed.
Status wait_for(pid_t child, const CeilingOptions& options) {
  constexpr timespec kPause = {0, 2'000'000};
  const auto start = Clock::now();
  int status = 0;
  const char* why = nullptr;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (options.cancelled != nullptr && options.cancelled()) why = "interrupted";
    if (waited > options.seconds + kPatienceSeconds) why = "no answer";
    if (why != nullptr) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return failure(std::string("ceilings: ") + why);
    }
    nanosleep(&kPause, nullptr);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kProbed) return {};
  return failure(reason_of_end(status, options.processors));
}

}  // namespace

CacheSizes cache_sizes(const std::string& environment) {
  const Json found = Json::parse(environment);
  CacheSizes sizes;
  const Json::json_pointer place("/cpu/caches");
  if (!found.contains(place) || !found[place].is_array()) return sizes;
  for (const Json& cache : found[place]) {
    if (!cache.is_object() || cache.value("type", Json()) == "Instruction") continue;
    const Json level = cache.value("level", Json());
    const Json bytes = cache.value("bytes", Json());
    if (!level.is_number_integer() || !bytes.is_number_integer() || bytes.get<std::int64_t>() <= 0) continue;
    std::int64_t* const targets[] = {&sizes.l1, &sizes.l2, &sizes.l3};
    const auto number = level.get<std::int64_t>();
    if (number >= 1 && number <= 3) *targets[number - 1] = bytes.get<std::int64_t>();
  }
  return sizes;
}

Result<report::CeilingsMeasurement> measure_ceilings(const CeilingOptions& options) {
  const auto known = [](int processor) { return processor >= 0 && processor < CPU_SETSIZE; };
  if (options.processors.empty() || !std::ranges::all_of(options.processors, known)) {
    return failure(not_placed(options.processors));
  }
  const auto start = Clock::now();
  const int threads = static_cast<int>(options.processors.size());
  const std::vector<Level> levels = levels_of(options.caches, options.memory_bytes, threads);
  const std::vector<Probe> probes = probes_of(levels, options.spans);
  SharedMemory shared = TRY(SharedMemory::create("ceilings", probes.size() * sizeof(double)));
  const std::span<double> best(reinterpret_cast<double*>(shared.data()), probes.size());
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return failure(std::string("ceilings: no process could be started: ") + std::strerror(errno));
  if (child == 0) {
    become_probe(parent);
    _exit(measure_here(options, levels, probes, best));
  }
  TRY(wait_for(child, options));
  report::CeilingsMeasurement measurement;
  measurement.widths = widths_of(probes, levels, threads, best);
  if (threads > 1) measurement.threads = threads;
  measurement.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return measurement;
}

}  // namespace gdbench::machine
