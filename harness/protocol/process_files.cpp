#include "harness/protocol/process_files.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/text.h"

namespace gdbench::protocol {

namespace {

constexpr std::int64_t kStatusUnit = 1024;  // of memory in a process's status

// The numbers of some fields of a process's status, in one reading; 0 for what cannot be read.
template <std::size_t count>
std::array<std::int64_t, count> status_numbers(pid_t pid, const std::array<std::string_view, count>& fields) {
  std::array<std::int64_t, count> numbers{};
  std::ifstream file(cat("/proc/", pid, "/status"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    const auto field = std::find(fields.begin(), fields.end(), std::string_view(line).substr(0, colon));
    if (colon == std::string::npos || field == fields.end()) continue;
    numbers[static_cast<std::size_t>(field - fields.begin())] = std::strtoll(line.c_str() + colon + 1, nullptr, 10);
  }
  return numbers;
}

// The sum of two fields of a process's stat, by their numbers in proc_pid_stat(5), from 3; nothing where unreadable.
std::optional<std::int64_t> sum_of_stat(pid_t pid, int first, int second) {
  std::ifstream file(cat("/proc/", pid, "/stat"));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  std::istringstream fields(text.substr(text.rfind(')') + 1));  // its name may have blanks
  std::string field;
  std::int64_t sum = 0;
  for (int number = 3; number <= second && fields >> field; ++number) {
    if (number == first || number == second) sum += std::strtoll(field.c_str(), nullptr, 10);
  }
  return sum;
}

// The CPU time of the children that a process has waited for, and of theirs.
std::int64_t ended_children_cpu_ns(pid_t pid) {
  return sum_of_stat(pid, 16, 17).value_or(0) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

// A process, its children, and theirs.
std::vector<pid_t> with_descendants(pid_t pid) {
  std::vector<pid_t> processes = {pid};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (const pid_t child : children_of(processes[i])) processes.push_back(child);
  }
  return processes;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code ended;
  for (const auto& task : std::filesystem::directory_iterator(cat("/proc/", pid, "/task"), ended)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

Descendants descendants_of(pid_t pid) {
  Descendants below;
  for (const pid_t process : with_descendants(pid)) {
    below.cpu_ns += ended_children_cpu_ns(process);
    if (process == pid) continue;
    ++below.processes;
    below.cpu_ns += cpu_ns_of(process);
  }
  return below;
}

MemoryUse memory_of(pid_t pid, std::set<FileIdentity> given, std::int64_t given_bytes) {
  MemoryUse use;
  for (const pid_t process : with_descendants(pid)) {
    const auto [anonymous, shared] = status_numbers<2>(process, {"RssAnon", "RssShmem"});
    const std::int64_t own_shared = std::max<std::int64_t>(0, shared * kStatusUnit - given_bytes);
    use.anonymous += anonymous * kStatusUnit + std::max(own_shared, memory_file_bytes(process, given));
    use.shared = std::max(use.shared, shared * kStatusUnit);  // mostly the same memory
  }
  return use;
}

// Ranks are processes below a worker's.
std::int64_t peak_resident_bytes_of(pid_t pid) {
  std::int64_t bytes = 0;
  for (const pid_t process : with_descendants(pid)) bytes += status_numbers<1>(process, {"VmHWM"})[0] * kStatusUnit;
  return bytes;
}

int threads_of(pid_t pid) { return static_cast<int>(status_numbers<1>(pid, {"Threads"})[0]); }

std::int64_t cpu_ns_of(pid_t pid) {
  clockid_t clock;
  timespec time{};
  if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::optional<std::int64_t> page_faults_of(pid_t pid) { return sum_of_stat(pid, 10, 12); }

}  // namespace gdbench::protocol
