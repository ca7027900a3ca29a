// Text of one-line messages.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace gdbench {

// In double quotes, control characters and quotes escaped, long text shortened.
std::string in_quotes(std::string_view text);

bool is_utf8(std::string_view text);

// Letters, digits, '.', '_' and '-', and what is in `more`; not empty.
bool is_name(std::string_view text, std::string_view more = "");
inline constexpr const char* kExpectedName = "letters, digits, '.', '_' and '-'";

// What the id of an implementation is made of: "graph/jit+hoisted".
inline constexpr std::string_view kMoreInIds = "/+";
inline constexpr const char* kExpectedId = "letters, digits, '.', '_', '-', '/' and '+'";

// Behind an id, the name of the Python environment in which its worker runs: "pytorch/eager@old".
inline constexpr char kEnvironmentMark = '@';
std::string without_environment(const std::string& id);
std::string environment_of(const std::string& id);  // empty where it has none

// Characters that act on a terminal, on lines or on the order of letters instead of being shown are spelled as JSON
// spells them (\u001b): C0 controls but those in `kept` (\n: \r\n, too), DEL, C1 controls, separators of lines and
// paragraphs, marks of direction; so are U+FFFE and U+FFFF, which XML forbids. Bytes that are no UTF-8 become U+FFFD.
std::string escape_controls(std::string_view text, std::string_view kept = "\t\n");

// The same on one line: line breaks and tabs become spaces. What a message quotes must not break its line.
std::string one_line(std::string text);

// Words as a part of an address: small letters and digits of ASCII, of all else between them one dash, "time-per-step".
std::string address_part(std::string_view words);

// One word of a shell's command line, in single quotes where it needs any.
std::string quoted_for_shell(const std::string& word);

// As printf formats it, whole.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* pattern, ...);

// A part of a text: text as it is, or the digits of an integer. Floating numbers have no obvious digits: format them.
class TextPart {
 public:
  TextPart(const std::string& text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  TextPart(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor)
  TextPart(const char* text) : text_(text) {}         // NOLINT(google-explicit-constructor)
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>)
      TextPart(Integer number)  // NOLINT(google-explicit-constructor)
      : digits_{}, text_(digits_.data(), std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr) {}
  TextPart(const TextPart&) = delete;
  TextPart& operator=(const TextPart&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::array<char, 24> digits_;
  std::string_view text_;
};

// The number that the whole text spells; nothing where it spells none, or none that the type holds.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string concatenated(std::initializer_list<std::string_view> parts);

// The parts of a message, one after the other.
template <class... Parts>
std::string cat(const Parts&... parts) {
  return concatenated({TextPart(parts).text()...});
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ");

// The candidate within a third of the text's length in edits (a swap of neighbours is one), the closest first, or "".
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

// " (did you mean X?)", or nothing where no candidate is near.
std::string suggestion(std::string_view text, const std::vector<std::string>& candidates);

// What was expected where the text is none of the candidates: "one of a, b, c (did you mean a?)". Of more than five the
// nearest, and how many more there are.
std::string one_of(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace gdbench
