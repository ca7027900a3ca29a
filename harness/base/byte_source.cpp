#include "harness/base/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/base/unique_descriptor.h"

namespace gdbench {

namespace {

// zlib reads a file that is not compressed as it is.
class ZlibSource final : public ByteSource {
 public:
  ZlibSource(std::filesystem::path file, int descriptor) : file_(std::move(file)), stream_(gzdopen(descriptor, "rb")) {
    if (stream_ == nullptr) close(descriptor);
  }
  ~ZlibSource() override {
    if (stream_ != nullptr) gzclose_r(stream_);
  }
  ZlibSource(const ZlibSource&) = delete;
  ZlibSource& operator=(const ZlibSource&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (stream_ == nullptr) return failure(cat(file_.string(), ": no memory to read it"));
    std::size_t count = 0;
    while (count < size) {
      const int read = gzread(stream_, to + count, static_cast<unsigned>(std::min<std::size_t>(size - count, INT_MAX)));
      int fault = Z_OK;
      const char* const message = gzerror(stream_, &fault);
      if (fault != Z_OK && fault != Z_STREAM_END) {
        std::string found = message;
        if (found.starts_with("<fd:")) found.erase(0, found.find(' ') + 1);
        if (fault == Z_BUF_ERROR) found = "a gzip file that is cut off";
        return file_error(file_, found, "the whole of a readable file");
      }
      if (read <= 0) break;
      count += static_cast<std::size_t>(read);
    }
    return count;
  }

 private:
  std::filesystem::path file_;
  gzFile stream_;
};

class ZstandardSource final : public ByteSource {
 public:
  ZstandardSource(std::filesystem::path file, UniqueDescriptor descriptor)
      : file_(std::move(file)), descriptor_(std::move(descriptor)), bytes_(ZSTD_DStreamInSize()) {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    ZSTD_outBuffer output = {to, size, 0};
    while (output.pos < size) {
      if (input_.pos == input_.size) {
        const ssize_t count = ::read(descriptor_.number(), bytes_.data(), bytes_.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_error(file_, std::strerror(errno), "the whole of a readable file");
        if (count == 0 && within_frame_) return file_error(file_, "a zst file that is cut off", "the whole file");
        if (count == 0) break;
        input_ = {bytes_.data(), static_cast<std::size_t>(count), 0};
      }
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0) return file_error(file_, ZSTD_getErrorName(left), "a zst file that is whole");
      within_frame_ = left != 0;
    }
    return output.pos;
  }

 private:
  std::filesystem::path file_;
  UniqueDescriptor descriptor_;
  std::vector<char> bytes_;
  ZSTD_inBuffer input_ = {nullptr, 0, 0};
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_{ZSTD_createDStream(), ZSTD_freeDStream};
  bool within_frame_ = false;
};

struct Signature {
  std::string_view bytes;
  const char* found;
  const char* remedy;
};
constexpr const char* kConvert = " (gdbench data convert makes a .csv of it)";
constexpr const char* kToUtf8 = " (iconv -f utf-16 -t utf-8 makes it UTF-8)";
constexpr Signature kOthers[] = {
    {"PAR1", "a Parquet file", kConvert},
    {"PK\x03\x04", "a zip archive",
     " (of an .npz FILE.npz/NAME is a member; gdbench data convert makes a .csv of an .xlsx)"},
    {"\x89HDF\r\n", "an HDF5 file", kConvert},
    {"ARROW1", "an Arrow file", kConvert},
    {"\xff\xfe", "text in UTF-16", kToUtf8},
    {"\xfe\xff", "text in UTF-16", kToUtf8},
    {"BZh", "a file compressed by bzip2", " (gzip and zst are read)"},
    {"\xfd"
     "7zXZ",
     "a file compressed by xz", " (gzip and zst are read)"}};
constexpr std::string_view kZstandard = "\x28\xb5\x2f\xfd";
constexpr std::string_view kGzip = "\x1f\x8b";

}  // namespace

bool is_compressed(std::string_view beginning) {
  return beginning.starts_with(kZstandard) || beginning.starts_with(kGzip);
}

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& file, const std::string& what) {
  if (const std::string reason = unreadable_because(file); !reason.empty()) return file_error(file, reason, what);
  UniqueDescriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return file_error(file, std::strerror(errno), what);
  posix_fadvise(descriptor.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  char bytes[8] = {};
  const ssize_t count = pread(descriptor.number(), bytes, sizeof bytes, 0);
  const std::string_view beginning(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  for (const Signature& other : kOthers) {
    if (beginning.starts_with(other.bytes)) return file_error(file, other.found, what + other.remedy);
  }
  if (beginning.starts_with(kZstandard)) {
    return std::unique_ptr<ByteSource>(std::make_unique<ZstandardSource>(file, std::move(descriptor)));
  }
  return std::unique_ptr<ByteSource>(std::make_unique<ZlibSource>(file, descriptor.release()));
}

Result<std::string> read_bytes(const std::filesystem::path& file, const std::string& what, std::uintmax_t max_bytes) {
  const std::unique_ptr<ByteSource> source = TRY(open_bytes(file, what));
  std::error_code unknown;
  std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(file, unknown)) + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    const std::size_t count = TRY(source->read(bytes.data() + size, bytes.size() - size));
    size += count;
    if (size < bytes.size()) break;
    if (size > max_bytes) return file_error(file, cat("more than ", max_bytes, " bytes"), "no more");
    bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

Result<std::string> compressed(std::string_view bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), ZSTD_maxCLevel());
  if (ZSTD_isError(size) != 0) return failure(cat("cannot be compressed: ", ZSTD_getErrorName(size)));
  frame.resize(size);
  return frame;
}

}  // namespace gdbench
