// What parts of earlier runs took on this machine, in a small file, so that a run says at its start how long it takes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gdbench::measure {

class KnownTimes {
 public:
  // Times that the file holds, those of about 2,000 cells; the oldest go first.
  static constexpr std::size_t kMost = 8000;

  // Without a file nothing is known and nothing kept. Machines may share one: what another kind of processor took is
  // not known here. `environment` is machine::environment().
  KnownTimes(std::filesystem::path file, const std::string& environment);

  // Why what the file holds is not known, on one line; empty where it is, and where there is no file yet.
  const std::string& fault() const { return fault_; }

  // What that took the last time; 0: not known.
  double seconds(const std::string& what) const;
  void set(const std::string& what, double seconds);

  // Puts what was set behind what the file holds by now. A file that cannot be written is no error.
  void keep() const;

 private:
  std::string key_of(const std::string& what) const;

  std::filesystem::path file_;
  std::string machine_;
  std::string fault_;
  std::map<std::string, double> known_;
  std::map<std::string, double> set_;
};

}  // namespace gdbench::measure
