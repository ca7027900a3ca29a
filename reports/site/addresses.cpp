#include "reports/site/addresses.h"

#include "harness/base/text.h"

namespace gdbench::site {

std::vector<document::Link> links() {
  return {{"Sentences", kFront}, {"The default matrix", kDefault}, {"Frameworks", kFrameworks}, {"Devices", kDevices}};
}

std::string file_of(const Claim& claim) { return cat("claim-", address_part(claim.id), ".html"); }
std::string file_of(const Entry& entry) { return cat("report-", entry.machine, "-", entry.name, ".html"); }
std::string file_of(const Course& course) {
  return cat("history-", course.machine, "-", address_part(course.matrix), ".html");
}
std::string machine_file(const std::string& machine) { return cat("machine-", machine, ".html"); }

std::string command_of(const Claim& claim) {
  return cat(claim.question.empty() ? "gdbench claims run " : "gdbench answer ", claim.id);
}

std::string section_of(const Entry& entry) { return cat("On ", entry.machine, ": ", entry.name); }
std::string address_of(const Claim& claim, const Entry& entry) {
  return cat(file_of(claim), "#", address_part(section_of(entry)));
}

}  // namespace gdbench::site
