#include "harness/measure/launch_ceilings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/analysis/ceilings.h"
#include "harness/analysis/least_work.h"
#include "harness/machine/ceilings.h"

namespace gdbench::measure {

namespace {

void add(const analysis::LeastWork& work, const std::vector<report::LevelCeiling>& levels,
         machine::FloorFigures& figures) {
  figures.f64.insert(work.dtype == catalogue::Dtype::f64);
  figures.bf16 = figures.bf16 || work.dtype == catalogue::Dtype::bf16;
  figures.exponentials = figures.exponentials || work.exponentials > 0;
  figures.divisions = figures.divisions || work.divisions > 0;
  figures.roots = figures.roots || work.roots > 0;
  for (const analysis::Transfer& transfer : work.transfers) {
    const report::Span span = analysis::measured_span(transfer.span, levels);
    if (std::ranges::find(figures.spans, span) == figures.spans.end()) figures.spans.push_back(span);
  }
}

}  // namespace

Result<machine::CeilingProbe> other_work(const LiveCell& live, const report::Report& report) {
  constexpr std::int64_t kLeastBytes = std::int64_t{16} << 20;
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  const machine::CacheSizes caches = machine::cache_sizes(report.environment);
  const std::int64_t bytes = std::clamp(2 * std::max(caches.l2, caches.l3), kLeastBytes, kMostBytes);
  return machine::CeilingProbe::start({{.processors = live.planned->threads.compute_cores,
                                        .f64 = {},
                                        .spans = {{.bytes = bytes, .read_only = 0, .written = 1}}}});
}

CeilingsOfLaunch::CeilingsOfLaunch(const std::vector<LiveCell>& cells, int launch, const RunOptions& options,
                                   report::Report& report, report::Journal& journal)
    : options_(options), report_(report), journal_(journal) {
  if (!report.ceilings) return;
  std::map<int, machine::FloorFigures> figures;  // by threads
  std::vector<std::string> scenarios;
  for (const LiveCell& live : cells) {
    const report::Cell& cell = report.cells[live.planned->index];
    const report::VectorCeilings* best = report.ceilings->best_of(cell.threads);
    const bool is_judged = cell.ranked && !live.planned->on_device() && best != nullptr;
    const std::optional<analysis::LeastWork> work = is_judged ? analysis::least_work(report, cell) : std::nullopt;
    if (!work || live.planned->threads.compute_cores.size() < static_cast<std::size_t>(cell.threads)) continue;
    machine::FloorFigures& team = figures[cell.threads];
    const std::vector<int>& cores = live.planned->threads.compute_cores;
    team.processors.assign(cores.begin(), cores.begin() + cell.threads);
    add(*work, best->levels, team);
    if (std::ranges::find(scenarios, cell.scenario) == scenarios.end()) scenarios.push_back(cell.scenario);
  }
  if (figures.empty()) return;
  launch_ = {scenarios, launch, {}, {}};
  std::vector<machine::FloorFigures> teams;
  for (const auto& [threads, team] : figures) teams.push_back(team);
  Result<machine::CeilingProbe> probe = machine::CeilingProbe::start(std::move(teams));
  if (probe.ok()) {
    probe_.emplace(std::move(probe).value());
  } else {
    give_up(probe.error());
  }
}

void CeilingsOfLaunch::give_up(const Error& error) {
  probe_.reset();
  // The report will have it; a full disk shows at the next sample.
  if (!options_.cancelled()) static_cast<void>(note_once(error.message, report_, journal_));
}

void CeilingsOfLaunch::measure(int round, std::size_t position, std::size_t cells) {
  if (!probe_ || position != static_cast<std::size_t>(round) % cells) return;
  const Status status = probe_->measure(round > 0, options_.cancelled);
  if (!status.ok()) return give_up(status.error());
  counted_ = counted_ || round > 0;
}

Status CeilingsOfLaunch::finish() {
  if (!probe_ || !counted_) return {};
  for (const report::CeilingsMeasurement& measurement : probe_->measurements()) {
    launch_.threads = measurement.threads;
    launch_.best = *analysis::best_of({measurement}, measurement.threads.value_or(1));
    report_.ceilings->add_launch() = launch_;
    TRY(journal_.ceilings(launch_));
  }
  return {};
}

}  // namespace gdbench::measure
