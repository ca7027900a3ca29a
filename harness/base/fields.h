// Structs that are written as JSON and read from it list their fields once, in the order in which they are written, in
// the struct's namespace:
//
//   FIELDS_OF(Interval, low, high)
//
// or, where a key is not the member's name or a field has a condition:
//
//   void fields(auto& archive, Of<Interval> auto& interval) {
//     FIELDS(archive, interval, low, high);
//     archive.unless_empty("note", interval.remark);
//   }
//
// RecordWriter, RecordReader and report::SchemaWriter walk these lists, so that they cannot drift apart. Enumerations
// are written by the names of their tables; see catalogue.h. An archive has
//   field             required
//   optional          written unless it is an empty std::optional; where it is absent the struct's default stays
//   member            what FIELDS asks for: optional for a std::optional, field for all else
//   if_readable       optional for a std::optional that stays empty, too, where it has another form
//   non_empty         a required list of at least one entry
//   only_if           what is written under a condition, and never read
//   unless_empty      an optional list or text, which is written unless it is empty
//   named_or_default  a required enumerator; where its name is unknown, the struct's default stays
//   number_or_null    a number that may be none, NaN here and null there
//   text              a JSON object that is kept as text
// and has(key), which is true of everything that is written.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

namespace gdbench {

// Struct or const Struct: the one for a reader, the other for a writer.
template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// For members whose keys are their names. OPTIONAL_FIELDS: all may be absent.
#define FIELDS(archive, record, ...) FIELDS_EXPAND(FIELDS_EACH(member, archive, record, __VA_ARGS__))
#define OPTIONAL_FIELDS(archive, record, ...) FIELDS_EXPAND(FIELDS_EACH(optional, archive, record, __VA_ARGS__))
#define FIELDS_OF(Struct, ...) \
  void fields(auto& archive, Of<Struct> auto& record) { FIELDS(archive, record, __VA_ARGS__) }

// A macro cannot call itself, but what it leaves can be scanned again: up to 64 times, one for each member.
#define FIELDS_EACH(method, archive, record, name, ...) \
  archive.method(#name, record.name);                   \
  __VA_OPT__(FIELDS_AGAIN FIELDS_PARENTHESES(method, archive, record, __VA_ARGS__))
#define FIELDS_AGAIN() FIELDS_EACH
#define FIELDS_PARENTHESES ()
#define FIELDS_EXPAND(...) FIELDS_EXPAND_16(FIELDS_EXPAND_16(FIELDS_EXPAND_16(FIELDS_EXPAND_16(__VA_ARGS__))))
#define FIELDS_EXPAND_16(...) FIELDS_EXPAND_4(FIELDS_EXPAND_4(FIELDS_EXPAND_4(FIELDS_EXPAND_4(__VA_ARGS__))))
#define FIELDS_EXPAND_4(...) FIELDS_EXPAND_1(FIELDS_EXPAND_1(FIELDS_EXPAND_1(FIELDS_EXPAND_1(__VA_ARGS__))))
#define FIELDS_EXPAND_1(...) __VA_ARGS__

}  // namespace gdbench
