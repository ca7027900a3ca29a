#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/answer.h"
#include "app/answered_claims.h"
#include "app/claim_runs.h"
#include "app/commands.h"
#include "app/console.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/questions/history/history.h"
#include "harness/questions/submission/submission.h"
#include "harness/report/report_file.h"
#include "reports/answers/documents.h"
#include "reports/site/addresses.h"
#include "reports/site/pages.h"

namespace gdbench::app {

namespace {

namespace fs = std::filesystem;

struct SiteOptions {
  std::string folder;
  std::string out;  // empty: the front page alone, in the forms of an answer
  AnswerOptions answer;
};

struct KeptFile {
  fs::path file;
  std::string machine;
  std::string name;
};

// FOLDER/MACHINE/NAME.json.zst, by machine and name. What is called otherwise is left out, with a reason: names are
// parts of addresses.
Result<std::vector<KeptFile>> kept_files(const fs::path& folder, std::vector<std::string>& left_out) {
  std::vector<KeptFile> files;
  std::error_code error;
  fs::directory_iterator machines(folder, error);
  if (error) return file_error(folder, error.message(), "a folder of reports that gdbench submit kept");
  for (const fs::directory_entry& machine : machines) {
    if (!machine.is_directory()) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(machine, error)) {
      const std::string file = entry.path().filename().string();
      const std::string name = file.substr(0, file.find(submission::kEnding));
      const std::string where = machine.path().filename().string();
      if (file.ends_with(submission::kEnding) && name == address_part(name) && where == address_part(where)) {
        files.push_back({entry.path(), where, name});
      } else {
        left_out.push_back(one_line(cat(where, "/", file, ": found a name that gdbench submit does not give")));
      }
    }
  }
  std::ranges::sort(files, {}, [](const KeptFile& file) { return std::pair(file.machine, file.name); });
  std::ranges::sort(left_out);
  return files;
}

class SiteBuilder {
 public:
  SiteBuilder(const SiteOptions& options, std::vector<claims::Claim> claims)
      : options_(options), claims_(std::move(claims)) {
    for (const claims::Claim& claim : claims_) {
      collection_.claims.push_back({claim.id, claim.sentence, claim.question, claim.source});
    }
  }

  // Reports are read one after the other; a page of each is written at once.
  Status read() {
    for (const KeptFile& kept : TRY(kept_files(options_.folder, collection_.left_out))) TRY(add(kept));
    if (collection_.entries.empty()) {
      return file_error(options_.folder, "no report that can be shown", "MACHINE/NAME.json.zst of gdbench submit");
    }
    add_courses();
    return {};
  }

  Status write_pages() {
    const std::vector<site::Page> pages = site::pages_of(collection_);
    for (const site::Page& page : pages) TRY(write(page));
    print_error(cat("site: ", (fs::path(options_.out) / "index.html").string(), " (", written_, " pages, ",
                    bytes_ / 1'000'000, " MB)"));
    return {};
  }

  const site::Collection& collection() const { return collection_; }

 private:
  Status add(const KeptFile& kept) {
    const Result<report::Report> report = submission::read_evidence(kept.file.string());
    std::vector<std::string> faults;
    if (report.ok()) faults = submission::faults_of(*report);
    if (!report.ok()) faults.push_back(report.error().message);
    if (!faults.empty()) {
      collection_.left_out.push_back(one_line(cat(kept.machine, "/", kept.name, ": ", joined(faults, "; "))));
      return {};
    }
    site::Entry entry = site::entry_of(*report);
    entry.machine = kept.machine;
    entry.name = kept.name;
    TRY(add_claims_of(*report, entry));
    if (!options_.out.empty()) {
      TRY(write(site::report_page(entry, answers::document_of(*report))));
      measured_[{kept.machine, report->run.matrix}].push_back(history::measured_report(kept.name, *report));
    }
    collection_.entries.push_back(std::move(entry));
    return {};
  }

  Status add_claims_of(const report::Report& report, site::Entry& entry) {
    const std::vector<report::ClaimJudgement> judgements = TRY(judged_by(claims_, report));
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (judgements[i].verdict == report::ClaimVerdict::not_run) continue;
      const std::string command = site::command_of(collection_.claims[i]);
      const answers::AnsweredClaim answered = TRY(answered_claim(claims_[i], judgements[i], report, command));
      entry.claims.emplace(claims_[i].id, site::Judged{judgements[i], answers::document_of(answered)});
    }
    return {};
  }

  // A level is seen to change between some reports.
  void add_courses() {
    constexpr std::size_t kFewest = 3;
    for (auto& [key, reports] : measured_) {
      if (reports.size() < kFewest) continue;
      const report::History found = history::history_of({std::move(reports), {}}, {});
      collection_.courses.push_back({key.first, key.second, answers::document_of(found)});
    }
  }

  Status write(const site::Page& page) {
    const std::string html = document::html_of(page.document);
    ++written_;
    bytes_ += html.size();
    return report::write_whole(html, (fs::path(options_.out) / page.file).string());
  }

  const SiteOptions& options_;
  std::vector<claims::Claim> claims_;
  site::Collection collection_;
  std::map<std::pair<std::string, std::string>, std::vector<history::MeasuredReport>> measured_;
  std::size_t written_ = 0;
  std::size_t bytes_ = 0;
};

Result<int> make_site(const SiteOptions& options) {
  SiteBuilder builder(options, TRY(read_claims()));
  if (!options.out.empty()) {
    std::error_code error;
    fs::create_directories(options.out, error);
    if (error) return report::cannot_be_written(options.out, error.message());
  }
  TRY(builder.read());
  for (const std::string& reason : builder.collection().left_out) print_error("left out: " + reason);
  if (options.out.empty()) {
    TRY(print_answer(options.answer, site::front_page(builder.collection()), OrderedJson::object()));
  } else {
    TRY(builder.write_pages());
  }
  return kFine;
}

}  // namespace

void add_site(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<SiteOptions>();
  CLI::App& command = *app.add_subcommand(
      "site", "Which sentences about speed are true on which machine? Pages of all reports that are kept");
  add_value(command, "folder", "FOLDER", options->folder, "Where gdbench submit keeps reports")->required();
  add_value(command, "--out", "FOLDER", options->out,
            "Write all pages here; without it only the front page, in one of the forms below");
  add_answer_options(command, options->answer);
  command.footer(
      "The pages lead to each other by names that stay, and fetch nothing: any server of files serves them.\n"
      "A report that is no evidence (gdbench submit says why) is left out, which is said.\n"
      "Examples:\n"
      "  gdbench site results/ --out site/\n"
      "  gdbench site results/ --markdown claims-held.md");
  when_chosen(command, invocation, [options] { return make_site(*options); });
}

}  // namespace gdbench::app
