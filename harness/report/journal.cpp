#include "harness/report/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/report/fields.h"
#include "harness/report/report_file.h"

namespace gdbench::report {

namespace {

// The first bytes of every line; a report's text starts otherwise.
constexpr std::string_view kEventPrefix = "{\"event\":";

// What a cell's event says of it; reading one without its optional fields leaves them as they are.
void fields_of_event(auto& archive, Of<Cell> auto& cell) {
  FIELDS(archive, cell, build, runtime, status, verification, block, profile, other_profiles, target, confirmed_from);
}

// Adds a journal's lines up to a report.
class JournalReader {
 public:
  explicit JournalReader(std::string origin) : origin_(std::move(origin)) {}

  Status line(const std::string& text) {
    ++number_;
    const std::string place = origin_ + ": line " + std::to_string(number_);
    Json event = Json::parse(text, nullptr, false);
    escape_controls(event);
    if (!event.is_object() || !event.contains("event") || !event["event"].is_string()) {
      return usage_error(place + ": found no event, expected one JSON object with the key \"event\"");
    }
    const std::string kind = event["event"].get<std::string>();
    if ((number_ == 1) != (kind == "run")) {
      return usage_error(place + ": found the event \"" + kind + "\", expected the event \"run\" on line 1 only");
    }
    if (kind == "run") return start(event, place);
    JsonDocument document(place, {}, {.ignore_unknown = newer_});
    apply(kind, RecordReader(document, event), document);
    if (!document.ok()) return document.error();
    return {};
  }

  Report take() {
    if (!ended_) report_.run.status = "killed";
    return std::move(report_);
  }

 private:
  Status start(const Json& event, const std::string& place) {
    if (!event.contains("report")) return usage_error(place + ": /report: found nothing, expected this key");
    Report report = TRY(from_json(event["report"], place));
    report_ = std::move(report);
    newer_ = event["report"]["schema_version"]["minor"].get<int>() > kSchemaMinor;
    for (std::size_t i = 0; i < report_.cells.size(); ++i) positions_[report_.cells[i].id] = i;
    return {};
  }

  void apply(const std::string& kind, RecordReader reader, JsonDocument& document) {
    std::string text;
    reader.field("event", text);
    if (kind == "note") {
      reader.field("text", report_.notes.emplace_back());
    } else if (kind == "ceilings") {
      if (!report_.ceilings) report_.ceilings.emplace();
      reader.field("ceilings", report_.ceilings->add_launch());
    } else if (kind == "resume") {
      std::string at;
      reader.field("at", at);
      ended_ = false;
    } else if (kind == "end") {
      reader.field("status", report_.run.status);
      reader.field("finished_at", report_.run.finished_at);
      ended_ = true;
    } else if (kind == "cell" || kind == "sample" || kind == "launch") {
      apply_to_cell(kind, reader, document);
    } else {
      document.fail("/event", in_quotes(kind), "one of run, cell, sample, launch, ceilings, note, resume, end");
    }
    reader.finish();
  }

  void apply_to_cell(const std::string& kind, RecordReader& reader, JsonDocument& document) {
    std::string id;
    reader.field("cell", id);
    if (!document.ok() || !reader.has("cell")) return;
    const auto position = positions_.find(id);
    if (position == positions_.end()) return document.fail("/cell", in_quotes(id), "the id of a cell of line 1");
    Cell& cell = report_.cells[position->second];
    if (kind == "sample") return reader.field("sample", cell.samples.emplace_back());
    if (kind == "launch") return reader.field("launch", cell.launches.emplace_back());
    fields_of_event(reader, cell);
  }

  std::string origin_;
  Report report_;
  std::unordered_map<std::string, std::size_t> positions_;  // of cells, by id
  std::size_t number_ = 0;
  bool newer_ = false;
  bool ended_ = false;
};

}  // namespace

Result<Journal> Journal::take(const std::string& path) {
  TRY(refuse_link_of_others(path));
  Journal journal;
  journal.path_ = path;
  journal.descriptor_ = UniqueDescriptor(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_CREAT, 0666));
  if (!journal.descriptor_.is_open()) return cannot_be_written(path, std::strerror(errno));
  if (flock(journal.descriptor_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return journal;
  return usage_error(path + ": found a run that is still going on, expected no other that writes it");
}

Status Journal::begin(const Report& report) {
  // A device has nothing to drop.
  if (ftruncate(descriptor_.number(), 0) != 0 && errno != EINVAL) return cannot_be_written(path_, std::strerror(errno));
  return append({{"event", "run"}, {"report", to_json(report)}});
}

Status Journal::go_on(const std::string& at) {
  const std::string content = TRY(read_text(path_));
  if (content.empty()) return usage_error(path_ + ": found nothing, expected the journal of a stopped run");
  const auto whole = static_cast<off_t>(content.rfind('\n') + 1);
  if (ftruncate(descriptor_.number(), whole) != 0) return cannot_be_written(path_, std::strerror(errno));
  return append({{"event", "resume"}, {"at", at}});
}

void Journal::leave() {
  struct stat file {};
  if (fstat(descriptor_.number(), &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0) unlink(path_.c_str());
  descriptor_.reset();
}

Journal Journal::nowhere() {
  Journal journal;
  journal.nowhere_ = true;
  return journal;
}

Status Journal::append(const OrderedJson& event) {
  if (nowhere_) return {};
  if (!descriptor_.is_open()) return failure(path_ + ": the journal is closed");
  // A single write: O_APPEND then keeps lines whole even if a signal handler or a fork writes too.
  const Status status = write_all(descriptor_.number(), compact(event) + "\n");
  if (status.ok()) return status;
  descriptor_.reset();  // anything after half a line would corrupt the journal
  return cannot_be_written(path_, status.error().message);
}

Status Journal::cell(const Cell& cell) {
  RecordWriter writer;
  writer.field("event", std::string("cell"));
  writer.field("cell", cell.id);
  fields_of_event(writer, cell);
  return append(writer.take());
}

Status Journal::sample(const std::string& cell_id, const Sample& sample) {
  return append({{"event", "sample"}, {"cell", cell_id}, {"sample", RecordWriter::encode(sample)}});
}

Status Journal::launch(const std::string& cell_id, const Launch& launch) {
  return append({{"event", "launch"}, {"cell", cell_id}, {"launch", RecordWriter::encode(launch)}});
}

Status Journal::ceilings(const LaunchCeilings& ceilings) {
  return append({{"event", "ceilings"}, {"ceilings", RecordWriter::encode(ceilings)}});
}

Status Journal::note(const std::string& text) { return append({{"event", "note"}, {"text", text}}); }

Status Journal::end(const Run& run) {
  const Status status = append({{"event", "end"}, {"status", run.status}, {"finished_at", run.finished_at}});
  if (!status.ok() || nowhere_) return status;
  if (fsync(descriptor_.number()) != 0) return cannot_be_written(path_, std::strerror(errno));
  return {};
}

bool is_journal(const std::string& content) { return content.starts_with(kEventPrefix); }

Result<Report> parse_journal(const std::string& content, const std::string& origin) {
  JournalReader reader(origin);
  if (content.find('\n') == std::string::npos) {
    return usage_error(origin + ": line 1: found no whole line, expected the event \"run\"");
  }
  try {
    std::size_t start = 0;
    for (std::size_t end = 0; (end = content.find('\n', start)) != std::string::npos; start = end + 1) {
      TRY(reader.line(content.substr(start, end - start)));
    }
  } catch (const std::exception& error) {
    return failure(origin + ": cannot be read: " + error.what());
  }
  return reader.take();
}

namespace {

std::string difference(const Report& stopped, const Report& planned) {
  if (stopped.run.status == "complete")
    return "found a run that is complete, expected one that was stopped (--overwrite, or another --out, begins a new "
           "one)";
  if (stopped.run.seed != planned.run.seed) {
    return "/run/seed: found " + std::to_string(stopped.run.seed) + ", expected " + std::to_string(planned.run.seed);
  }
  if (stopped.cells.size() != planned.cells.size()) {
    return "found " + std::to_string(stopped.cells.size()) + " cells, expected the " +
           std::to_string(planned.cells.size()) + " of this command";
  }
  return "";
}

}  // namespace

Status take_over(const Report& stopped, const std::string& origin, Report& planned) {
  const std::string place = one_line(origin) + ": ";
  if (const std::string other = difference(stopped, planned); !other.empty()) return usage_error(place + other);
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : stopped.cells) known.emplace(cell.id, &cell);
  for (Cell& cell : planned.cells) {
    const auto found = known.find(cell.id);
    if (found == known.end())
      return usage_error(place + "found no cell " + cell.id + ", expected the cells of this command");
    const Cell& old = *found->second;
    if (old.build != cell.build || old.scenario != cell.scenario) {
      return usage_error(place + "cell " + cell.id + ": found " + in_quotes(old.build) + ", expected the build " +
                         in_quotes(cell.build) + " and the same scenario");
    }
    if (stopped.data_digest(old) != planned.data_digest(cell)) {
      return usage_error(place + "cell " + cell.id + ": found data that are not those of now, expected the same");
    }
    if (old.status.state == CellState::pending) continue;
    cell.status = old.status;
    cell.verification = old.verification;
    cell.block = old.block;
    cell.profile = old.profile;
    cell.other_profiles = old.other_profiles;
    cell.target = old.target;
    cell.runtime = old.runtime;
    cell.confirmed_from = old.confirmed_from;
    cell.launches = old.launches;
    cell.samples = old.samples;
  }
  for (ScenarioRecord& scenario : planned.scenarios) {
    // What was begun apart is not side by side from its first launch on.
    const ScenarioRecord* old = stopped.find_scenario(scenario.key);
    if (old == nullptr || old->side_by_side != scenario.side_by_side) scenario.side_by_side.reset();
  }
  planned.run.id = stopped.run.id;
  planned.run.started_at = stopped.run.started_at;
  planned.run.measuring_seconds = measuring_seconds(stopped.run);
  planned.add_ceilings(stopped.ceilings);
  planned.add_notes(stopped.notes);
  return {};
}

}  // namespace gdbench::report
