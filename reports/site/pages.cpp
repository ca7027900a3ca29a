#include "reports/site/pages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/site/addresses.h"
#include "reports/site/verdicts.h"

namespace gdbench::site {

namespace {

using answers::counted;
using document::Blocks;
using document::Column;
using document::Columns;
using document::Filter;
using document::left;

Blocks claims_by_machine(const std::vector<ClaimRow>& rows, const std::vector<std::string>& machines) {
  Columns table = {left("sentence"), left("verdict")};
  Filter filter{"Verdict", {}};
  for (const std::string& machine : machines) table.push_back(left(machine));
  for (const ClaimRow& row : rows) {
    table[0].texts.push_back(row.claim->sentence);
    table[0].notes.push_back(cat("(", row.claim->id, ")"));
    table[0].links.push_back(file_of(*row.claim));
    table[1].texts.push_back(row.verdict);
    filter.values.push_back(row.verdict);
    for (std::size_t i = 0; i < machines.size(); ++i) add_verdict(*row.claim, row.speakers[i], table[i + 2]);
  }
  return Blocks().table("", std::move(table), {std::move(filter)});
}

const Entry& newest_of(const EntryPointers& entries) {
  return **std::ranges::max_element(entries, {}, [](const Entry* entry) { return entry->run.started_at; });
}

Blocks machine_table(const Collection& collection, const std::vector<std::string>& machines) {
  Columns table = {left("machine"), left("what it is"), document::right("reports"), left("measured last")};
  Filter processors{"Processor", {}};
  for (const std::string& machine : machines) {
    const EntryPointers entries = entries_of(collection, machine);
    const Entry& last = newest_of(entries);
    add_row(table, {machine, last.environment, std::to_string(entries.size()), last.day()});
    table[0].links.push_back(machine_file(machine));
    processors.values.push_back(last.processor);
  }
  return Blocks().table("", std::move(table), {std::move(processors)});
}

Blocks report_table(const EntryPointers& entries) {
  Columns table = {left("report"),   left("machine"), left("matrix"), left("day"),
                   left("revision"), left("cells"),   left("by")};
  Filter machines{"Machine", {}};
  Filter matrices{"Matrix", {}};
  for (const Entry* entry : entries) {
    add_row(table, {entry->name, entry->machine, entry->run.matrix, entry->day(), entry->revision, entry->cells,
                    entry->run.measured_by.value_or("")});
    table[0].links.push_back(file_of(*entry));
    table[1].links.push_back(machine_file(entry->machine));
    machines.values.push_back(entry->machine);
    matrices.values.push_back(entry->run.matrix);
  }
  return Blocks().table("", std::move(table), {std::move(machines), std::move(matrices)});
}

EntryPointers all_entries(const Collection& collection) {
  EntryPointers all;
  for (const Entry& entry : collection.entries) all.push_back(&entry);
  return all;
}

std::string counts_of(const std::vector<ClaimRow>& rows, std::size_t machines) {
  std::string text;
  for (const char* const verdict : kVerdicts) {
    const auto count = std::ranges::count(rows, verdict, &ClaimRow::verdict);
    if (count > 0) answers::join(text, cat(count, " ", verdict));
  }
  return cat(counted(rows.size(), "sentence"), " about training speed, judged by the reports of ",
             counted(machines, "machine"), ": ", text, ".");
}

void add_standings(const Entry& entry, Columns& table, std::vector<Filter>& filters) {
  for (const Standing& standing : entry.standings) {
    add_row(table, {standing.scenario, entry.machine, standing.fastest, standing.lead});
    table[1].links.push_back(file_of(entry));
    filters[0].values.push_back(standing.scenario);
    filters[1].values.push_back(entry.machine);
  }
}

Columns standing_columns() { return {left("scenario"), left("machine"), left("fastest"), left("lead")}; }

// Of each machine its newest report of a matrix; of all matrices where that is empty.
EntryPointers newest_of(const Collection& collection, const std::string& matrix) {
  std::map<std::pair<std::string, std::string>, const Entry*> newest;
  for (const Entry& entry : collection.entries) {
    if (!matrix.empty() && entry.run.matrix != matrix) continue;
    const Entry*& known = newest[{entry.machine, entry.run.matrix}];
    if (known == nullptr || known->run.started_at < entry.run.started_at) known = &entry;
  }
  EntryPointers entries;
  for (const auto& [key, entry] : newest) entries.push_back(entry);
  return entries;
}

Page default_page(const Collection& collection) {
  Columns table = standing_columns();
  std::vector<Filter> filters = {{"Scenario", {}}, {"Machine", {}}};
  const EntryPointers entries = newest_of(collection, "default");
  for (const Entry* entry : entries) add_standings(*entry, table, filters);
  Page page{kDefault, {.title = "Which implementation is the fastest in the default matrix, by machine?"}};
  page.document.links = links();
  page.document.answer = {{cat("The newest report of each of ", counted(entries.size(), "machine"),
                               "; a lead is the time of the runner-up over that of the fastest.")}};
  page.document.section("The fastest", Blocks().table("", std::move(table), std::move(filters)));
  return page;
}

// Rows of frameworks or of devices, from each machine's newest report of each matrix.
Page times_page(const Collection& collection, std::vector<Time> Entry::*times, const std::string& file,
                const std::string& title, const std::string& version, const std::string& nothing) {
  Columns table = {left("implementation"), left(version),          left("machine"),
                   left("scenario"),       left("time of a step"), document::right("to the fastest")};
  Filter versions{version, {}};
  Filter machines{"machine", {}};
  Filter scenarios{"scenario", {}};
  for (const Entry* entry : newest_of(collection, "")) {
    for (const Time& time : entry->*times) {
      add_row(table, {time.implementation, time.version, entry->machine, time.scenario, time.time,
                      time.ratio.empty() ? "-" : time.ratio});
      table[2].links.push_back(file_of(*entry));
      versions.values.push_back(time.version);
      machines.values.push_back(entry->machine);
      scenarios.values.push_back(time.scenario);
    }
  }
  Page page{file, {.title = title}};
  page.document.links = links();
  const bool is_empty = table.front().texts.empty();
  page.document.answer = {
      {is_empty ? nothing
                : "From each machine's newest report of each matrix. The last column is a row's time over that of the "
                  "fastest implementation in the same report and scenario."}};
  page.document.section("Rows", Blocks().table("", std::move(table), {versions, machines, scenarios}));
  return page;
}

Page machine_page(const std::string& machine, const Collection& collection, const std::vector<ClaimRow>& rows,
                  std::size_t place) {
  const EntryPointers entries = entries_of(collection, machine);
  Page page{machine_file(machine), {.title = machine}};
  Document& document = page.document;
  document.links = links();
  document.answer = {{cat(newest_of(entries).environment, ".")}};
  Columns claims = {left("sentence"), left("verdict")};
  Filter verdicts{"Verdict", {}};
  for (const ClaimRow& row : rows) {
    if (row.speakers[place] == nullptr) continue;
    claims[0].texts.push_back(row.claim->sentence);
    claims[0].links.push_back(file_of(*row.claim));
    add_verdict(*row.claim, row.speakers[place], claims[1]);
    verdicts.values.push_back(claims[1].texts.back());
  }
  document.section("Which sentences are true here", Blocks().table("", std::move(claims), {std::move(verdicts)}));
  Columns standings = standing_columns();
  std::vector<Filter> filters = {{"Scenario", {}}, {"Machine", {}}};
  for (const Entry* entry : newest_of(collection, "default")) {
    if (entry->machine == machine) add_standings(*entry, standings, filters);
  }
  filters.pop_back();
  document.section("The default matrix", Blocks().table("", std::move(standings), std::move(filters)));
  document.section("Reports", report_table(entries));
  Columns courses = {left("over revisions")};
  Filter matrices{"Matrix", {}};
  for (const Course& course : collection.courses) {
    if (course.machine != machine) continue;
    courses[0].texts.push_back("The matrix " + course.matrix);
    courses[0].links.push_back(file_of(course));
    matrices.values.push_back(course.matrix);
  }
  document.section("History", Blocks().table("", std::move(courses), {std::move(matrices)}));
  std::vector<std::string> spoiled;
  for (const Entry* entry : entries) {
    for (const std::string& condition : entry->spoiled) spoiled.push_back(cat(entry->name, ": ", condition));
  }
  document.section("What spoils measurements here", Blocks().list(spoiled, document::Style::bad));
  return page;
}

}  // namespace

Document front_page(const Collection& collection) {
  const std::vector<std::string> machines = machines_of(collection);
  const std::vector<ClaimRow> rows = rows_of(collection);
  Document document{.title = "Which sentences about training speed are true, and where?",
                    .answer = {{counts_of(rows, machines.size())}}};
  document.links = links();
  document.section("Sentences by machine", claims_by_machine(rows, machines));
  document.section("Machines", machine_table(collection, machines));
  document.section("Reports", report_table(all_entries(collection)));
  document.section("Left out", Blocks().list(collection.left_out, document::Style::bad));
  document.section("To add a machine",
                   Blocks()
                       .command("gdbench claims run all --until decided --budget 1h --out claims.json")
                       .command("gdbench submit claims.json --by NAME"));
  return document;
}

std::vector<Page> pages_of(const Collection& collection) {
  const std::vector<std::string> machines = machines_of(collection);
  const std::vector<ClaimRow> rows = rows_of(collection);
  std::vector<Page> pages = {{kFront, front_page(collection)}};
  for (const ClaimRow& row : rows) pages.push_back(claim_page(collection, row));
  for (std::size_t i = 0; i < machines.size(); ++i) pages.push_back(machine_page(machines[i], collection, rows, i));
  pages.push_back(default_page(collection));
  pages.push_back(times_page(collection, &Entry::frameworks, kFrameworks,
                             "How fast are frameworks, by version and machine?", "version",
                             "No report of a framework is kept yet."));
  pages.push_back(times_page(collection, &Entry::devices, kDevices, "What do devices reach?", "device",
                             "No report of a device is kept yet."));
  for (const Course& course : collection.courses) {
    Page& page = pages.emplace_back(Page{file_of(course), course.document});
    page.document.title = cat("Did the matrix ", course.matrix, " become slower on ", course.machine, "?");
    page.document.links = links();
  }
  return pages;
}

Page report_page(const Entry& entry, Document document) {
  document.links = links();
  document.links.push_back({entry.machine, machine_file(entry.machine)});
  return {file_of(entry), std::move(document)};
}

}  // namespace gdbench::site
