#include <algorithm>
#include <array>
#include <sstream>

#include "reports/render/render.h"
#include "reports/render/table.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

constexpr std::size_t kGap = 2;  // spaces between columns
constexpr std::size_t kNarrowest = 20;

enum class Style { plain, bold, dim, good, bad, unsure };

// Columns that a text takes up: bytes that begin a UTF-8 character.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right_aligned) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return right_aligned ? space + text : text + space;
}

Style style_of_verdict(const std::string& verdict) {
  if (verdict == "faster") return Style::good;
  if (verdict == "slower") return Style::bad;
  return verdict == "inconclusive" ? Style::unsure : Style::plain;
}

Style style_of_state(result::CellState state) {
  using result::CellState;
  return state == CellState::unsupported || state == CellState::pending ? Style::dim
         : state == CellState::ok                                       ? Style::plain
                                                                        : Style::bad;
}

class Console {
 public:
  Console(const result::Report& report, const ConsoleOptions& options)
      : report_(report),
        colour_(options.colour),
        width_(std::max(kNarrowest, static_cast<std::size_t>(std::max(0, options.width)))) {}

  std::string render() {
    paragraph(run_words(report_.run), 0, Style::bold);
    paragraph(environment_words(report_.environment), 0, Style::dim);
    paragraph(ceilings_words(report_), 0, Style::dim);
    const std::vector<ScenarioTable> tables = tables_of(report_);
    for (const ScenarioTable& table : tables) scenario(table);
    summary(tables);
    return std::move(text_);
  }

 private:
  std::string styled(const std::string& text, Style style) const {
    if (!colour_ || style == Style::plain) return text;
    // SGR parameters of ECMA-48: bold, faint, green, red, yellow.
    constexpr std::array kCodes = {"0", "1", "2", "32", "31", "33"};
    return std::string("\x1b[") + kCodes[static_cast<std::size_t>(style)] + "m" + text + "\x1b[0m";
  }

  // Breaks lines between words; a longer word has a line of its own.
  void paragraph(const std::string& text, std::size_t indent, Style style = Style::plain) {
    std::istringstream words(text);
    std::string word;
    std::string line;
    const std::string margin(indent, ' ');
    const auto flush = [&] {
      if (!line.empty()) text_ += margin + styled(line, style) + "\n";
      line.clear();
    };
    while (words >> word) {
      if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width_) flush();
      line += (line.empty() ? "" : " ") + word;
    }
    flush();
  }

  void scenario(const ScenarioTable& table) {
    text_ += "\n";
    paragraph(table.scenario->label, 0, Style::bold);
    paragraph(scenario_words(*table.scenario), 2);
    std::vector<Row> timed = table.ranked;
    timed.insert(timed.end(), table.unranked.begin(), table.unranked.end());
    if (!timed.empty()) timed_rows(timed, table.ranked.size());
    untimed_rows(table.untimed);
    if (any_within_one_process(table)) paragraph(std::string(kOneProcessMark) + " " + kOneProcessWords, 2, Style::dim);
  }

  // Prints the rows under one header; those from `ranked` on are a group of their own.
  void timed_rows(const std::vector<Row>& rows, std::size_t ranked) {
    std::vector<const Column*> shown;
    std::vector<std::size_t> widths;
    for (const Column& column : columns()) {
      if (column.title == nullptr) continue;
      std::size_t width = display_width(column.title);
      for (const Row& row : rows) width = std::max(width, display_width(column.text(row)));
      shown.push_back(&column);
      widths.push_back(width);
    }
    leave_out(shown, widths);
    const auto line = [&](auto&& cell_text) {
      std::string text;
      for (std::size_t i = 0; i < shown.size(); ++i) text += std::string(kGap, ' ') + cell_text(i);
      text.erase(text.find_last_not_of(' ') + 1);
      text_ += text + "\n";
    };
    line([&](std::size_t i) {
      const std::string title = padded(shown[i]->title, widths[i], shown[i]->right_aligned);
      return i + 1 < shown.size() || shown[i]->right_aligned ? styled(title, Style::dim) : title;
    });
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == ranked) paragraph("not ranked (policies, or no arithmetic):", kGap, Style::dim);
      line([&](std::size_t i) {
        const std::string text = shown[i]->text(rows[r]);
        const Style style = shown[i]->title == std::string("verdict") ? style_of_verdict(text) : Style::plain;
        return styled(padded(text, widths[i], shown[i]->right_aligned), style);
      });
    }
  }

  void untimed_rows(const std::vector<Row>& rows) {
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, display_width(row_name(*row.cell)));
    for (const Row& row : rows) {
      text_ += std::string(kGap, ' ') + padded(row_name(*row.cell), width, false);
      const std::size_t start = text_.size();
      paragraph(reason_of(*row.cell), width + 2 * kGap, style_of_state(row.cell->status.state));
      text_.erase(start, width + kGap);  // the first line of the reason stands beside the name
    }
  }

  // Drops the least important columns until a row fits, and says at the end of the report which.
  void leave_out(std::vector<const Column*>& shown, std::vector<std::size_t>& widths) {
    const auto total = [&widths] {
      std::size_t sum = 0;
      for (const std::size_t width : widths) sum += width + kGap;
      return sum;
    };
    while (total() > width_) {
      std::size_t least = 0;
      for (std::size_t i = 0; i < shown.size(); ++i) {
        if (shown[i]->rank > shown[least]->rank) least = i;
      }
      if (shown[least]->rank == 0) return;
      if (std::find(left_out_.begin(), left_out_.end(), shown[least]->title) == left_out_.end()) {
        left_out_.emplace_back(shown[least]->title);
      }
      shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(least));
      widths.erase(widths.begin() + static_cast<std::ptrdiff_t>(least));
    }
  }

  void summary(const std::vector<ScenarioTable>& tables) {
    text_ += "\n";
    paragraph(counts_words(report_), 0, Style::bold);
    for (const ScenarioTable& table : tables) paragraph(winner_words(table), 2);
    paragraph(failed_ceilings_words(report_), 0, Style::bad);
    for (const std::string& note : report_.notes) paragraph("note: " + note, 0, Style::unsure);
    text_ += "\n";
    for (const std::string& line : legend(report_)) paragraph(line, 0, Style::dim);
    std::string names;
    for (const std::string& title : left_out_) names += (names.empty() ? "" : ", ") + title;
    if (!names.empty()) paragraph("Left out of a table for lack of width: " + names + ".", 0, Style::dim);
  }

  const result::Report& report_;
  bool colour_;
  std::size_t width_;
  std::string text_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::string console(const result::Report& report, const ConsoleOptions& options) {
  return Console(report, options).render();
}

}  // namespace gdbench::render
