// An answer as a value. A function makes one from a record; four writers put it out, as text for a terminal, Markdown,
// a page and JSON. Wrapping, escaping, colour and marks are theirs alone.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/document/chart.h"
#include "reports/document/terminal.h"

namespace gdbench::document {

struct Paragraph {
  std::string text;
  Style style = Style::plain;
};

struct List {
  std::vector<Paragraph> items;
};

// A column of a table with its texts from the top.
struct Column {
  std::string title;
  bool right_aligned = false;
  int rank = 0;  // in a narrow terminal the columns with the highest rank are left out first; 0 stays
  std::vector<std::string> texts = {};
  std::vector<Style> styles = {};       // of the texts; empty: all are plain
  std::vector<std::string> notes = {};  // small, below the texts on a page and behind them elsewhere; empty: none
  std::vector<std::string> links = {};  // where texts lead to, from a page; empty: nowhere
  std::vector<int> shades = {};         // of places on a page, from 0, the best, to 4; -1: none; empty: none
};
using Columns = std::vector<Column>;

Column left(std::string title, int rank = 0);
Column right(std::string title, int rank = 0);

// Of one place: its text, and the note behind it.
std::string whole_text(const Column& column, std::size_t row);

// Of plain texts, one for each column.
void add_row(Columns& columns, const std::vector<std::string>& texts);

// By which a page lets a reader choose rows, next to their text: "Strategy", and that of each row. A table has three at
// most.
struct Filter {
  std::string label;
  std::vector<std::string> values;
};

struct Table {
  std::string title;  // may be empty
  Columns columns;
  std::vector<Filter> filters{};
};

// A chart, what it shows, and its numbers, which are folded below it on a page. Text and Markdown have no charts; they
// show the numbers where `in_text`, and else leave all of it out, as what it shows stands in a table, too.
struct Figure {
  std::string title;
  std::string sentence;
  Chart chart;
  Columns data{};  // its numbers; empty: those of the chart
  bool in_text = false;
};

// A command that can be given as it stands.
struct Command {
  std::string line;
};

// Of what follows in a section.
struct Heading {
  std::string title;
};

struct Block;

// What is opened on a page and in Markdown. Text leaves it out unless `in_text`.
struct Fold {
  std::string summary;
  std::vector<Block> blocks;
  bool in_text = false;
  bool open = false;  // from the start
};

struct Block {
  std::variant<Paragraph, List, Table, Figure, Command, Heading, Fold> content;
};

// Blocks in their order. What has nothing to say is not added: an empty text, a list or a table without rows.
class Blocks {
 public:
  Blocks& paragraph(std::string text, Style style = Style::plain);
  Blocks& list(const std::vector<std::string>& sentences, Style style = Style::plain);
  Blocks& table(std::string title, Columns columns, std::vector<Filter> filters = {});
  Blocks& figure(Figure figure);
  Blocks& command(std::string line);
  Blocks& heading(std::string title);  // without blocks behind it, up to the next one, it is left out
  Blocks& fold(std::string summary, Blocks blocks, bool in_text = false, bool open = false);
  Blocks& append(Blocks blocks);
  Blocks& add(Block block);

  const std::vector<Block>& all() const { return blocks_; }
  std::vector<Block> take();
  bool empty() const { return blocks_.empty(); }

 private:
  void drop_empty_heading();
  std::vector<Block> blocks_;
};

struct Section {
  std::string title;  // empty: its blocks follow the document's title
  std::vector<Block> blocks;
};

// To another page, which lies next to this one.
struct Link {
  std::string title;
  std::string address;
};

struct Document {
  std::string title;
  std::vector<Paragraph> answer{};  // first; in a terminal again at the end, if what it rests on fills a screen
  std::vector<Section> sections{};
  std::vector<Link> links{};  // above all else on a page, and nowhere else

  void section(std::string heading, Blocks blocks);  // unless there are no blocks
};

}  // namespace gdbench::document
