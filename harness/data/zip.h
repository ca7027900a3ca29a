// Zip archives as numpy.savez writes them: PKWARE's APPNOTE.TXT 6.3, members that are stored or deflated, below 4 GiB.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace gdbench::data {

// The member `name` of an archive of these bytes. Errors name `archive`: a damaged one, none of that name, more than
// max_data_bytes().
Result<std::string> zip_member(const std::filesystem::path& archive, std::string_view bytes, const std::string& name);

}  // namespace gdbench::data
