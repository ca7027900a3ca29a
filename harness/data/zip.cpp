#include "harness/data/zip.h"

#include <zlib.h>

#include <cstdint>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/data/table.h"

namespace gdbench::data {

namespace {

constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint32_t kStored = 0;
constexpr std::uint32_t kDeflated = 8;
constexpr std::uint64_t kMostGrowth = 1100;  // of deflated bytes, which is 1032 at most

// Little endian, `count` bytes from `place`, which are there.
std::uint32_t number_at(std::string_view bytes, std::size_t place, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[place + i]);
  return number;
}

// A record that begins at `place`: its fixed bytes; empty where it is not there.
std::string_view record_at(std::string_view bytes, std::size_t place, std::string_view signature, std::size_t size) {
  if (place > bytes.size() || bytes.size() - place < size) return {};
  const std::string_view record = bytes.substr(place, size);
  return record.starts_with(signature) ? record : std::string_view();
}

struct Member {
  std::uint32_t method = 0;
  std::uint32_t checksum = 0;  // CRC-32
  std::uint32_t packed_bytes = 0;
  std::uint32_t bytes = 0;
  std::uint32_t place = 0;  // of its local record
};

// False where it does not have the size or the sum that the archive says.
bool unpack(std::string_view packed, const Member& entry, std::string& bytes) {
  if (entry.method == kStored) {
    bytes = packed;
  } else {
    bytes.resize(entry.bytes);
    z_stream stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;  // no header of zlib's
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole) return false;
  }
  const auto* begin = reinterpret_cast<const Bytef*>(bytes.data());
  return bytes.size() == entry.bytes && crc32_z(0, begin, bytes.size()) == entry.checksum;
}

}  // namespace

Result<std::string> zip_member(const std::filesystem::path& archive, std::string_view bytes, const std::string& name) {
  const Error damaged = file_error(archive, "a damaged zip archive", "a whole one");
  const std::string_view end = record_at(bytes, bytes.rfind(kEnd), kEnd, kEndBytes);
  if (end.empty()) return damaged;
  std::size_t place = number_at(end, 16, 4);
  std::vector<std::string> names;
  for (std::uint32_t i = number_at(end, 10, 2); i > 0; --i) {
    const std::string_view record = record_at(bytes, place, kEntry, kEntryBytes);
    if (record.empty()) return damaged;
    const std::size_t name_bytes = number_at(record, 28, 2);
    names.emplace_back(bytes.substr(place + kEntryBytes, name_bytes));
    place += kEntryBytes + name_bytes + number_at(record, 30, 2) + number_at(record, 32, 2);
    if (names.back() != name) continue;

    const Member entry = {number_at(record, 10, 2), number_at(record, 16, 4), number_at(record, 20, 4),
                          number_at(record, 24, 4), number_at(record, 42, 4)};
    if (entry.method != kStored && entry.method != kDeflated) {
      return file_error(archive, in_quotes(name) + cat(", packed by method ", entry.method), "it stored or deflated");
    }
    if (entry.bytes > max_data_bytes()) {
      return file_error(archive, in_quotes(name) + cat(" of ", entry.bytes, " bytes"),
                        "at most a quarter of the memory");
    }
    if (entry.bytes > kMostGrowth * entry.packed_bytes) return damaged;
    const std::string_view local = record_at(bytes, entry.place, kLocal, kLocalBytes);
    if (local.empty()) return damaged;
    const std::size_t begin = entry.place + kLocalBytes + number_at(local, 26, 2) + number_at(local, 28, 2);
    if (begin > bytes.size() || bytes.size() - begin < entry.packed_bytes) return damaged;
    std::string member;
    if (!unpack(bytes.substr(begin, entry.packed_bytes), entry, member)) return damaged;
    return member;
  }
  return file_error(archive, "no member " + in_quotes(name), names.empty() ? "some member" : one_of(name, names));
}

}  // namespace gdbench::data
