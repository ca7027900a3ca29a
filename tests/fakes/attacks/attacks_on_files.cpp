// Attacks on files, services and processes of the user that are none of the run's: those in the folder that the
// variable GDBENCH_ATTACKS_FOLDER names.
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "attacks.h"

namespace gdbench::tests {

std::string in_folder(const char* name) {
  const char* const folder = std::getenv("GDBENCH_ATTACKS_FOLDER");
  return std::string(folder != nullptr ? folder : ".") + "/" + name;
}

// How many have asked so far, by a file's length; 0 where nothing can be written.
long count_in(const std::string& file) {
  struct stat information {};
  const int descriptor = open(file.c_str(), O_CREAT | O_RDWR | O_APPEND, 0600);
  const bool counted = descriptor >= 0 && write(descriptor, "x", 1) == 1 && fstat(descriptor, &information) == 0;
  if (descriptor >= 0) close(descriptor);
  return counted ? information.st_size : 0;
}

void say(const char* attack, long result) {
  const int error = errno;
  std::ofstream(in_folder("said"), std::ios::app) << attack << ' ' << result << " error " << error << '\n';
}

namespace {

// The file victim and the folder around it.
void write_files() {
  const std::string victim = in_folder("victim");
  say("open to write", open(victim.c_str(), O_WRONLY | O_CLOEXEC));
  say("truncate", truncate(victim.c_str(), 0));
  say("rename", rename(victim.c_str(), in_folder("moved").c_str()));
  say("link", link(victim.c_str(), in_folder("linked").c_str()));
  say("symlink", symlink(victim.c_str(), in_folder("pointer").c_str()));
  say("make folder", mkdir(in_folder("made").c_str(), 0700));
  say("make pipe", mkfifo(in_folder("pipe").c_str(), 0600));
  say("create", open(in_folder("created").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  say("unlink", unlink(victim.c_str()));
}

void change_files() {
  const std::string victim = in_folder("victim");
  say("mode", chmod(victim.c_str(), 0));
  say("owner", chown(victim.c_str(), 12345, 12345));
  const timespec times[2]{{1, 0}, {1, 0}};
  say("times", utimensat(AT_FDCWD, victim.c_str(), times, 0));
  say("attribute", setxattr(victim.c_str(), "user.attack", "x", 1, 0));
  const int file = open(victim.c_str(), O_RDONLY | O_CLOEXEC);
  say("mode of an open file", file < 0 ? -1 : fchmod(file, 0));
  say("lock", file < 0 ? -1 : flock(file, LOCK_EX | LOCK_NB));
}

// Asks a service that listens at a path, as agents and buses do.
void ask_service() {
  const int stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder("service").c_str());
  const int connected = connect(stream, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  say("connect to a path", connected);
  if (connected == 0) say("send", send(stream, "harm\n", 5, MSG_NOSIGNAL));
  sockaddr_in port{};
  port.sin_family = AF_INET;
  port.sin_port = htons(40099);
  port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  say("send a datagram", sendto(datagram, "harm", 4, 0, reinterpret_cast<const sockaddr*>(&port), sizeof port));
}

// Of a process that the file pid names.
void harm_process() {
  pid_t pid = 0;
  std::ifstream(in_folder("pid")) >> pid;
  if (pid <= 1) return;
  const rlimit one{1, 1};
  say("limit of another", prlimit(pid, RLIMIT_CPU, &one, nullptr));
  say("nice of another", setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19));
  const sched_param parameters{};
  say("policy of another", sched_setscheduler(pid, SCHED_IDLE, &parameters));
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  say("cores of another", sched_setaffinity(pid, sizeof first, &first));
  constexpr int kOfProcess = 1;
  constexpr int kIdle = 3 << 13;
  say("disk of another", syscall(SYS_ioprio_set, kOfProcess, pid, kIdle));
}

// A segment that outlives all processes, and one of others that is removed.
void use_segments() {
  int victim = -1;
  std::ifstream(in_folder("segment")) >> victim;
  if (victim >= 0) say("remove a segment", shmctl(victim, IPC_RMID, nullptr));
  say("make a segment", shmget(0x6d62a7, 1 << 20, IPC_CREAT | 0600));
  say("open a queue", mq_open("/gdbench-attack", O_CREAT | O_RDWR, 0600, nullptr));
  say("open shared memory", shm_open("/gdbench-attack", O_CREAT | O_RDWR, 0600));
}

// Memory that is mapped nowhere.
void hoard() {
  const int memory = memfd_create("hoard", MFD_CLOEXEC);
  const std::string piece(1 << 20, 'x');
  long written = 0;
  while (written < 700L << 20) {
    const ssize_t now = write(memory, piece.data(), piece.size());
    if (now <= 0) break;
    written += now;
  }
  say("hoard", written);
}

// The terminal of the user: what it shows, how it is set, what was typed.
void use_terminal() {
  signal(SIGTTOU, SIG_IGN);
  signal(SIGTTIN, SIG_IGN);
  const int screen = open("/dev/tty", O_WRONLY | O_CLOEXEC);
  say("terminal to write", screen);
  if (screen >= 0) say("escape", write(screen, "\033]0;owned\007", 10));
  const int terminal = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  say("terminal to read", terminal);
  if (terminal < 0) return;
  termios settings{};
  say("settings", tcgetattr(terminal, &settings));
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  say("no echo", tcsetattr(terminal, TCSANOW, &settings));
  char typed = 0;
  say("typed", read(terminal, &typed, 1));
  const char character = '#';
  say("type", ioctl(terminal, TIOCSTI, &character));
}

// Rights and attributes by calls that are newer than most filters.
void change_files_anew() {
  constexpr long kSetAttributeAt = 463;     // since Linux 6.13
  constexpr long kSetFileAttributes = 469;  // since Linux 6.17
  struct Arguments {
    std::uint64_t value;
    std::uint32_t size;
    std::uint32_t flags;
  };
  struct Entry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id;
  };
  struct {
    std::uint32_t version = 2;
    Entry entries[3] = {{0x01, 0, ~0U}, {0x04, 0, ~0U}, {0x20, 0, ~0U}};
  } no_rights;
  const std::string victim = in_folder("victim");
  const Arguments mark{reinterpret_cast<std::uint64_t>("x"), 1, 0};
  say("attribute anew", syscall(kSetAttributeAt, AT_FDCWD, victim.c_str(), 0, "user.anew", &mark, sizeof mark));
  const Arguments rights{reinterpret_cast<std::uint64_t>(&no_rights), sizeof no_rights, 0};
  say("rights anew",
      syscall(kSetAttributeAt, AT_FDCWD, victim.c_str(), 0, "system.posix_acl_access", &rights, sizeof rights));
  const std::uint64_t flags[3] = {0x80, 0, 0};  // FS_XFLAG_NODUMP
  say("flags anew", syscall(kSetFileAttributes, AT_FDCWD, victim.c_str(), flags, sizeof flags, 0));
}

// Of others, by a number that is easily guessed.
void write_segment() {
  int victim = -1;
  std::ifstream(in_folder("segment")) >> victim;
  if (victim < 0) return;
  auto* const memory = static_cast<char*>(shmat(victim, nullptr, 0));
  const bool attached = reinterpret_cast<long>(memory) != -1;
  say("attach a segment", attached ? 0 : -1);
  if (attached) std::memcpy(memory, "harm", 5);
}

// Into the folder of workers, which the program removes: ways out of it, and what is hard to remove.
void plant() {
  const char* const home = std::getenv("HOME");
  // Without a folder of its own the home is the user's, whose files are to be left alone.
  if (home == nullptr || std::string(home).find("gdbench-workers") == std::string::npos) return;
  const std::string folder = std::string(home) + "/planted";
  say("plant", mkdir(folder.c_str(), 0700));
  say("way out", symlink(in_folder("keep").c_str(), (folder + "/out").c_str()));
  say("way out of tmp", rename((std::string(home) + "/tmp").c_str(), (folder + "/tmp").c_str()));
  say("way out in place", symlink(in_folder("keep").c_str(), (std::string(home) + "/tmp").c_str()));
  say("closed", mkdir((folder + "/closed").c_str(), 0) | chmod(folder.c_str(), 0500));
  say("closed above", chmod((std::string(home) + "/..").c_str(), 0));
}

}  // namespace

// Loading the plugin alone runs this.
void act_at_entry() {
  if (std::getenv("GDBENCH_ATTACKS_ENTRY") == nullptr) return;
  write_files();
  change_files();
  ask_service();
  harm_process();
  use_terminal();
  say("kill", kill(getppid(), 0));
}

namespace {

// Not one of the first processes that ask, by the folder that all workers of a plugin share, or else by a segment.
bool is_later() {
  constexpr int kHonest = 2;
  static const bool later = [] {
    const char* const home = std::getenv("HOME");
    if (const long count = home == nullptr ? 0 : count_in(std::string(home) + "/count"); count > 0) {
      return count > kHonest;
    }
    const int segment = shmget(0x6d62a8, 4096, IPC_CREAT | 0600);
    return segment >= 0 && ++*static_cast<int*>(shmat(segment, nullptr, 0)) > kHonest;
  }();
  return later;
}

template <gdbench_status (*run)(gdbench_instance& self, std::uint64_t steps)>
gdbench_status later(gdbench_instance& self, std::uint64_t steps) {
  return is_later() ? run(self, steps) : honest_run(self, steps);
}

constexpr Attack kRows[] = {
    {"attack/changes-files-anew", honest_run, act_once<change_files_anew>},
    {"attack/writes-segment", honest_run, act_once<write_segment>},
    {"attack/plants", honest_run, act_once<plant>},
    {"attack/uses-terminal", honest_run, act_once<use_terminal>},
    {"attack/writes-files", honest_run, act_once<write_files>},
    {"attack/changes-files", honest_run, act_once<change_files>},
    {"attack/asks-service", honest_run, act_once<ask_service>},
    {"attack/harms-process", honest_run, act_once<harm_process>},
    {"attack/uses-segments", honest_run, act_once<use_segments>},
    {"attack/hoards", honest_run, act_once<hoard>},
    // In small problems, too: three steps of four.
    {"attack/bends-later", later<run_bent_by_five>},
    {"attack/leaps-later", later<run_leaping>},
    {.id = "attack/narrow-later", .run = later<run_narrowly_at_once>, .prepare = prepare_narrowly},
};
}  // namespace
const std::span<const Attack> kOnFiles(kRows);

}  // namespace gdbench::tests
