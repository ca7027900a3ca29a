#include "harness/protocol/file_writers.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "harness/base/text.h"

namespace gdbench::protocol {

namespace fs = std::filesystem;

namespace {

std::string name_of_user(uid_t user) {
  const passwd* entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : std::to_string(user);
}

std::string name_of_group(gid_t group) {
  const ::group* entry = getgrgid(group);
  return entry != nullptr ? entry->gr_name : std::to_string(group);
}

// Root's, or the one with the user's name: where users have such groups, what they make is writable for it.
bool is_own_group(gid_t group) { return group == 0 || name_of_group(group) == name_of_user(geteuid()); }

}  // namespace

Status check_writers(const fs::path& file) {
  struct stat about {};
  struct stat program {};
  if (stat(file.c_str(), &about) != 0 || stat("/proc/self/exe", &program) != 0) return {};
  const bool owner_is_known = about.st_uid == 0 || about.st_uid == geteuid() || about.st_uid == program.st_uid;
  // Names, which take the longest to find, are asked for last.
  const bool group_is_known = (about.st_mode & S_IWGRP) == 0 ||
                              (about.st_gid == program.st_gid && (program.st_mode & S_IWGRP) != 0) ||
                              is_own_group(about.st_gid);
  const bool open = (about.st_mode & ~program.st_mode & S_IWOTH) != 0;
  if (owner_is_known && !open && group_is_known) return {};
  return usage_error(cat(file.string(), ": found mode ", formatted("%04o", about.st_mode & 07777U), ", owner ",
                         name_of_user(about.st_uid), ", group ", name_of_group(about.st_gid), ", expected that only ",
                         geteuid() == 0 ? "" : name_of_user(geteuid()) + " and ",
                         "root may write it (GDBENCH_ALLOW_WRITABLE_PLUGINS=1 runs it anyway)"));
}

}  // namespace gdbench::protocol
