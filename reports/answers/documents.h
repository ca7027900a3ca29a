// What each command answers, as a document of its record.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/questions/fairness/comparison.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/comparison.h"
#include "harness/report/crossover.h"
#include "harness/report/explanation.h"
#include "harness/report/history.h"
#include "harness/report/prediction.h"
#include "harness/report/profile.h"
#include "harness/report/report.h"
#include "harness/report/watched.h"
#include "reports/document/document.h"

namespace gdbench::answers {

using document::Document;

// Which implementation wins where, by how much, and what that rests on; with what its builds differ in.
Document document_of(const report::Report& report);
Document document_of(const report::Report& report, const report::ReportComparison& comparison);

// Correctness only: how close every cell came to the reference, or why it is not right. A row for each cell; brief: for
// each scenario, and only for cells that are neither ok nor unsupported.
Document verification(const report::Report& report, bool brief);

// Why one cell is faster than another: of one pair a document of its own; of several, a section for each.
Document document_of(const std::vector<report::Explanation>& explanations);

// Whether a build is slower than another.
Document document_of(const report::ReportComparison& comparison);
// Its parts: "25 cells: 1 regressed, 20 equivalent, 4 inconclusive", or why nothing is comparable; and every cell drawn
// and in tables, those that changed first, the others folded.
document::Paragraph comparison_answer(const report::ReportComparison& comparison);
document::Blocks comparison_blocks(const report::ReportComparison& comparison);

// Where one implementation is faster than another: every measured size, or what so many steps take.
Document document_of(const report::Crossover& crossover);
Document document_of(const report::StepsCrossover& crossover);

// What each part of an implementation that can be switched off is worth. An ablation has the cell as it is at least.
Document document_of(const report::Ablation& ablation);

// When cells became slower.
Document document_of(const report::History& history);

// Where a step's time goes.
Document document_of(const report::Profile& profile);

// What changes while a model trains.
Document document_of(const report::Watched& watched);

// What comparisons on this machine are worth: how often they alarm for nothing, and which slowdown they find.
Document document_of(const report::Calibration& calibration);

// What steps of more ranks would take.
Document document_of(const report::Predictions& predictions);

// What will spoil measurements on this machine, and what to do.
Document document_of(const std::vector<report::Condition>& conditions);

// Whether two timed trainings were compared fairly: "Fair", or what to mend first; what is unequal with what it does to
// the result, the worst first; what is not known.
Document document_of(const fairness::Comparison& comparison);
// Of it, what is unequal and spoils that.
std::vector<std::string> findings_of(const fairness::Comparison& comparison, fairness::Harm harm);

// Which sentences about speed there are to judge.
struct ListedClaim {
  std::string id;
  std::string sentence;
  std::string source;
};
Document document_of(const std::vector<ListedClaim>& claims);
// Which questions can be answered, by the ids of their claims.
Document questions(const std::vector<std::pair<std::string, std::string>>& questions);

// A verdict per claim, and of each claim of which anything was measured its points, its flips and what was not run.
// `notes` are the report's.
Document document_of(const std::vector<report::ClaimJudgement>& judgements, const std::vector<std::string>& notes);

// The answer to the question behind a claim.
struct AnsweredClaim {
  report::ClaimJudgement judgement;
  std::optional<fairness::Comparison> posted;      // how the two codes that were posted were timed
  std::optional<report::Explanation> explanation;  // of the two cells at the point that decides
  std::string command;                             // that answers it again
};
// The verdict in its first sentence, then why, and what to do; behind them the question, what is unequal in the codes
// that were posted, what the verdict rests on, where the time goes, and how to answer it again.
Document document_of(const AnsweredClaim& answered);

}  // namespace gdbench::answers
