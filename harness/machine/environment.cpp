#include "harness/machine/environment.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/machine/build_information.h"

namespace gdbench::machine {

namespace {

namespace fs = std::filesystem;

// A number at the start of a text, and what follows it.
template <class T>
std::optional<T> leading_number(const std::string& text, std::string* rest = nullptr) {
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc()) return std::nullopt;
  if (rest != nullptr) *rest = std::string(end, text.data() + text.size());
  return value;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
Json number_in(const fs::path& file) {
  const std::optional<std::string> line = first_line(file);
  return line ? or_null(leading_number<T>(*line)) : Json();
}

Json text_in(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto entry = values.find(key);
  return entry == values.end() || entry->second.empty() ? Json() : Json(entry->second);
}

Json whole_number(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto entry = values.find(key);
  return entry == values.end() ? Json() : or_null(leading_number<int>(entry->second));
}

std::size_t logical_processors(const fs::path& cpuinfo) {
  std::ifstream stream(cpuinfo);
  std::string line;
  std::size_t count = 0;
  while (std::getline(stream, line)) count += line.starts_with("processor") ? 1 : 0;
  return count;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// Instruction set extensions that arithmetic kernels are chosen by; the rest of the flags would only bloat reports.
Json features_of(const std::vector<std::string>& flags) {
  constexpr std::array kPrefixes = {"sse4", "avx", "fma", "f16c", "amx", "bmi", "fphp", "asimd", "sve", "bf16", "i8mm"};
  Json features = Json::array();
  for (const std::string& flag : flags) {
    if (std::ranges::any_of(kPrefixes, [&](const char* prefix) { return flag.starts_with(prefix); })) {
      features.push_back(flag);
    }
  }
  return features;
}

// "48K" -> 49152.
Json cache_bytes(const std::string& text) {
  std::string unit;
  const std::optional<std::int64_t> number = leading_number<std::int64_t>(text, &unit);
  if (!number) return nullptr;
  if (unit.empty()) return *number;
  if (unit == "K") return *number << 10;
  if (unit == "M") return *number << 20;
  if (unit == "G") return *number << 30;
  return nullptr;
}

// Processors in a list such as "0-3,8".
Json count_of_list(const std::string& list) {
  std::istringstream ranges(list);
  std::string range;
  std::int64_t count = 0;
  while (std::getline(ranges, range, ',')) {
    std::string rest;
    const std::optional<std::int64_t> first = leading_number<std::int64_t>(range, &rest);
    if (!first) return nullptr;
    const std::optional<std::int64_t> last =
        rest.starts_with('-') ? leading_number<std::int64_t>(rest.substr(1)) : first;
    if (!last || *last < *first) return nullptr;
    count += *last - *first + 1;
  }
  return count == 0 ? Json() : Json(count);
}

Json caches_under(const fs::path& folder) {
  Json caches = Json::array();
  for (int i = 0;; ++i) {
    const fs::path index = folder / ("index" + std::to_string(i));
    const std::optional<std::string> size = first_line(index / "size");
    if (!size) return caches;
    caches.push_back({{"level", number_in<int>(index / "level")},
                      {"type", or_null(first_line(index / "type"))},
                      {"bytes", cache_bytes(*size)},
                      {"shared_by", count_of_list(first_line(index / "shared_cpu_list").value_or(""))}});
  }
}

// The processors that this process may run on.
Json allowed_processors() {
  Json processors = Json::array();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return nullptr;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

// The nominal maximum where the kernel scales frequencies, else what the processor said at this moment.
Json frequency_mhz(const fs::path& cpu0, const std::map<std::string, std::string>& cpuinfo) {
  const Json maximum = number_in<double>(cpu0 / "cpufreq/cpuinfo_max_freq");
  if (maximum.is_number()) return maximum.get<double>() / 1000;
  const auto entry = cpuinfo.find("cpu MHz");
  return entry == cpuinfo.end() ? Json() : or_null(leading_number<double>(entry->second));
}

// An Arm processor says who made it and which one it is by numbers: the kernel's arch/arm64/include/asm/cputype.h.
struct ArmName {
  int number;
  const char* name;
};
constexpr ArmName kArmVendors[] = {{0x41, "Arm"},      {0x46, "Fujitsu"}, {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},
                                   {0x51, "Qualcomm"}, {0x61, "Apple"},   {0x6d, "Microsoft"}, {0xc0, "Ampere"}};
constexpr ArmName kArmModels[] = {{0xd03, "Cortex-A53"},  {0xd08, "Cortex-A72"},  {0xd0b, "Cortex-A76"},
                                  {0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"}, {0xd49, "Neoverse-N2"},
                                  {0xd4f, "Neoverse-V2"}, {0xd83, "Neoverse-V3"}, {0xd8e, "Neoverse-N3"}};
constexpr int kArmItself = 0x41;

// "0xd0c" -> 0xd0c.
std::optional<int> hexadecimal(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto entry = values.find(key);
  if (entry == values.end() || !entry->second.starts_with("0x")) return std::nullopt;
  int number = 0;
  const char* const end = entry->second.data() + entry->second.size();
  return std::from_chars(entry->second.data() + 2, end, number, 16).ec == std::errc() ? std::optional(number)
                                                                                      : std::nullopt;
}

std::optional<std::string> name_in(std::span<const ArmName> names, int number) {
  const auto row = std::ranges::find(names, number, &ArmName::number);
  return row == names.end() ? std::nullopt : std::optional<std::string>(row->name);
}

Json vendor_of(const std::map<std::string, std::string>& cpuinfo) {
  const std::optional<int> implementer = hexadecimal(cpuinfo, "CPU implementer");
  if (!implementer) return text_in(cpuinfo, "vendor_id");
  return name_in(kArmVendors, *implementer).value_or(formatted("implementer 0x%02x", *implementer));
}

Json model_of(const std::map<std::string, std::string>& cpuinfo) {
  const std::optional<int> part = hexadecimal(cpuinfo, "CPU part");
  if (!part) return text_in(cpuinfo, "model name");
  const bool own = hexadecimal(cpuinfo, "CPU implementer") == kArmItself;
  const std::optional<std::string> name = own ? name_in(kArmModels, *part) : std::nullopt;
  return name.value_or(formatted("part 0x%03x", *part));
}

Json cpu_under(const fs::path& root, const std::map<std::string, std::string>& cpuinfo,
               const std::vector<std::string>& flags) {
  const fs::path cpu0 = root / "sys/devices/system/cpu/cpu0";
  const std::size_t processors = logical_processors(root / "proc/cpuinfo");
  return {{"model", model_of(cpuinfo)},
          {"vendor", vendor_of(cpuinfo)},
          {"family", whole_number(cpuinfo, "cpu family")},
          {"number", whole_number(cpuinfo, "model")},
          {"logical_processors", processors == 0 ? Json() : Json(processors)},
          {"allowed_processors", allowed_processors()},
          {"features", features_of(flags)},
          {"caches", caches_under(cpu0 / "cache")},
          {"governor", or_null(first_line(cpu0 / "cpufreq/scaling_governor"))},
          {"frequency_mhz", frequency_mhz(cpu0, cpuinfo)}};
}

Json memory_bytes(const fs::path& meminfo) {
  const std::map<std::string, std::string> values = key_values(meminfo, ':');
  const auto total = values.find("MemTotal");
  if (total == values.end()) return nullptr;
  const std::optional<std::int64_t> kibibytes = leading_number<std::int64_t>(total->second);
  return kibibytes ? Json(*kibibytes << 10) : Json();
}

Json load_average(const fs::path& loadavg) {
  std::istringstream words(first_line(loadavg).value_or(""));
  Json averages = Json::array();
  double value = 0;
  while (averages.size() < 3 && words >> value) averages.push_back(value);
  return averages.size() == 3 ? averages : Json();
}

Json operating_system(const fs::path& os_release) {
  Json name = text_in(key_values(os_release, '='), "PRETTY_NAME");
  if (!name.is_string()) return name;
  std::string text = name.get<std::string>();
  std::erase(text, '"');
  return text;
}

// Name and release only: uname's version and nodename tell about the host.
Json kernel() {
  utsname names{};
  if (uname(&names) != 0) return nullptr;
  return std::string(names.sysname) + " " + names.release;
}

}  // namespace

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return std::nullopt;
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

std::map<std::string, std::string> key_values(const std::filesystem::path& file, char separator) {
  std::map<std::string, std::string> values;
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t split = line.find(separator);
    if (split == std::string::npos) continue;
    std::string key = line.substr(0, split);
    key.erase(key.find_last_not_of(" \t") + 1);
    const std::size_t value = line.find_first_not_of(" \t", split + 1);
    values.emplace(std::move(key), value == std::string::npos ? "" : line.substr(value));
  }
  return values;
}

std::string environment(const fs::path& root) {
  try {
    const std::map<std::string, std::string> cpuinfo = key_values(root / "proc/cpuinfo", ':');
    const bool tells_of_hypervisors = cpuinfo.contains("flags");  // x86-64's do
    const auto entry = cpuinfo.find(tells_of_hypervisors ? "flags" : "Features");
    const std::vector<std::string> flags = words_of(entry == cpuinfo.end() ? "" : entry->second);
    const Json found = {
        {"cpu", cpu_under(root, cpuinfo, flags)},
        {"memory_bytes", memory_bytes(root / "proc/meminfo")},
        {"kernel", kernel()},
        {"operating_system", operating_system(root / "etc/os-release")},
        {"virtual_machine", tells_of_hypervisors ? Json(std::ranges::count(flags, "hypervisor") > 0) : Json()},
        {"load_average", load_average(root / "proc/loadavg")},
        {"aslr", number_in<int>(root / "proc/sys/kernel/randomize_va_space")},
        {"build", build_information()},
        {"libraries", library_versions()}};
    return compact(found);
  } catch (const std::exception&) {
    return "{}";  // out of memory: nothing could be read
  }
}

}  // namespace gdbench::machine
