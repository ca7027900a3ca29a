#include "reports/site/verdicts.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "harness/base/text.h"
#include "reports/answers/claim_words.h"
#include "reports/answers/format.h"
#include "reports/site/addresses.h"

namespace gdbench::site {

namespace {

using report::ClaimVerdict;

bool is_decided(const Judged& judged) {
  return judged.judgement.verdict == ClaimVerdict::confirmed || judged.judgement.verdict == ClaimVerdict::refuted;
}

// Launches of the point that the verdict rests on.
int launches_of(const report::ClaimJudgement& judgement) {
  if (judgement.deciding >= judgement.relations.size()) return 0;
  const report::JudgedRelation& relation = judgement.deciding_relation();
  const auto& ratio = relation.deciding ? relation.points[*relation.deciding].ratio : std::nullopt;
  return ratio ? ratio->launches : 0;
}

// Of a machine's reports the newest one that decides the claim, or else the one of most launches, of equals the newest;
// null: none says anything.
const Entry* speaker(const EntryPointers& entries, const Claim& claim) {
  const Entry* best = nullptr;
  const auto rank = [&](const Entry& entry) {
    const Judged& judged = *judged_by(entry, claim);
    const bool decides = is_decided(judged);
    return std::tuple(decides, decides ? 0 : launches_of(judged.judgement), entry.run.started_at);
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

}  // namespace

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

std::vector<ClaimRow> rows_of(const Collection& collection) {
  std::vector<EntryPointers> by_machine;
  for (const std::string& machine : machines_of(collection)) by_machine.push_back(entries_of(collection, machine));
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

void add_verdict(const Claim& claim, const Entry* entry, document::Column& column) {
  const Judged* const judged = entry == nullptr ? nullptr : judged_by(*entry, claim);
  column.texts.push_back(judged == nullptr ? "" : report::name_of(judged->judgement.verdict));
  column.notes.push_back(judged == nullptr ? "" : figure_of(judged->judgement));
  column.links.push_back(judged == nullptr ? "" : address_of(claim, *entry));
  const ClaimVerdict verdict = judged == nullptr ? ClaimVerdict::not_run : judged->judgement.verdict;
  column.shades.push_back(verdict == ClaimVerdict::confirmed ? 0 : verdict == ClaimVerdict::refuted ? 4 : -1);
}

}  // namespace gdbench::site
