// What the pages of a site are called, and where links lead. Names stay: others link to them.
#pragma once

#include <string>
#include <vector>

#include "reports/site/pages.h"

namespace gdbench::site {

inline constexpr const char* kFront = "index.html";
inline constexpr const char* kDefault = "default.html";
inline constexpr const char* kFrameworks = "frameworks.html";
inline constexpr const char* kDevices = "devices.html";

// To the pages that every page leads to.
std::vector<document::Link> links();

std::string file_of(const Claim& claim);
std::string file_of(const Entry& entry);
std::string file_of(const Course& course);
std::string machine_file(const std::string& machine);

// That answers it again.
std::string command_of(const Claim& claim);

// What a claim's page says by a report.
std::string section_of(const Entry& entry);
std::string address_of(const Claim& claim, const Entry& entry);

}  // namespace gdbench::site
