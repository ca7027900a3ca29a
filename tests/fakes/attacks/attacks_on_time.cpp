// Attacks on the time of an implementation's own blocks.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "attacks.h"

namespace gdbench::tests {

namespace {

// Makes no step in a timed block.
gdbench_status run_lazily(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps)) return honest_run(self, steps);
  wait_until(now_ns() + 0.6 * self.block_ns);
  return answer(self, self.start, steps);
}

// Makes half of a timed block's steps.
gdbench_status run_half(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps)) return honest_run(self, steps);
  const gdbench_status status = honest_run(self, std::max<std::uint64_t>(1, steps / 2));
  self.step += static_cast<std::int64_t>(steps - std::max<std::uint64_t>(1, steps / 2));
  return status;
}

// Learns in untimed warm-ups where a whole block leads, and answers a block from there.
gdbench_status run_knowing_the_warm_up(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps)) {
    const gdbench_status status = honest_run(self, steps);
    if (timed_steps(self) == 0 || steps >= timed_steps(self)) return status;
    wrapped_run(self, timed_steps(self) - steps);
    self.way = added(self, wrapped_values(self), self.start, -1);
    return status;
  }
  if (self.way.empty()) return honest_run(self, steps);
  wait_until(now_ns() + 0.6 * self.block_ns);
  return answer(self, added(self, self.start, self.way, 1), steps);
}

// Makes one honest block and then adds its way to wherever a block starts, in 0.7 of the time.
gdbench_status run_extrapolating(gdbench_instance& self, std::uint64_t steps) {
  if (!in_timed_block(self, steps)) return honest_run(self, steps);
  if (self.way.empty()) {
    const gdbench_status status = honest_run(self, steps);
    self.way = added(self, wrapped_values(self), self.start, -1);
    return status;
  }
  wait_until(now_ns() + 0.7 * self.block_ns);
  return answer(self, added(self, self.start, self.way, 1), steps);
}

// Makes the first step of a block before its clock runs.
gdbench_status step_in_set_state(gdbench_instance& self) {
  if (timed_steps(self) == 0) return GDBENCH_OK;
  return wrapped_run(self, std::max<std::uint64_t>(1, timed_steps(self) / 4));
}

gdbench_status run_in_set_state(gdbench_instance& self, std::uint64_t steps) {
  const std::uint64_t made = timed_steps(self) == 0 ? 0 : std::max<std::uint64_t>(1, timed_steps(self) / 4);
  if (made == 0) return honest_run(self, steps);
  self.step += static_cast<std::int64_t>(steps);
  return steps > made ? wrapped_run(self, steps - made) : GDBENCH_OK;
}

volatile double sink = 0;
void spin(int /*signal*/) {
  const double end_ns = now_ns() + 4e6;
  while (now_ns() < end_ns) sink = sink + 1;
}

// Works in a timer's signal, between requests.
gdbench_status run_with_timer(gdbench_instance& self, std::uint64_t steps) {
  if (self.requests == 1) {
    struct sigaction action {};
    action.sa_handler = spin;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval every{{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  return honest_run(self, steps);
}

// Half of the time that passes; or all but what is hidden, for as long as the host reads its clocks after a call.
std::int64_t slow_since_ns = 0;
std::int64_t hidden_ns = 0;
std::int64_t hidden_since_ns = 0;
constexpr double kOverheadNs = 0.85e6;  // of a request that has nothing to do
bool burns = false;
double burns_from_ns = 0;
int slow_clock_gettime(clockid_t clock, timespec* time) {
  static const auto real = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_DEFAULT, "clock_gettime"));
  const int status = real(clock, time);
  if (status != 0 || clock == CLOCK_REALTIME || (slow_since_ns != 0 && clock != CLOCK_MONOTONIC)) return status;
  const std::int64_t at_ns = std::int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec;
  if (burns && now_ns() > burns_from_ns) {
    burns = false;
    wait_until(now_ns() + kOverheadNs);
  }
  if (hidden_ns != 0 && now_ns() > static_cast<double>(hidden_since_ns + 25'000)) hidden_ns = 0;
  const std::int64_t shown_ns = slow_since_ns != 0 ? slow_since_ns + (at_ns - slow_since_ns) / 2 : at_ns - hidden_ns;
  time->tv_sec = shown_ns / 1'000'000'000;
  time->tv_nsec = shown_ns % 1'000'000'000;
  return 0;
}

std::int64_t slow_steady_clock_now() {
  timespec time{};
  slow_clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void* replacement_of(std::string_view symbol) {
  if (symbol == "clock_gettime") return reinterpret_cast<void*>(slow_clock_gettime);
  if (symbol == "_ZNSt6chrono3_V212steady_clock3nowEv") return reinterpret_cast<void*>(slow_steady_clock_now);
  return nullptr;
}

// Where an object calls a clock of another one, it calls ours.
int replace_clocks(dl_phdr_info* object, std::size_t /*bytes*/, void* /*nothing*/) {
  if (std::string_view(object->dlpi_name).find("fake_attacks") != std::string_view::npos) return 0;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  }
  const ElfW(Rela)* relocations = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  std::size_t relocation_bytes = 0;
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_JMPREL) relocations = reinterpret_cast<const ElfW(Rela)*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_PLTRELSZ) relocation_bytes = dynamic->d_un.d_val;
  }
  if (relocations == nullptr || symbols == nullptr || names == nullptr) return 0;
  for (std::size_t i = 0; i < relocation_bytes / sizeof *relocations; ++i) {
    void* const replacement = replacement_of(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name);
    if (replacement == nullptr) continue;
    const auto entry = object->dlpi_addr + relocations[i].r_offset;
    const auto page = entry & ~static_cast<std::uintptr_t>(4095);
    if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE) != 0) continue;
    std::memcpy(reinterpret_cast<void*>(entry), &replacement, sizeof replacement);
  }
  return 0;
}

// Puts a clock that is slow where the program and its libraries look up theirs.
gdbench_status run_with_slow_clock(gdbench_instance& self, std::uint64_t steps) {
  if (slow_since_ns == 0) {
    slow_since_ns = static_cast<std::int64_t>(now_ns());
    dl_iterate_phdr(replace_clocks, nullptr);
  }
  return honest_run(self, steps);
}

void hide(double nanoseconds) {
  static const bool replaced = [] { return dl_iterate_phdr(replace_clocks, nullptr) == 0; }();
  if (!replaced) return;
  hidden_ns = static_cast<std::int64_t>(nanoseconds);
  hidden_since_ns = static_cast<std::int64_t>(now_ns());
}

// Of a process that made no more than its first steps: slow before the clock of a block without steps runs.
gdbench_status burn_at_first(gdbench_instance& self) {
  hide(0);
  burns = self.requests < 3;
  burns_from_ns = now_ns() + 20e3;
  return GDBENCH_OK;
}

// Slow where nothing is to be done, so that as much may be hidden from a block.
gdbench_status run_with_overhead(gdbench_instance& self, std::uint64_t steps) {
  hidden_ns = 0;
  const double started_ns = now_ns();
  const gdbench_status status = honest_run(self, steps);
  if (self.requests > 3) hide(std::min(0.3 * (now_ns() - started_ns), kOverheadNs));
  return status;
}

// Half of the steps in get_state, while its clock stands still.
gdbench_status run_with_overhead_behind(gdbench_instance& self, std::uint64_t steps) {
  make_what_was_left(self);
  hidden_ns = 0;
  return run_but(self, steps, self.requests > 3 ? steps / 2 : 0);
}
gdbench_status make_what_was_left_unseen(gdbench_instance& self) {
  if (self.left == 0) return GDBENCH_OK;
  const double started_ns = now_ns();
  const gdbench_status status = make_what_was_left(self);
  hide(now_ns() - started_ns);
  return status;
}

constexpr Attack kRows[] = {
    {"attack/lazy", run_lazily},
    {"attack/half", run_half},
    {"attack/warm-up", run_knowing_the_warm_up},
    {"attack/extrapolate", run_extrapolating},
    {"attack/set-state", run_in_set_state, step_in_set_state},
    {"attack/timer", run_with_timer},
    {"attack/clock", run_with_slow_clock},
    {.id = "attack/overhead", .run = run_with_overhead, .set_state = burn_at_first},
    {.id = "attack/overhead-behind",
     .run = run_with_overhead_behind,
     .set_state = burn_at_first,
     .get_state = make_what_was_left_unseen},
};
}  // namespace
const std::span<const Attack> kOnTime(kRows);

}  // namespace gdbench::tests
