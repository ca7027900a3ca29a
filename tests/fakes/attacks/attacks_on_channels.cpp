// Attacks on what a worker shares with the program: its pipes and its memory.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "attacks.h"

namespace gdbench::tests {

namespace {

void shrink() {
  tried(ftruncate(6, 0));
  tried(ftruncate(5, 0));
  tried(fallocate(6, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20));
  tried(fallocate(5, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20));
  tried(ftruncate(6, 1L << 40));
}

void write_ahead() {
  const std::string answers = "{\"id\":99999,\"ok\":true}\n{\"id\":1,\"ok\":true}\n";
  tried(write(4, answers.data(), answers.size()));
}
void write_escapes() {
  const std::string answers = "\033[2J\033]0;owned\007\r{\"ok\":true}\n";
  tried(write(4, answers.data(), answers.size()));
}
void write_without_end() {
  const std::string piece(1 << 16, '[');
  for (int i = 0; i < 1 << 14; ++i) {
    if (write(4, piece.data(), piece.size()) <= 0) break;
  }
}

// Sits between the worker and the program: what the host answers comes through it, its times made shorter.
double share = 0.7;

void edit(std::string& line) {
  for (const char* const key : {"\"real_ns\":", "\"cpu_ns\":"}) {
    const std::size_t at = line.find(key);
    if (at == std::string::npos) continue;
    const std::size_t from = at + std::strlen(key);
    const std::size_t to = line.find_first_of(",}", from);
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", share * std::atof(line.c_str() + from));
    line.replace(from, to - from, text);
  }
}

int between = -1;

void come_between() {
  if (between != -1) return;
  int ends[2];
  if (pipe(ends) != 0) return;
  const int out = fcntl(4, F_DUPFD_CLOEXEC, 40);
  between = out;
  dup2(ends[1], 4);
  close(ends[1]);
  std::thread([in = ends[0], out] {
    std::string text;
    char piece[65536];
    for (;;) {
      const ssize_t got = read(in, piece, sizeof piece);
      if (got <= 0) return;
      text.append(piece, static_cast<std::size_t>(got));
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        std::string line = text.substr(0, end);
        text.erase(0, end + 1);
        if (line.find("start_ns") != std::string::npos) edit(line);
        line += '\n';
        if (write(out, line.data(), line.size()) < 0) return;
      }
    }
  }).detach();
}

// Before the host ends, which may be sooner than what it answers last came through.
void step_aside(gdbench_instance& /*self*/) {
  if (between == -1) return;
  usleep(2000);
  dup2(between, 4);
}

volatile int spins = 0;
// Somebody keeps the pipes open for longer than the worker lives.
void leave_holder(gdbench_instance& /*self*/) {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    sleep(200);
    _exit(0);
  }
}

// A process that shares this one's memory and is the program's child, not this one's.
char stack[1 << 16];
int spin_beside(void* /*nothing*/) {
  for (const double end_ns = now_ns() + 3e9; now_ns() < end_ns;) spins = spins + 1;
  _exit(0);
}
void add_brother() { tried(clone(spin_beside, stack + sizeof stack, CLONE_VM | CLONE_PARENT | SIGCHLD, nullptr)); }

constexpr Attack kRows[] = {
    {"attack/shrinks", honest_run, act_once<shrink>},
    {"attack/writes-ahead", honest_run, act_once<write_ahead>},
    {"attack/writes-escapes", honest_run, act_once<write_escapes>},
    {"attack/writes-without-end", honest_run, act_once<write_without_end>},
    {.id = "attack/comes-between", .run = honest_run, .set_state = act_once<come_between>, .destroy = step_aside},
    {.id = "attack/leaves-holder", .run = honest_run, .destroy = leave_holder},
    {.id = "attack/brother", .run = honest_run, .set_state = act_once<add_brother>},
};
}  // namespace
const std::span<const Attack> kOnChannels(kRows);

}  // namespace gdbench::tests
