#include "harness/protocol/system_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace gdbench::protocol {

namespace {

#ifdef __x86_64__
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif
// Of calls that are newer than this list (fchmodat2, Linux 6.6), and of x32's numbers for the calls that it has.
constexpr unsigned kFirstUnknown = 452;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Without it older kernels switch off speculation, which slows down all that a worker computes.
#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4UL
#endif

// Priorities and schedules of this and other processes; owners, rights, times and attributes of files, which Landlock
// has no rules for; ways around this filter.
constexpr int kRefused[] = {
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_fchmodat,
    SYS_fchmod,
    SYS_fchownat,
    SYS_fchown,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_process_vm_writev,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_setns,
    SYS_unshare,
    SYS_mount,
    SYS_umount2,
    SYS_add_key,
    SYS_keyctl,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_personality,
#ifdef __x86_64__
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};
constexpr int kSockets[] = {SYS_socket, SYS_shmget, SYS_shmctl,     SYS_semget, SYS_semctl, SYS_msgget,  SYS_msgctl,
                            SYS_shmat,  SYS_semop,  SYS_semtimedop, SYS_msgsnd, SYS_msgrcv, SYS_mq_open, SYS_mq_unlink};
constexpr int kProcesses[] = {
    SYS_execve,
    SYS_execveat,
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
#endif
};
// Programs have another way where these do not exist.
constexpr int kMissing[] = {SYS_clone3, SYS_io_uring_setup};

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
// Goes on with the next statement where the value loaded is `value`, else after `skipped` of them.
sock_filter unless_equal(unsigned value, unsigned char skipped) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}
sock_filter answer(unsigned what) { return BPF_STMT(BPF_RET | BPF_K, what); }
sock_filter error(int number) { return answer(SECCOMP_RET_ERRNO | static_cast<unsigned>(number)); }

std::size_t offset_of_argument(unsigned argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);  // its low half: both are little-endian
}

// Of other architectures' calls none is left; then the call's number is loaded.
const std::vector<sock_filter> kBeginning = {
    load(offsetof(seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
    error(ENOSYS),
    load(offsetof(seccomp_data, nr)),
};

void install(std::vector<sock_filter>& program, unsigned long flags) {
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter);
}

}  // namespace

void refuse_new_processes() {
  if (kSanitized) return;
  std::vector<sock_filter> program = kBeginning;
  for (const int call : kProcesses) {
    program.push_back(unless_equal(static_cast<unsigned>(call), 1));
    program.push_back(error(EPERM));
  }
  program.push_back(unless_equal(SYS_clone, 3));
  program.push_back(load(offset_of_argument(0)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  program.push_back(error(EPERM));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  install(program, SECCOMP_FILTER_FLAG_TSYNC);
}

void SystemCallFilter::refuse(int call, int number) {
  program_.push_back(unless_equal(static_cast<unsigned>(call), 1));
  program_.push_back(error(number));
}

void SystemCallFilter::leave_to_itself(int call, unsigned argument) {
  program_.push_back(unless_equal(static_cast<unsigned>(call), 5));
  program_.push_back(load(offset_of_argument(argument)));
  program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  own_process_.push_back(program_.size());
  program_.push_back(unless_equal(0, 1));
  program_.push_back(answer(SECCOMP_RET_ALLOW));
  program_.push_back(error(EPERM));
}

SystemCallFilter::SystemCallFilter(bool network) : program_(kBeginning) {
  program_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstUnknown, 0, 1));
  program_.push_back(error(ENOSYS));
  for (const int call : kRefused) refuse(call, EPERM);
  for (const int call : kMissing) refuse(call, ENOSYS);
  if (!network) {
    for (const int call : kSockets) refuse(call, EACCES);
  }
  // A process with the worker's parent for its own is not seen below the worker, and one that shares its memory is a
  // thread in disguise. The leak sanitizer starts such a one.
  program_.push_back(unless_equal(SYS_clone, 6));
  program_.push_back(load(offset_of_argument(0)));
  program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_PARENT, 2, 0));
  program_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, CLONE_VM | CLONE_THREAD | CLONE_VFORK));
  program_.push_back(unless_equal(kSanitized ? CLONE_PARENT : CLONE_VM, 1));
  program_.push_back(error(EPERM));
  program_.push_back(answer(SECCOMP_RET_ALLOW));
  leave_to_itself(SYS_sched_setaffinity, 0);
  leave_to_itself(SYS_prlimit64, 0);
  program_.push_back(answer(SECCOMP_RET_ALLOW));
}

void SystemCallFilter::enter() {
  for (const std::size_t place : own_process_) program_[place].k = static_cast<unsigned>(getpid());
  install(program_, 0);
}

}  // namespace gdbench::protocol
