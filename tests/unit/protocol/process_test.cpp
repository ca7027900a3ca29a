#include "harness/protocol/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/landlock.h"
#include "harness/base/shared_memory.h"
#include "tests/support/implementations/processors.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::protocol {
namespace {

Process started(const std::vector<std::string>& command, const Permissions* permissions = nullptr) {
  Result<Process> process = Process::start(command, {}, {}, "", permissions);
  EXPECT_TRUE(process.ok());
  return std::move(process).value();
}
Process shell(const std::string& script, const std::vector<InheritedDescriptor>& inherited = {},
              const std::vector<int>& processors = {}, const std::string& preload = "") {
  return Process::start({"/bin/sh", "-c", script}, inherited, processors, preload).value();
}

std::string last_line(Process process) {
  process.finish(5);
  return process.last_output_line();
}

// False for a zombie too.
bool alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::size_t state = line.rfind(") ");
  return state != std::string::npos && line[state + 2] != 'Z';
}

template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

TEST(Process, TellsThatAndHowItEnded) {
  EXPECT_EQ(shell("exit 0").finish(5).text(), "exit status 0");
  EXPECT_EQ(shell("exit 7").finish(5).text(), "exit status 7");
  EXPECT_EQ(shell("kill -SEGV $$").finish(5).text(), "signal 11 (Segmentation fault)");
  EXPECT_EQ(shell("kill -ABRT $$").finish(5).text(), "signal 6 (Aborted)");
  const Process brief = shell("exit 3");
  EXPECT_TRUE(soon([&] { return brief.has_ended(); }));
  EXPECT_FALSE(shell("sleep 10").has_ended());
  EXPECT_FALSE(Process().has_ended());
}

// Listens on a port of its own and connects to it; the exit status is errno's where one of them is refused.
TEST(Process, HasTheNetworkOnlyWhereItIsAsked) {
  const std::string script =
      "use Socket; socket(S, PF_INET, SOCK_STREAM, 0) or exit $!; bind(S, sockaddr_in(0, INADDR_LOOPBACK)) or exit $!;"
      "listen(S, 1); socket(C, PF_INET, SOCK_STREAM, 0); connect(C, getsockname(S)) or exit $!; exit 0";
  for (const bool network : {true, false}) {
    const Permissions permissions{.network = network};
    EXPECT_EQ(started({"perl", "-e", script}, &permissions).finish(5).text(),
              "exit status " + std::to_string(network ? 0 : EACCES));
  }
}

// The end of a script that is confined to its folder and `writable`.
ProcessEnd confined(const std::string& script, const std::vector<std::filesystem::path>& writable = {}) {
  const Permissions permissions{.writable = writable};
  return started({"/bin/sh", "-c", script}, &permissions).finish(5);
}

TEST(ConfinedProcess, WritesInItsFolderAlone) {
  if (landlock_version() == 0) GTEST_SKIP() << "the kernel has no Landlock (Linux 5.13 has)";
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("file");
  std::ofstream(file) << "whole";
  for (const std::string attempt : {"echo x > ", "rm ", "mkdir -p ", "mv ~/own ", "truncate --size 0 "}) {
    const std::string target = attempt.starts_with("mkdir") ? file + "s" : file;
    EXPECT_FALSE(confined("echo x > ~/own && " + attempt + target).is_success()) << attempt;
  }
  std::ifstream kept(file);
  std::string text;
  kept >> text;
  EXPECT_EQ(text, "whole");
  EXPECT_FALSE(std::filesystem::exists(file + "s"));
  EXPECT_TRUE(confined("echo x > " + file, {folder.path()}).is_success()) << "the user grants it";
  EXPECT_TRUE(confined("mktemp && mkdir -p $XDG_CACHE_HOME && echo x > ~/own && mv ~/own $TMPDIR && echo x > /dev/null")
                  .is_success())
      << "the folder and what is in it is its own";
}

TEST(ConfinedProcess, SignalsNoOther) {
  if (landlock_version() < 6) GTEST_SKIP() << "the kernel has no rules for signals (Linux 6.12 has)";
  Process bystander = shell("exec sleep 60");
  EXPECT_FALSE(confined("kill -9 " + std::to_string(bystander.pid())).is_success());
  EXPECT_FALSE(confined("kill -0 $PPID").is_success()) << "nor its parent";
  EXPECT_TRUE(confined("sleep 60 & kill -9 $!").is_success()) << "its own children it may";
  EXPECT_FALSE(bystander.has_ended());
}

TEST(Process, LeavesNothingBehind) {
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("pid");
  // Ends once the orphan, which is slow to start on a busy machine, has written its number.
  Process process =
      shell("(setsid sh -c 'echo $$ > " + file + "; exec sleep 60' &); until [ -s " + file + " ]; do sleep 0.01; done");
  pid_t orphan = 0;
  EXPECT_TRUE(soon([&] { return bool(std::ifstream(file) >> orphan); }));
  EXPECT_TRUE(process.finish(5).is_success());
  EXPECT_FALSE(alive(orphan)) << "in a session and a group of its own";
}

TEST(ConfinedProcess, ChangesNoOther) {
  const Permissions permissions;
  const std::string script =
      "require 'syscall.ph'; my ($pid, $one, $limits) = (getppid, pack('Q', 1), pack('QQ', 64, 64));"
      "my @refused = grep { $_->() != -1 } sub { setpriority(0, $pid, 19) ? 1 : -1 },"
      "sub { syscall(&SYS_sched_setaffinity, $pid, 8, $one) },"
      "sub { syscall(&SYS_prlimit64, $pid, 7, $limits, 0) },"
      "sub { socket(my $s, 1, 1, 0) ? 1 : -1 }, sub { open(F, \">$ENV{HOME}/x\"); chmod(0600, \"$ENV{HOME}/x\") ? 1 : "
      "-1 }; exit scalar @refused";
  Process process = started({"perl", "-e", script}, &permissions);
  const ProcessEnd end = process.finish(5);
  EXPECT_TRUE(end.is_success()) << end.text() << " " << process.output_tail();
  EXPECT_TRUE(confined("taskset --pid 1 $$ && ulimit -n 64").is_success()) << "what is its own it may";
}

TEST(Process, KnowsWhatIsBelowIt) {
  Process process = shell("(setsid sleep 60 &); sleep 60 & while :; do :; done");
  EXPECT_TRUE(soon([&] { return process.descendants().processes == 2; })) << "an orphan comes back to it";
  EXPECT_LT(process.descendants().cpu_ns, 1'000'000'000);
  Process busy = shell("sh -c 'while :; do :; done' & sleep 60");
  EXPECT_TRUE(soon([&] { return busy.descendants().cpu_ns > 50'000'000; }));
  Process ended = shell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exec sleep 60");
  EXPECT_TRUE(soon([&] { return ended.descendants().processes == 0 && ended.descendants().cpu_ns > 50'000'000; }))
      << "of those that have ended, too";
}

TEST(Process, CountsTheMemoryOfWhatItStarted) {
  // Each a shell with a text of 8 MB.
  const std::string text = "text=$(head -c 8000000 /dev/zero | tr '\\0' x); echo $$; sleep 10; echo $text";
  Process one = shell(text);
  const Process two = shell("sh -c \"$(cat <<'END'\n" + text + "\nEND\n)\" & " + text);
  constexpr std::int64_t kText = 8'000'000;
  EXPECT_TRUE(soon([&] { return one.memory().anonymous > kText; }));
  EXPECT_TRUE(soon([&] { return two.memory().anonymous > 2 * kText; })) << two.memory().anonymous;
  EXPECT_TRUE(soon([&] { return one.memory().anonymous < 2 * kText; })) << "once the shell has its text";
  EXPECT_GT(one.peak_resident_bytes(), one.memory().anonymous);
  EXPECT_GT(one.cpu_ns(), 1'000'000);
  EXPECT_TRUE(soon([&] { return one.page_faults() > 0; }));
  one.finish(0);
  EXPECT_EQ(one.cpu_ns(), 0);
  EXPECT_EQ(one.memory().anonymous, 0);
  EXPECT_FALSE(Process().page_faults());
}

TEST(Process, HasNoneOfItsParentsMemoryWhosePageFaultsAreCounted) {
  constexpr std::int64_t kBytes = 100'000'000;
  const std::int64_t before = page_faults_of(getpid()).value();
  const std::vector<char> own(kBytes, 1);
  const std::int64_t faults = page_faults_of(getpid()).value() - before;
  // At least one of each huge page, at most little more than one of each page.
  EXPECT_GE(faults, kBytes >> 21);
  EXPECT_LE(faults, 2 * kBytes / sysconf(_SC_PAGESIZE));
  for (int i = 0; i < 20; ++i) EXPECT_LT(shell("exec sleep 10").memory().anonymous, kBytes / 2);
}

TEST(Process, CountsFilesInMemoryThatItMadeAndNoneThatItWasGiven) {
  constexpr std::size_t kBytes = 8'000'000;
  const SharedMemory given = std::move(SharedMemory::create("given", kBytes)).value();
  std::memset(given.data(), 1, given.size());
  const Process holder = shell("echo done; sleep 10", {{given.descriptor(), 9}});
  const Process hoarder =
      shell("file=$(mktemp -p /dev/shm); exec 9>$file; rm $file; head -c 8000000 /dev/zero >&9; echo done; sleep 10");
  const auto is_done = [](const Process& process) { return process.last_output_line() == "done"; };
  ASSERT_TRUE(soon([&] { return is_done(holder) && is_done(hoarder); }));
  EXPECT_LT(holder.memory().anonymous, static_cast<std::int64_t>(kBytes));
  EXPECT_GT(hoarder.memory().anonymous, static_cast<std::int64_t>(kBytes));
}

TEST(Process, PreloadsALibraryBeforeThoseThatAreAnyway) {
  const auto seen = [](const std::string& preload) {
    return last_line(shell("echo preload=$LD_PRELOAD", {}, {}, preload));
  };
  // The loader skips what does not exist, and says so.
  EXPECT_EQ(seen(""), "preload=");
  EXPECT_EQ(seen("/nowhere/first.so"), "preload=/nowhere/first.so");
  setenv("LD_PRELOAD", "/nowhere/second.so", 1);
  EXPECT_EQ(seen("/nowhere/first.so"), "preload=/nowhere/first.so:/nowhere/second.so");
  EXPECT_EQ(seen(""), "preload=/nowhere/second.so");
  unsetenv("LD_PRELOAD");
}

TEST(Process, KeepsTheLastLineOfItsOutputAsAMessageHasIt) {
  const std::pair<const char*, std::string> rows[] = {
      {"echo first; echo second >&2; printf '\\n'", "second"},
      {"true", ""},
      {R"(printf '\033[31mred\033[0m\t!\n')", "\\u001b[31mred\\u001b[0m !"},
      {R"(printf 'caf\351 \377\n')", "caf\ufffd \ufffd"},
      {"head -c 100000 /dev/zero | tr '\\0' x", std::string(200, 'x')},
      {"if read line; then echo something; else echo nothing; fi", "nothing"},
  };
  for (const auto& [script, line] : rows) {
    Process process = shell(script);
    process.finish(5);
    EXPECT_EQ(process.last_output_line(), line) << script;
    EXPECT_TRUE(line != "second" || process.output_bytes() == 14);
  }
  Process nowhere = started({"/nowhere/worker", "argument"});
  EXPECT_EQ(nowhere.finish(5).text(), "exit status 127");
  EXPECT_EQ(nowhere.last_output_line(), "cannot execute /nowhere/worker: No such file or directory");
}

// With many workers alive the coordinator's descriptors have large numbers, which must not be overwritten on the way.
TEST(Process, HandsOverDescriptorsOfAnyNumber) {
  constexpr int kMany = 80;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  for (int number = 64; number < kMany; ++number) {
    int more[2];
    ASSERT_EQ(pipe(more), 0);
    const std::string text = std::to_string(number) + "\n";
    ASSERT_EQ(write(more[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(more[1]);
    ASSERT_EQ(dup2(more[0], number), number);
    close(more[0]);
  }
  for (int number = 64; number < kMany; ++number) {
    EXPECT_EQ(last_line(shell("cat <&4", {{ends[0], 3}, {number, 4}})), std::to_string(number));
    close(number);
  }
  close(ends[0]);
}

TEST(Process, HandsDescriptorsOverAtTheirNumbers) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // The two numbers are exchanged: neither end may be lost to the other. One digit each, for the shell's sake.
  ASSERT_LT(ends[1], 10);
  const std::string script = "echo through >&" + std::to_string(ends[0]) + "; read line <&" + std::to_string(ends[1]) +
                             "; echo child read $line";
  EXPECT_EQ(last_line(shell(script, {{ends[0], ends[1]}, {ends[1], ends[0]}})), "child read through");
  close(ends[0]);
  close(ends[1]);
}

TEST(Process, UsesTheProcessorsThatItIsGivenAndGainsNoPrivileges) {
  const int last = allowed_processors().back();
  const std::string script = "grep Cpus_allowed_list /proc/self/status | tr -dc '0-9,-'";
  EXPECT_EQ(last_line(shell(script, {}, {last})), std::to_string(last));
  EXPECT_TRUE(shell("grep --quiet '^NoNewPrivs:.*1$' /proc/self/status").finish(5).is_success());
}

TEST(Process, KillsWhatDoesNotEndWithItsChildren) {
  Process sleeper = shell("sleep 60");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(sleeper.finish(0.1).text(), "signal 9 (Killed)");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_FALSE(sleeper.running());
  EXPECT_EQ(sleeper.finish(0).text(), "not started");
  Process process = shell("sleep 60 & echo $!; wait");
  EXPECT_TRUE(soon([&] { return !process.last_output_line().empty(); }));
  const auto grandchild = static_cast<pid_t>(std::stol(process.last_output_line()));
  ASSERT_TRUE(alive(grandchild));
  process.kill_group();
  EXPECT_TRUE(soon([&] { return !alive(grandchild); }));
  process.finish(5);
}

TEST(Process, LeavesNoZombie) {
  {
    Process running = shell("sleep 60");
    Process ended = shell("true");
    Process moved = std::move(running);
    EXPECT_FALSE(running.running());  // NOLINT(bugprone-use-after-move): what is left behind is what is tested
    EXPECT_TRUE(moved.running());
  }
  EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD);
}

// A coordinator that is killed with SIGKILL cannot clean up: its workers end by themselves.
TEST(Process, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t coordinator = fork();
  ASSERT_GE(coordinator, 0);
  if (coordinator == 0) {
    Result<Process> worker = Process::start({"/bin/sh", "-c", "exec sleep 60"}, {}, {});
    const pid_t pid = worker.ok() ? worker->pid() : -1;
    [[maybe_unused]] const ssize_t written = write(ends[1], &pid, sizeof pid);
    for (;;) pause();
  }
  pid_t worker = -1;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  EXPECT_TRUE(alive(worker));
  kill(coordinator, SIGKILL);
  waitpid(coordinator, nullptr, 0);
  EXPECT_TRUE(soon([&] { return !alive(worker); }));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace gdbench::protocol
