// An input as a file: what people hand over are files, and the readers open them by their names.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/base/unique_descriptor.h"

namespace gdbench::fuzz {

// In memory, for as long as it lives.
class InputFile {
 public:
  InputFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    if (!descriptor_.is_open() || write(descriptor_.number(), data, size) != static_cast<ssize_t>(size)) std::abort();
  }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_.number()); }

 private:
  UniqueDescriptor descriptor_;
};

}  // namespace gdbench::fuzz
