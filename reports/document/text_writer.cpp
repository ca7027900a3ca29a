#include <algorithm>
#include <limits>
#include <utility>

#include "harness/base/text.h"
#include "reports/document/writers.h"

namespace gdbench::document {

namespace {

constexpr std::size_t kIndent = 2;  // of what stands below a title, and between columns
constexpr std::size_t kNarrowestLine = 20;
constexpr std::ptrdiff_t kScreen = 24;      // lines; the answer stands again behind so many
constexpr std::size_t kNarrowestLast = 24;  // of a column that is broken into lines

std::size_t width_of(const Column& column) {
  return std::max(display_width(column.title), display_width(column.texts));
}

class TextWriter {
 public:
  explicit TextWriter(const TextOptions& options)
      : colour_(options.colour),
        width_(options.width <= 0 ? std::numeric_limits<std::size_t>::max()
                                  : std::max(kNarrowestLine, static_cast<std::size_t>(options.width))) {}

  std::string write(const Document& document) {
    line(document.title, Style::bold);
    answer(document);
    const std::size_t end_of_answer = text_.size();
    for (const Section& section : document.sections) this->section(section);
    indent_ = 0;
    if (std::count(text_.begin() + static_cast<std::ptrdiff_t>(end_of_answer), text_.end(), '\n') > kScreen) {
      gap();
      answer(document);
    }
    if (!left_out_.empty()) line("Left out of a table for lack of width: " + joined(left_out_) + ".", Style::dim);
    return std::move(text_);
  }

 private:
  void answer(const Document& document) {
    for (const Paragraph& paragraph : document.answer) line(paragraph.text, paragraph.style);
  }

  // Nothing of one that has figures and folds alone.
  void section(const Section& section) {
    const std::size_t before = text_.size();
    indent_ = 0;
    if (!section.title.empty()) {
      gap();
      line(section.title, Style::bold);
      indent_ = kIndent;
    }
    const std::size_t begin = text_.size();
    blocks(section.blocks);
    if (text_.size() == begin) text_.resize(before);
  }

  // An empty line, unless nothing stands above it.
  void gap() {
    if (!text_.empty()) text_ += "\n";
  }

  void line(const std::string& text, Style style) {
    text_ += document::paragraph(text, indent_, width_, style, colour_, kIndent);
  }

  void blocks(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) std::visit([this](const auto& content) { add(content); }, block.content);
  }

  void add(const Paragraph& paragraph) { line(paragraph.text, paragraph.style); }
  void add(const List& list) {
    for (const Paragraph& item : list.items) line(item.text, item.style);
  }
  void add(const Figure& figure) {
    if (!figure.in_text) return;
    add(Table{figure.title, data_of(figure)});
  }
  void add(const Command& command) { text_ += std::string(indent_ + kIndent, ' ') + command.line + "\n"; }
  void add(const Heading& heading) {
    const std::size_t outer = indent_ < 2 * kIndent ? indent_ : indent_ - kIndent;
    gap();
    indent_ = outer;
    line(heading.title + ":", Style::dim);
    indent_ = outer + kIndent;
  }
  void add(const Fold& fold) {
    if (!fold.in_text) return;
    line(fold.summary + ":", Style::dim);
    blocks(fold.blocks);
  }

  void add(const Table& table) {
    if (!table.title.empty()) line(table.title + ":", Style::dim);
    rows(table.columns);
  }

  void rows(Columns columns) {
    for (Column& column : columns) {
      for (std::size_t i = 0; i < column.texts.size(); ++i) column.texts[i] = whole_text(column, i);
    }
    leave_out(columns);
    row(columns, [](const Column& column) { return std::pair(column.title, Style::dim); });
    for (std::size_t i = 0; i < columns.front().texts.size(); ++i) {
      row(columns, [i](const Column& column) {
        return std::pair(one_line(column.texts[i]), column.styles.empty() ? Style::plain : column.styles[i]);
      });
    }
  }

  // A text that ends a row is not padded, so that its style ends with it, and goes on below itself where it is long.
  template <class TextOf>
  void row(const Columns& columns, const TextOf& text_of) {
    std::size_t at = indent_ == 0 ? 0 : indent_ - kIndent;
    std::string line(at, ' ');
    for (const Column& column : columns) {
      const auto& [text, style] = text_of(column);
      const std::size_t width = width_of(column);
      line += std::string(kIndent, ' ');
      at += kIndent;
      if (&column != &columns.back() || column.right_aligned) {
        line += styled(padded(text, width, column.right_aligned), style, colour_);
        at += width;
      } else if (at + width <= width_) {
        line += styled(text, style, colour_);
      } else {
        const std::string lines = document::paragraph(text, at, width_, style, colour_);
        line += lines.empty() ? lines : lines.substr(at, lines.size() - at - 1);
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }

  // Of a row with the columns: a last one of texts needs no more than kNarrowestLast.
  std::size_t width_of_row(const Columns& columns) const {
    std::size_t sum = indent_ == 0 ? 0 : indent_ - kIndent;
    for (const Column& column : columns) {
      const bool broken = &column == &columns.back() && !column.right_aligned;
      sum += kIndent + (broken ? std::min(width_of(column), kNarrowestLast) : width_of(column));
    }
    return sum;
  }

  // Drops the least important columns until a row fits.
  void leave_out(Columns& columns) {
    while (width_of_row(columns) > width_) {
      const auto least = std::ranges::max_element(columns, {}, &Column::rank);
      if (least->rank == 0) return;
      if (std::ranges::find(left_out_, least->title) == left_out_.end()) left_out_.push_back(least->title);
      columns.erase(least);
    }
  }

  bool colour_;
  std::size_t width_;
  std::size_t indent_ = 0;
  std::string text_;
  std::vector<std::string> left_out_;  // titles of columns
};

}  // namespace

std::string text_of(const Document& document, const TextOptions& options) {
  return TextWriter(options).write(document);
}

}  // namespace gdbench::document
