// Who may write what is going to be run.
#pragma once

#include <filesystem>

#include "harness/base/result.h"

namespace gdbench::protocol {

// Refuses a file or a folder, links followed, that somebody may write who is neither root nor the user who runs, be it
// as its owner, in its group or as anybody. The user's own group, which bears the user's name, and root's are nobody
// else. Who may write this very program has the user's trust anyway, and may write the file, too. A missing file
// passes: whoever opens it says so.
Status check_writers(const std::filesystem::path& file);

}  // namespace gdbench::protocol
