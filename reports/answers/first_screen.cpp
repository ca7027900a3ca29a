// The first screen: at most kMaxLines lines in any width, for any report.
#include <algorithm>
#include <sstream>
#include <tuple>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "reports/answers/format.h"
#include "reports/answers/grid.h"
#include "reports/answers/overview_sentences.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

constexpr std::size_t kMaxLines = 39;  // one more is the command's, on stderr
constexpr std::size_t kMaxLinesOfSentence = 4;
constexpr std::size_t kNarrowestScreen = 40;
constexpr std::size_t kColumnGap = 2;    // spaces between columns
constexpr std::size_t kManyColumns = 5;  // more than these lose their names before one of them is left out
using Lines = std::vector<std::string>;

// A title in lines of at most `width`, broken behind '/' and '-' and at spaces.
Lines title_lines(const std::string& title, std::size_t width) {
  Lines lines(1);
  std::string piece;
  const auto flush = [&] {
    std::string& line = lines.back();
    if (!line.empty() && display_width(line) + display_width(piece) > width) {
      lines.push_back(piece);
    } else {
      line += piece;
    }
    piece.clear();
  };
  for (const char c : title) {
    piece += c;
    if (c == '/' || c == '-' || c == ' ') flush();
  }
  flush();
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

// A table's columns with their titles as they will stand.
struct Layout {
  Columns table;
  std::vector<Lines> titles;
  std::vector<std::size_t> widths;

  Layout(Columns columns, bool wrapped) : table(std::move(columns)) {
    for (const document::Column& column : table) {
      const std::size_t width = display_width(column.texts);
      titles.push_back(wrapped ? title_lines(column.title, width) : Lines{column.title});
      widths.push_back(std::max(width, display_width(titles.back())));
    }
  }

  std::size_t width() const {
    std::size_t sum = 0;
    for (const std::size_t width : widths) sum += width + kColumnGap;
    return sum - kColumnGap;
  }
};

// In the order in which columns are left out: those that are fastest, or not distinguished from it, in the fewest rows,
// of them the farthest behind first; then the best framework, the baseline and the winner of most rows.
std::vector<std::size_t> least_told_first(const Overview& overview) {
  const std::size_t count = overview.columns.size();
  std::vector<std::ptrdiff_t> marks(count);
  std::size_t winner = 0;
  std::size_t framework = count;                            // none
  for (std::size_t column = 0; column < count; ++column) {  // the later, the faster
    for (const OverviewRow& row : overview.rows) {
      const Entry& entry = row.entries[column];
      if (entry.cell == nullptr) continue;
      if (entry.mark != Mark::none || entry.cell == row.ranking.fastest) ++marks[column];
      if (is_timed(*entry.cell) && is_framework(*entry.cell)) framework = column;
    }
    if (marks[column] >= marks[winner]) winner = column;
  }
  const auto worth = [&](std::size_t column) {
    const int kept = column == winner                                      ? 3
                     : overview.columns[column].title == overview.baseline ? 2
                     : column == framework                                 ? 1
                                                                           : 0;
    return std::tuple(kept, marks[column], column);
  };
  std::vector<std::size_t> columns = all_parts(overview).columns;
  std::ranges::sort(columns, {}, worth);
  return columns;
}

class Screen {
 public:
  Screen(const report::Report& report, const ConsoleOptions& options)
      : report_(report),
        overview_(overview_of(report)),
        options_(options),
        width_(std::max(kNarrowestScreen, static_cast<std::size_t>(std::max(0, options.width)))) {}

  std::string render() {
    head(measured_words(report_), Style::bold);
    head(environment_words(report_), Style::dim);
    head(versions_words(report_), Style::dim);
    const Lines end = broken(footer(), Style::dim);
    collect_sentences();
    if (!overview_.rows.empty() && !overview_.columns.empty()) {
      lines_.emplace_back();
      overview_.turned ? turned() : grid(kMaxLines - end.size() - 2);
    }
    add_sentences(kMaxLines - end.size());
    lines_.insert(lines_.end(), end.begin(), end.end());
    return joined(lines_, "\n") + "\n";
  }

 private:
  // One line: what is behind the last comma that fits is left out.
  void head(std::string text, Style style) {
    while (display_width(text) > width_ && text.find(", ") != std::string::npos) text.resize(text.rfind(", "));
    if (!text.empty()) lines_.push_back(styled(cut(text, width_), style, options_.colour));
  }

  // In lines of the screen's width, words longer than that divided.
  Lines broken(const std::string& text, Style style) const {
    std::string divided;
    std::istringstream words(text);
    for (std::string word; words >> word; divided += word + " ") {
      for (; display_width(word) > width_; word.erase(0, bytes_of(word, width_))) {
        divided += word.substr(0, bytes_of(word, width_)) + " ";
      }
    }
    Lines lines;
    std::istringstream stream(paragraph(divided, 0, width_, style, options_.colour));
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // No more than kMaxLinesOfSentence of them.
  Lines limited(const std::string& text, Style style) const {
    Lines lines = broken(text, style);
    if (lines.size() <= kMaxLinesOfSentence) return lines;
    lines.resize(kMaxLinesOfSentence - 1);
    lines.emplace_back("...");
    return lines;
  }

  void say(const std::string& text, Style style) {
    const Lines lines = limited(text, style);
    lines_.insert(lines_.end(), lines.begin(), lines.end());
  }

  std::size_t label_width() const { return width_ * 2 / 5; }

  Layout laid_out(const GridParts& parts) const {
    const Layout layout(grid_table(overview_, parts, label_width()), false);
    return layout.width() <= width_ ? layout : Layout(layout.table, true);
  }

  // Gives up, as long as the grid does not fit: ratios of every place, the lead, names and columns.
  Layout fitted(GridParts& parts) const {
    const auto fits = [&] { return laid_out(parts).width() <= width_; };
    if (!fits()) parts.ratios = false;
    if (!fits()) parts.lead = false;
    const std::size_t enough = parts.columns.size() > kManyColumns ? parts.columns.size() : kManyColumns / 2;
    const GridParts before = parts;
    const auto leave_out = [&](std::size_t least) {
      for (const std::size_t column : least_told_first(overview_)) {
        if (fits() || parts.columns.size() <= least) return;
        std::erase(parts.columns, column);
      }
    };
    leave_out(enough);
    if (!fits()) {
      parts = before;
      parts.names = false;
      leave_out(1);
    }
    return laid_out(parts);
  }

  // In at most so many lines of the screen, with room for the sentences that must not be left out.
  void grid(std::size_t most) {
    constexpr std::size_t kMinRows = 10;
    GridParts parts = all_parts(overview_);
    const Lines before = lines_;
    draw_grid(parts);
    const std::size_t needed = lines_.size() + lines_that_matter();
    if (needed <= most) return;
    const std::size_t rows = std::min(parts.rows, overview_.rows.size());
    lines_ = before;
    parts = all_parts(overview_);
    const std::size_t counted_already = rows < overview_.rows.size() ? 0 : 1;  // the line that counts the others is new
    parts.rows = std::max(kMinRows, rows - std::min(rows, needed - most + counted_already));
    draw_grid(parts);
  }

  void draw_grid(GridParts& parts) {
    draw(fitted(parts));
    if (const std::string words = hidden_words(overview_, parts.rows); !words.empty()) say(words, Style::plain);
    say(grid_words(overview_, parts.ratios, parts.lead), Style::dim);
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < overview_.columns.size(); ++i) {
      const bool shown = std::ranges::find(parts.columns, i) != parts.columns.end();
      if (!shown) left_out.push_back(overview_.columns[i].title);
    }
    if (!left_out.empty()) say("Left out for lack of width: " + joined(left_out) + ".", Style::dim);
    if (!parts.names) say(names_words(overview_), Style::dim);
  }

  void turned() {
    Columns table = turned_table(overview_, label_width());
    while (Layout(table, true).width() > width_ && table.back().rank > 0) table.pop_back();
    draw(Layout(table, true));
    const std::size_t all = overview_.columns.size();
    if (all > kMaxRows) lines_.push_back("and " + counted(all - kMaxRows, "more row"));
    say(grid_words(overview_, true, true), Style::dim);
  }

  void draw(const Layout& layout) {
    const auto line = [&](auto&& text_of) {
      std::string text;
      for (std::size_t i = 0; i < layout.table.size(); ++i)
        text += std::string(i > 0 ? kColumnGap : 0, ' ') + text_of(i);
      text.erase(text.find_last_not_of(' ') + 1);
      lines_.push_back(std::move(text));
    };
    std::size_t height = 0;
    for (const Lines& title : layout.titles) height = std::max(height, title.size());
    const auto place = [&](std::size_t i, const std::string& text, Style style) {
      const bool right = layout.table[i].right_aligned;
      const std::string space(layout.widths[i] - std::min(layout.widths[i], display_width(text)), ' ');
      const std::size_t end = text.find_last_not_of(' ') + 1;  // spaces behind a text stay without a colour
      const std::string kept = end == 0 ? text : styled(text.substr(0, end), style, options_.colour) + text.substr(end);
      return right ? space + kept : kept + space;
    };
    for (std::size_t row = 0; row < height; ++row) {
      line([&](std::size_t i) {
        const Lines& title = layout.titles[i];
        const std::size_t above = height - title.size();
        return place(i, row < above ? "" : title[row - above], Style::dim);
      });
    }
    for (std::size_t row = 0; row < layout.table.front().texts.size(); ++row) {
      line([&](std::size_t i) {
        const document::Column& column = layout.table[i];
        return place(i, column.texts[row], column.styles.empty() ? Style::plain : column.styles[row]);
      });
    }
  }

  struct Said {
    int rank;
    Lines lines;
  };

  void collect_sentences() {
    for (const Sentence& sentence : sentences_of(overview_)) {
      said_.push_back({sentence.rank, limited(sentence.text, sentence.style)});
    }
  }

  std::size_t lines_that_matter() const {
    constexpr std::size_t kEnough = 10;
    std::size_t lines = 0;
    for (const Said& one : said_) lines += one.rank <= 1 ? one.lines.size() : 0;
    return std::min(lines, kEnough);
  }

  // As many as leave `most` lines on the whole screen; those that matter least go first.
  void add_sentences(std::size_t most) {
    std::size_t used = lines_.size() + 2;  // an empty line before and behind
    for (const Said& one : said_) used += one.lines.size();
    while (used > most && !said_.empty()) {
      const auto last = std::ranges::max_element(said_, [](const Said& a, const Said& b) { return a.rank <= b.rank; });
      used -= last->lines.size();
      said_.erase(last);
    }
    lines_.emplace_back();
    for (const Said& one : said_) lines_.insert(lines_.end(), one.lines.begin(), one.lines.end());
    lines_.emplace_back();
  }

  std::string footer() const {
    const std::string file = options_.file.empty() ? "FILE" : options_.file;
    return "More: gdbench report " + file + " --details, gdbench explain " + file + ", gdbench help columns";
  }

  const report::Report& report_;
  Overview overview_;
  ConsoleOptions options_;
  std::size_t width_;
  std::vector<Said> said_;
  Lines lines_;
};

}  // namespace

std::string first_screen(const report::Report& report, const ConsoleOptions& options) {
  return Screen(report, options).render();
}

}  // namespace gdbench::answers
