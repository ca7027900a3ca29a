#include "harness/machine/ceiling_probe.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "harness/base/text.h"
#include "harness/machine/probe_process.h"
#include "harness/machine/repetition.h"

namespace gdbench::machine {

namespace {

// Several times the clock's own 30 ns; short beside a block, for each of them is one more wait for all cells.
constexpr double kTurnNs = 100'000;

constexpr char kCounts = 'c';
constexpr char kWarmsUp = 'w';

}  // namespace

Result<CeilingProbe> CeilingProbe::start(std::vector<FloorFigures> figures) {
  std::vector<std::vector<Probe>> probes;
  std::size_t count = 0;
  for (const FloorFigures& team : figures) count += probes.emplace_back(probes_of(team)).size();
  SharedMemory shared =
      TRY(SharedMemory::create("ceilings of launch", std::max<std::size_t>(count, 1) * sizeof(double)));
  CeilingProbe probe(std::move(figures), std::move(probes), std::move(shared));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return failure(std::string("ceilings: no socket: ") + std::strerror(errno));
  probe.socket_ = UniqueDescriptor(ends[0]);
  UniqueDescriptor of_process(ends[1]);
  const pid_t parent = getpid();
  probe.process_ = fork();
  if (probe.process_ < 0) {
    probe.process_ = 0;
    return failure(std::string("ceilings: no process could be started: ") + std::strerror(errno));
  }
  if (probe.process_ == 0) {
    become_probe(parent);
    probe.socket_ = std::move(of_process);
    probe.serve();
  }
  return probe;
}

CeilingProbe::CeilingProbe(CeilingProbe&& other) noexcept
    : figures_(std::move(other.figures_)),
      probes_(std::move(other.probes_)),
      shared_(std::move(other.shared_)),
      process_(std::exchange(other.process_, 0)),
      socket_(std::move(other.socket_)) {}

CeilingProbe::~CeilingProbe() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void CeilingProbe::serve() const {
  std::int64_t bytes = 64;
  std::vector<std::vector<Repetition>> repetitions;
  for (const std::vector<Probe>& probes : probes_) {
    bytes = std::max(bytes, buffer_bytes(probes, {}));
    repetitions.emplace_back(probes.size(), Repetition(kTurnNs));
  }
  std::byte* buffer = make_probe_buffer(bytes);
  if (buffer == nullptr) _exit(kNoMemory);
  char request = 0;
  // Another probe is the first one each time: it may run while the processor is still waking up.
  for (std::size_t visit = 0; recv(socket_.number(), &request, 1, 0) == 1; ++visit) {
    for (std::size_t t = 0; t < figures_.size(); ++t) {
      ProbeTeam team(figures_[t].processors);
      if (!team.placed()) _exit(kNotPlaced);
      team.share(buffer);
      const std::size_t count = probes_[t].size();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t p = (visit + i) % count;
        const Reading reading = repetitions[t][p].once(probes_[t][p], {}, team);
        double& best = best_of(t)[p];
        if (request == kCounts && reading.nanoseconds > 0) best = std::max(best, reading.units / reading.nanoseconds);
      }
    }
    if (send(socket_.number(), &request, 1, MSG_NOSIGNAL) != 1) break;
  }
  _exit(kProbed);
}

std::span<double> CeilingProbe::best_of(std::size_t team) const {
  auto* first = reinterpret_cast<double*>(shared_.data());
  for (std::size_t t = 0; t < team; ++t) first += probes_[t].size();
  return {first, probes_[team].size()};
}

Error CeilingProbe::end(const char* why) {
  if (why != nullptr) kill(process_, SIGKILL);
  int status = 0;
  waitpid(std::exchange(process_, 0), &status, 0);
  return why != nullptr ? failure(cat("ceilings: ", why)) : failure(reason_of_end(status, figures_.front().processors));
}

Status CeilingProbe::measure(bool counts, const std::function<bool()>& cancelled) {
  using Clock = std::chrono::steady_clock;
  const char request = counts ? kCounts : kWarmsUp;
  if (send(socket_.number(), &request, 1, MSG_NOSIGNAL) != 1) return end(nullptr);
  const auto start = Clock::now();
  pollfd reply{socket_.number(), POLLIN, 0};
  constexpr int kLookMs = 50;  // for an interruption
  while (poll(&reply, 1, kLookMs) <= 0) {
    if (cancelled()) return end("interrupted");
    if (std::chrono::duration<double>(Clock::now() - start).count() > kPatienceSeconds) return end("no answer");
  }
  char answer = 0;
  if (recv(socket_.number(), &answer, 1, 0) != 1) return end(nullptr);
  return {};
}

std::vector<report::CeilingsMeasurement> CeilingProbe::measurements() const {
  std::vector<report::CeilingsMeasurement> measurements;
  for (std::size_t t = 0; t < figures_.size(); ++t) {
    const int threads = static_cast<int>(figures_[t].processors.size());
    report::CeilingsMeasurement& measurement = measurements.emplace_back();
    measurement.widths = widths_of(probes_[t], {}, threads, best_of(t));
    if (threads > 1) measurement.threads = threads;
  }
  return measurements;
}

}  // namespace gdbench::machine
