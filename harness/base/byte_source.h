// The bytes of a file in order, decompressed where it is gzip (RFC 1952) or Zstandard (RFC 8878).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace gdbench {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `to` as far as there are bytes: fewer than `size` at the end alone. Errors name the file.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
};

// By the file's first bytes. Errors: "FILE: found no such file, expected WHAT" and the like; a Parquet file, a zip
// archive and others that a person may take for WHAT are named for what they are.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& file, const std::string& what);

// By a file's first bytes.
bool is_compressed(std::string_view beginning);

// All of them. Errors: those of open_bytes, and more than `max_bytes`.
Result<std::string> read_bytes(const std::filesystem::path& file, const std::string& what, std::uintmax_t max_bytes);

// As one frame of Zstandard, as small as it gets: a megabyte takes a second.
Result<std::string> compressed(std::string_view bytes);

}  // namespace gdbench
