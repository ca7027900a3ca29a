#include "harness/machine/environment.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/support/implementations/processors.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::machine {
namespace {

using nlohmann::json, tests::TemporaryFolder, tests::write_text;

constexpr const char* kCpuInfo =
    "processor\t: 0\nvendor_id\t: ExampleVendor\nmodel name\t: Example CPU\ncpu MHz\t\t: 2599.998\n"
    "flags\t\t: fpu sse4_2 avx smep avx2 fma hypervisor\n\n"
    "processor\t: 1\nvendor_id\t: Other\nmodel name\t: Other\ncpu MHz\t\t: 1.0\nflags\t\t: fpu\n\n";

void write_cache(const std::filesystem::path& folder, const char* level, const char* type, const char* size,
                 const char* shared) {
  write_text(folder / "level", level);
  write_text(folder / "type", type);
  write_text(folder / "size", size);
  write_text(folder / "shared_cpu_list", shared);
}

void fill(const std::filesystem::path& root) {
  const auto cpu0 = root / "sys/devices/system/cpu/cpu0";
  write_text(root / "proc/cpuinfo", kCpuInfo);
  write_text(root / "proc/meminfo", "MemTotal:       24684084 kB\nMemFree:        1 kB\n");
  write_text(root / "proc/loadavg", "0.13 0.03 0.01 2/89 5388\n");
  write_text(root / "proc/sys/kernel/randomize_va_space", "2\n");
  write_text(root / "etc/os-release", "NAME=\"Example\"\nPRETTY_NAME=\"Example Linux 12 (bookworm)\"\n");
  write_cache(cpu0 / "cache/index0", "1\n", "Data\n", "48K\n", "0\n");
  write_cache(cpu0 / "cache/index1", "3\n", "Unified\n", "30M\n", "0-3,8,10-11\n");
  write_text(cpu0 / "cpufreq/scaling_governor", "powersave\n");
  write_text(cpu0 / "cpufreq/cpuinfo_max_freq", "3500000\n");
}

TEST(Environment, ReadsTheTreeUnderItsRoot) {
  const TemporaryFolder folder;
  fill(folder.path());
  const json found = json::parse(environment(folder.path()));
  json expected = found;
  expected.merge_patch(json::parse(R"--({
    "cpu": {"model": "Example CPU", "vendor": "ExampleVendor", "logical_processors": 2,
            "features": ["sse4_2", "avx", "avx2", "fma"], "governor": "powersave", "frequency_mhz": 3500.0,
            "caches": [{"level": 1, "type": "Data", "bytes": 49152, "shared_by": 1},
                       {"level": 3, "type": "Unified", "bytes": 31457280, "shared_by": 7}]},
    "memory_bytes": 25276502016, "operating_system": "Example Linux 12 (bookworm)", "virtual_machine": true,
    "load_average": [0.13, 0.03, 0.01], "aslr": 2})--"));
  EXPECT_EQ(found, expected);
}

TEST(Environment, NamesArmProcessorsByTheirNumbers) {
  const TemporaryFolder folder;
  const auto cpuinfo = [&](const char* implementer, const char* part) {
    write_text(folder.path() / "proc/cpuinfo",
               std::string("processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes asimdhp sve i8mm\n") +
                   "CPU implementer\t: " + implementer +
                   "\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: " + part + "\nCPU revision\t: 1\n\n");
    return json::parse(environment(folder.path()));
  };
  const json known = cpuinfo("0x41", "0xd40");
  EXPECT_EQ(known["cpu"]["vendor"], "Arm");
  EXPECT_EQ(known["cpu"]["model"], "Neoverse-V1");
  EXPECT_EQ(known["cpu"]["features"], json({"asimd", "asimdhp", "sve", "i8mm"}));
  EXPECT_TRUE(known["virtual_machine"].is_null()) << "it does not say";
  const json other = cpuinfo("0xc0", "0xd40");
  EXPECT_EQ(other["cpu"]["vendor"], "Ampere");
  EXPECT_EQ(other["cpu"]["model"], "part 0xd40") << "another maker's numbers";
  EXPECT_EQ(cpuinfo("0x99", "0x1")["cpu"]["vendor"], "implementer 0x99");
  EXPECT_TRUE(cpuinfo("lots", "many")["cpu"]["model"].is_null());
}

TEST(Environment, HasNullForWhatItCannotRead) {
  const TemporaryFolder folder;
  const json found = json::parse(environment(folder.path()));
  for (const char* pointer :
       {"/cpu/model", "/cpu/vendor", "/cpu/logical_processors", "/cpu/governor", "/cpu/frequency_mhz", "/memory_bytes",
        "/operating_system", "/virtual_machine", "/load_average", "/aslr"}) {
    ASSERT_TRUE(found.contains(json::json_pointer(pointer))) << pointer;
    EXPECT_TRUE(found[json::json_pointer(pointer)].is_null()) << pointer;
  }
  EXPECT_EQ(found["cpu"]["caches"], json::array());
}

TEST(Environment, HasNullForWhatMakesNoSenseAndTheFrequencyOfTheMoment) {
  const TemporaryFolder folder;
  fill(folder.path());
  write_text(folder.path() / "proc/meminfo", "MemTotal: lots\n");
  write_text(folder.path() / "proc/loadavg", "0.1 high\n");
  write_text(folder.path() / "proc/sys/kernel/randomize_va_space", "\n");
  write_cache(folder.path() / "sys/devices/system/cpu/cpu0/cache/index0", "x", "Data", "48Q", "3-1");
  std::filesystem::remove_all(folder.path() / "sys/devices/system/cpu/cpu0/cpufreq");
  const json found = json::parse(environment(folder.path()));
  EXPECT_TRUE(found["memory_bytes"].is_null());
  EXPECT_TRUE(found["load_average"].is_null());
  EXPECT_TRUE(found["aslr"].is_null());
  EXPECT_EQ(found["cpu"]["caches"][0],
            json({{"level", nullptr}, {"type", "Data"}, {"bytes", nullptr}, {"shared_by", nullptr}}));
  EXPECT_EQ(found["cpu"]["frequency_mhz"], 2599.998);
  EXPECT_TRUE(found["cpu"]["governor"].is_null());
}

TEST(Environment, KnowsTheProcessorsItMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int first = any_processor();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const json found = json::parse(environment());
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(found["cpu"]["allowed_processors"], json({first}));
}

TEST(Environment, KnowsThisBuild) {
  const json build = json::parse(environment())["build"];
  EXPECT_TRUE(build["compiler"].is_string());
  EXPECT_TRUE(build["flags"].is_string());
  EXPECT_EQ(build["git_revision"].is_string(), build["git_dirty"].is_boolean());
  EXPECT_EQ(build["git_revision"].is_string(), build["git_committed_at"].is_string());
  EXPECT_EQ(json::parse(environment())["libraries"]["nlohmann_json"].get<std::string>().substr(0, 2), "3.");
}

// A path or a name would tell about the person and not about the machine.
void expect_nothing_private(const json& value, const std::string& host) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    EXPECT_EQ(text.find("/home"), std::string::npos) << text;
    EXPECT_EQ(text.find(GDBENCH_SOURCE_DIR), std::string::npos) << text;
    EXPECT_NE(text, host);
  }
  for (const json& inner : value) {
    if (value.is_structured()) expect_nothing_private(inner, host);
  }
}

TEST(Environment, RecordsNoHostNameAndNoPath) {
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  expect_nothing_private(json::parse(environment()), host.data());
}

}  // namespace
}  // namespace gdbench::machine
