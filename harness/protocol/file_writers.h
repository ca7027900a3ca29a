// Who may write what is going to be run.
#pragma once

#include <filesystem>

#include "harness/base/result.h"

namespace gdbench::protocol {

// Refuses a file or a folder, links followed, that a user other than root and the one who runs may write: as its owner,
// as a member of its group or as anyone. The user's own group, which has the user's name, and root's count as
// theirs. Users who may write this very program are trusted anyway, and may write the file, too. A missing file
// passes: opening it fails with a message.
Status check_writers(const std::filesystem::path& file);

}  // namespace gdbench::protocol
