#include "reports/site/pages.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/claim_words.h"
#include "reports/answers/format.h"

namespace gdbench::site {

namespace {

using answers::counted;
using document::Blocks;
using document::Column;
using document::Columns;
using document::Filter;
using document::left;
using document::Link;
using report::ClaimVerdict;

using EntryPointers = std::vector<const Entry*>;

constexpr const char* kFront = "index.html";
constexpr const char* kDefault = "default.html";
constexpr const char* kFrameworks = "frameworks.html";
constexpr const char* kDevices = "devices.html";

std::vector<Link> links() {
  return {{"Sentences", kFront}, {"The default matrix", kDefault}, {"Frameworks", kFrameworks}, {"Devices", kDevices}};
}

std::string file_of(const Claim& claim) { return cat("claim-", address_part(claim.id), ".html"); }
std::string machine_file(const std::string& machine) { return cat("machine-", machine, ".html"); }
std::string report_file(const Entry& entry) { return cat("report-", entry.machine, "-", entry.name, ".html"); }
std::string course_file(const Course& course) {
  return cat("history-", course.machine, "-", address_part(course.matrix), ".html");
}
std::string section_of(const Entry& entry) { return cat("On ", entry.machine, ": ", entry.name); }
std::string command_of(const Claim& claim) {
  return cat(claim.question.empty() ? "gdbench claims run " : "gdbench answer ", claim.id);
}

std::vector<std::string> machines_of(const Collection& collection) {
  std::vector<std::string> machines;
  for (const Entry& entry : collection.entries) {
    if (machines.empty() || machines.back() != entry.machine) machines.push_back(entry.machine);
  }
  return machines;
}

EntryPointers entries_of(const Collection& collection, const std::string& machine) {
  EntryPointers found;
  for (const Entry& entry : collection.entries) {
    if (entry.machine == machine) found.push_back(&entry);
  }
  return found;
}

const Judged* judged_by(const Entry& entry, const Claim& claim) {
  const auto found = entry.claims.find(claim.id);
  return found == entry.claims.end() ? nullptr : &found->second;
}

bool is_decided(const Judged& judged) {
  return judged.judgement.verdict == ClaimVerdict::confirmed || judged.judgement.verdict == ClaimVerdict::refuted;
}

// Of a machine's reports the newest one that decides the claim, or else the newest that says something; null: none.
const Entry* speaker(const EntryPointers& entries, const Claim& claim) {
  const Entry* best = nullptr;
  const auto rank = [&](const Entry& entry) {
    return std::pair(is_decided(*judged_by(entry, claim)), entry.run.started_at);
  };
  for (const Entry* entry : entries) {
    if (judged_by(*entry, claim) != nullptr && (best == nullptr || rank(*best) < rank(*entry))) best = entry;
  }
  return best;
}

// "9.10x [7.80, 10.1]" of the point that decides.
std::string figure_of(const report::ClaimJudgement& judgement) {
  if (judgement.deciding >= judgement.relations.size()) return "";
  const report::JudgedRelation& relation = judgement.deciding_relation();
  return relation.deciding ? answers::figure_words(relation.relation, relation.points[*relation.deciding]) : "";
}

// Over the machines that say something.
std::string verdict_over(const std::vector<ClaimVerdict>& verdicts) {
  const auto count = [&](ClaimVerdict verdict) { return std::ranges::count(verdicts, verdict); };
  if (verdicts.empty()) return "not measured";
  const bool is_true = count(ClaimVerdict::confirmed) > 0;
  const bool is_false = count(ClaimVerdict::refuted) > 0;
  return is_true && is_false ? "depends on the machine" : is_true ? "true" : is_false ? "not true" : "not decided";
}

constexpr const char* kVerdicts[] = {"true", "not true", "depends on the machine", "not decided", "not measured"};

// What each machine says of a claim, in the order of `machines`.
struct ClaimRow {
  const Claim* claim = nullptr;
  std::vector<const Entry*> speakers;  // null: nothing
  std::string verdict;
};

std::vector<ClaimRow> rows_of(const Collection& collection, const std::vector<EntryPointers>& by_machine) {
  std::vector<ClaimRow> rows;
  for (const Claim& claim : collection.claims) {
    ClaimRow row{&claim, {}, ""};
    std::vector<ClaimVerdict> verdicts;
    for (const EntryPointers& entries : by_machine) {
      row.speakers.push_back(speaker(entries, claim));
      if (row.speakers.back() != nullptr) verdicts.push_back(judged_by(*row.speakers.back(), claim)->judgement.verdict);
    }
    row.verdict = verdict_over(verdicts);
    rows.push_back(std::move(row));
  }
  return rows;
}

// A place says a verdict and its figure, and leads to what it rests on.
void add_place(const Claim& claim, const Entry* entry, Column& column) {
  const Judged* const judged = entry == nullptr ? nullptr : judged_by(*entry, claim);
  column.texts.push_back(judged == nullptr ? "" : report::name_of(judged->judgement.verdict));
  column.notes.push_back(judged == nullptr ? "" : figure_of(judged->judgement));
  column.links.push_back(judged == nullptr ? "" : cat(file_of(claim), "#", address_part(section_of(*entry))));
  const ClaimVerdict verdict = judged == nullptr ? ClaimVerdict::not_run : judged->judgement.verdict;
  column.shades.push_back(verdict == ClaimVerdict::confirmed ? 0 : verdict == ClaimVerdict::refuted ? 4 : -1);
}

Blocks claims_by_machine(const std::vector<ClaimRow>& rows, const std::vector<std::string>& machines) {
  Columns table = {left("sentence"), left("verdict")};
  Filter filter{"Verdict", {}};
  for (const std::string& machine : machines) table.push_back(left(machine));
  for (const ClaimRow& row : rows) {
    table[0].texts.push_back(row.claim->sentence);
    table[0].links.push_back(file_of(*row.claim));
    table[1].texts.push_back(row.verdict);
    filter.values.push_back(row.verdict);
    for (std::size_t i = 0; i < machines.size(); ++i) add_place(*row.claim, row.speakers[i], table[i + 2]);
  }
  return Blocks().table("", std::move(table), {std::move(filter)});
}

Blocks machine_table(const Collection& collection, const std::vector<std::string>& machines) {
  Columns table = {left("machine"), left("what it is"), document::right("reports"), left("measured last")};
  Filter processors{"Processor", {}};
  for (const std::string& machine : machines) {
    const EntryPointers entries = entries_of(collection, machine);
    const Entry& last =
        **std::ranges::max_element(entries, {}, [](const Entry* entry) { return entry->run.started_at; });
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
    table[0].links.push_back(report_file(*entry));
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

// "Depends on the machine: confirmed on 2 machines, refuted on 1 machine.", with the sentence where a question is
// asked.
std::string answer_of(const Claim& claim, const ClaimRow& row) {
  std::string counts;
  for (const ClaimVerdict verdict : answers::kVerdictsInOrder) {
    const auto count = std::ranges::count_if(row.speakers, [&](const Entry* entry) {
      return entry != nullptr && judged_by(*entry, claim)->judgement.verdict == verdict;
    });
    if (count > 0) answers::join(counts, cat(report::name_of(verdict), " on ", counted(count, "machine")));
  }
  const std::string about = claim.question.empty() ? "" : cat("\"", claim.sentence, "\" ");
  std::string verdict = row.verdict;
  if (about.empty()) verdict.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(verdict.front())));
  return cat(about, about.empty() ? "" : "is ", verdict, counts.empty() ? "" : ": ", counts, ".");
}

// The answers of one report after another.
Page claim_page(const Claim& claim, const Collection& collection, const ClaimRow& row) {
  EntryPointers entries;
  for (const Entry& entry : collection.entries) {
    if (judged_by(entry, claim) != nullptr) entries.push_back(&entry);
  }
  Page page{file_of(claim), {.title = claim.question.empty() ? claim.sentence : claim.question}};
  Document& document = page.document;
  document.links = links();
  document.answer = {{answer_of(claim, row)}};
  Columns table = {left("machine"), left("report"), left("day")};
  Column verdict = left("verdict");
  Column versions = left("versions");
  Filter verdicts{"Verdict", {}};
  Filter machines{"Machine", {}};
  for (const Entry* entry : entries) {
    add_row(table, {entry->machine, entry->name, entry->day()});
    table[0].links.push_back(machine_file(entry->machine));
    table[1].links.push_back(report_file(*entry));
    add_place(claim, entry, verdict);
    versions.texts.push_back(entry->versions);
    verdicts.values.push_back(verdict.texts.back());
    machines.values.push_back(entry->machine);
  }
  table.insert(table.end(), {std::move(verdict), std::move(versions)});
  document.section("", Blocks().paragraph("from: " + claim.source, document::Style::dim));
  document.section("Where it was measured", Blocks().table("", std::move(table), {verdicts, machines}));
  for (const Entry* entry : entries) {
    Blocks blocks;
    const Document& answer = judged_by(*entry, claim)->answer;
    for (const document::Paragraph& paragraph : answer.answer) blocks.add({paragraph});
    blocks.paragraph(entry->environment, document::Style::dim);
    for (const document::Section& section : answer.sections) {
      Blocks below;
      for (const document::Block& block : section.blocks) below.add(block);
      blocks.fold(section.title, std::move(below), true);
    }
    document.section(section_of(*entry), std::move(blocks));
  }
  document.section("To answer it on another machine", Blocks().command(command_of(claim)));
  return page;
}

void add_standings(const Entry& entry, Columns& table, std::vector<Filter>& filters) {
  for (const Standing& standing : entry.standings) {
    add_row(table, {standing.scenario, entry.machine, standing.fastest, standing.lead});
    table[1].links.push_back(report_file(entry));
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
      table[2].links.push_back(report_file(*entry));
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
  document.answer = {{cat(entries.back()->environment, ".")}};
  Columns claims = {left("sentence"), left("verdict")};
  Filter verdicts{"Verdict", {}};
  for (const ClaimRow& row : rows) {
    if (row.speakers[place] == nullptr) continue;
    claims[0].texts.push_back(row.claim->sentence);
    claims[0].links.push_back(file_of(*row.claim));
    add_place(*row.claim, row.speakers[place], claims[1]);
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
    courses[0].links.push_back(course_file(course));
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

std::vector<EntryPointers> by_machine(const Collection& collection, const std::vector<std::string>& machines) {
  std::vector<EntryPointers> grouped;
  for (const std::string& machine : machines) grouped.push_back(entries_of(collection, machine));
  return grouped;
}

}  // namespace

Document front_page(const Collection& collection) {
  const std::vector<std::string> machines = machines_of(collection);
  const std::vector<ClaimRow> rows = rows_of(collection, by_machine(collection, machines));
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
  const std::vector<ClaimRow> rows = rows_of(collection, by_machine(collection, machines));
  std::vector<Page> pages = {{kFront, front_page(collection)}};
  for (const ClaimRow& row : rows) pages.push_back(claim_page(*row.claim, collection, row));
  for (std::size_t i = 0; i < machines.size(); ++i) pages.push_back(machine_page(machines[i], collection, rows, i));
  pages.push_back(default_page(collection));
  pages.push_back(times_page(collection, &Entry::frameworks, kFrameworks,
                             "How fast are frameworks, by version and machine?", "version",
                             "No report of a framework is kept yet."));
  pages.push_back(times_page(collection, &Entry::devices, kDevices, "What do devices reach?", "device",
                             "No report of a device is kept yet."));
  for (const Course& course : collection.courses) {
    Page& page = pages.emplace_back(Page{course_file(course), course.document});
    page.document.title = cat("Did the matrix ", course.matrix, " become slower on ", course.machine, "?");
    page.document.links = links();
  }
  return pages;
}

Page report_page(const Entry& entry, Document document) {
  document.links = links();
  document.links.push_back({entry.machine, machine_file(entry.machine)});
  return {report_file(entry), std::move(document)};
}

}  // namespace gdbench::site
