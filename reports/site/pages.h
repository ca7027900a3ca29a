// The pages of a site: what the kept reports of many machines say. Files in one folder that lead to each other by names
// that stay; nothing is fetched.
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/site/entry.h"

namespace gdbench::site {

using document::Document;

// A sentence that is judged.
struct Claim {
  std::string id;
  std::string sentence;
  std::string question;  // empty: nobody is known to ask
  std::string source;
};

struct Page {
  std::string file;  // "claim-tf-memory.html"
  Document document;
};

// The times of a machine over revisions, by one matrix.
struct Course {
  std::string machine;
  std::string matrix;
  Document document;
};

struct Collection {
  std::vector<Claim> claims;
  std::vector<Entry> entries;  // by machine and name
  std::vector<Course> courses;
  std::vector<std::string> left_out;  // files, and why
};

// "Which sentences about training speed are true, and where?": claims by machines, machines, reports.
Document front_page(const Collection& collection);

// That, and a page for each claim and machine, the default matrix, frameworks, devices, and each course.
std::vector<Page> pages_of(const Collection& collection);

// A report's own page, as `gdbench report --html` has it.
Page report_page(const Entry& entry, Document document);

}  // namespace gdbench::site
