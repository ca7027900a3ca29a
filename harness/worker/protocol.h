// The protocol's vocabulary, shared by the coordinator's client and the native worker. PROTOCOL.md describes it for
// people who write a worker in another language; this file and that page change together.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/base/result.h"
#include "harness/scenario/problem.h"

namespace gdbench::worker {

constexpr int kProtocolMajor = 1;
constexpr int kProtocolMinor = 6;

// Descriptors in a worker process.
constexpr int kRequestDescriptor = 3;
constexpr int kResponseDescriptor = 4;
constexpr int kDataDescriptor = 5;
constexpr int kStateDescriptor = 6;

// switches: named parts that are switched off and on, as GDBENCH_OPTION_SWITCHES describes.
enum class OptionType { boolean, integer, number, choice, string, switches };

struct OptionDeclaration {
  std::string key;
  OptionType type = OptionType::string;
  std::string default_value;
  std::vector<std::string> choices;  // of a choice; the names of switches
  std::string description;
};

// What an implementation says of itself in the answer to hello. Lists hold the names of problem.h.
struct ImplementationDescription {
  std::string id;
  std::string description;
  std::string build;
  std::vector<std::string> tasks;
  std::vector<std::string> dtypes;
  std::vector<std::string> activations;
  std::vector<std::string> losses;
  std::vector<std::string> optimizers;
  std::vector<std::string> capabilities;  // "no_arithmetic", "shuffle", "stream", ...
  std::int64_t max_layers = 0;            // 0: any
  int max_compute_threads = 1;            // 0: any
  int helper_threads = 0;
  std::vector<OptionDeclaration> options;
  std::string unavailable;  // why it cannot be used here ("not installed: ..."); empty where it can

  bool has_capability(const std::string& name) const;
};

struct HelloAnswer {
  int protocol_major = 0;
  int protocol_minor = 0;
  std::string worker_build;  // the worker's own revision
  std::string plugin_name;
  std::string plugin_version;
  std::vector<ImplementationDescription> implementations;
};

struct ThreadSettings {
  int compute = 1;
  std::vector<int> compute_cores;
  std::vector<int> helper_cores;
};

nlohmann::json problem_to_json(const scenario::Problem& problem);
Result<scenario::Problem> problem_from_json(const nlohmann::json& json);

nlohmann::json hello_to_json(const HelloAnswer& answer);
Result<HelloAnswer> hello_from_json(const nlohmann::json& json);

}  // namespace gdbench::worker
