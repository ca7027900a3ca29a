#include "harness/protocol/confinement.h"

#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "harness/base/hash.h"
#include "harness/base/landlock.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/system_error.h"
#include "harness/base/text.h"

namespace gdbench::protocol {

namespace {

namespace fs = std::filesystem;

// As the kernel's <linux/landlock.h> has them, which is older than some of them on some systems.
struct RulesetAttributes {
  std::uint64_t file_accesses;
  std::uint64_t network_accesses;  // since version 4
  std::uint64_t scopes;            // since version 6
};
struct __attribute__((packed)) PathBeneath {
  std::uint64_t accesses;
  std::int32_t parent;
};
constexpr int kRuleOfPath = 1;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;  // remove and make folders, files, links, sockets, pipes and devices
constexpr std::uint64_t kRefer = 1U << 13;        // since version 2: rename and link from one folder to another
constexpr std::uint64_t kTruncate = 1U << 14;     // since version 3
constexpr std::uint64_t kBindAndConnectTcp = 3;
constexpr std::uint64_t kAbstractSocketsAndSignals = 3;

constexpr std::uint64_t kDeviceControl = 1U << 15;  // since version 5: ioctl of devices

// Every program may write to these; a GPU's driver has its own. No terminal: it is the user's.
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/nvidia*", "/dev/dri", "/dev/kfd"};

std::uint64_t file_accesses(int version) {
  return kWriteFile | kRemoveAndMake | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kDeviceControl : 0);
}

// Errors: the kernel refuses the rule.
Status allow_writing(int rules, std::uint64_t accesses, const fs::path& path) {
  const UniqueDescriptor parent(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat information {};
  if (!parent.is_open() || fstat(parent.number(), &information) != 0) return {};
  if (!S_ISDIR(information.st_mode)) accesses &= kWriteFile | kTruncate | kDeviceControl;
  const PathBeneath rule = {accesses, parent.number()};
  if (syscall(SYS_landlock_add_rule, rules, kRuleOfPath, &rule, 0) == 0) return {};
  return system_error("cannot let a worker write in " + path.string());
}

std::vector<fs::path> devices() {
  std::vector<fs::path> found;
  for (const char* const pattern : kDevices) {
    glob_t matches{};
    if (glob(pattern, 0, nullptr, &matches) == 0) {
      found.insert(found.end(), matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    globfree(&matches);
  }
  return found;
}

}  // namespace

Result<Confinement> Confinement::make(const fs::path& folder, const Permissions& permissions) {
  Confinement confinement(permissions.network);
  const int version = landlock_version();
  if (version == 0) return confinement;
  const std::uint64_t accesses = file_accesses(version);
  const RulesetAttributes attributes = {accesses, version >= 4 && !permissions.network ? kBindAndConnectTcp : 0,
                                        version >= 6 ? kAbstractSocketsAndSignals : 0};
  confinement.rules_ =
      UniqueDescriptor(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!confinement.rules_.is_open()) return system_error("cannot make rules for a worker");
  std::vector<fs::path> writable = devices();
  writable.insert(writable.end(), permissions.writable.begin(), permissions.writable.end());
  writable.push_back(folder);
  for (const fs::path& path : writable) TRY(allow_writing(confinement.rules_.number(), accesses, path));
  return confinement;
}

namespace {

// Of root's: what remains is to read what belongs to others, as files of plugins may.
void give_up_capabilities() {
  constexpr int kReadAll = 2;  // CAP_DAC_READ_SEARCH
  constexpr int kMost = 64;
  for (int capability = 0; capability < kMost; ++capability) {
    if (capability != kReadAll) prctl(PR_CAPBSET_DROP, capability);
  }
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return;
  for (__user_cap_data_struct& set : sets) {
    const unsigned kept = &set == sets ? set.permitted & (1U << kReadAll) : 0;
    set = {kept, kept, 0};
  }
  syscall(SYS_capset, &header, sets);
}

}  // namespace

void Confinement::enter() {
  give_up_capabilities();
  if (rules_.is_open()) syscall(SYS_landlock_restrict_self, rules_.number(), 0);
  filter_.enter();
}

Result<fs::path> folder_of_workers(const std::vector<std::string>& argv) {
  static const Result<ScratchFolder> scratch = ScratchFolder::make("gdbench-workers");
  if (!scratch.ok()) return scratch.error();
  Hash64 hash;
  for (const std::string& argument : argv) hash.add(argument + '\0');
  const fs::path folder = scratch->path() / hexadecimal(hash.value());
  std::error_code failed;
  fs::create_directories(folder / "tmp", failed);
  if (failed) return failure(cat("cannot make a folder ", folder.string(), ": ", failed.message()));
  return folder;
}

std::vector<std::string> variables_of_folder(const fs::path& folder) {
  std::vector<std::string> variables = {cat("HOME=", folder.string()), cat("TMPDIR=", (folder / "tmp").string()),
                                        cat("XDG_CACHE_HOME=", (folder / ".cache").string())};
  const char* const home = std::getenv("HOME");
  if (home != nullptr && std::getenv("PYTHONUSERBASE") == nullptr) {
    variables.push_back(cat("PYTHONUSERBASE=", home, "/.local"));
  }
  return variables;
}

}  // namespace gdbench::protocol
