// Structs that are written as JSON and read from it list their fields once, in the order in which they are written:
//
//   void fields(auto& archive, Of<Interval> auto& interval) {
//     archive.field("low", interval.low);
//     archive.optional("note", interval.note);
//   }
//
// in the struct's namespace. RecordWriter and RecordReader walk these lists, so that the two directions cannot drift
// apart. Enumerations are written by the names of their tables; see catalogue.h. An archive has
//   field             required
//   optional          written unless it is an empty std::optional; where it is absent the struct's default stays
//   if_readable       the same of a std::optional that stays empty, too, where it has another form
//   non_empty         a required list of at least one entry
//   unless_empty      an optional list, which is written unless it is empty
//   named_or_default  a required enumerator; where its name is unknown, the struct's default stays
//   number_or_null    a number that may be none, NaN here and null there
//   text              a JSON object that is kept as text
// and has(key), which is true of whatever is written.
#pragma once

#include <concepts>
#include <type_traits>

namespace gdbench {

// Struct or const Struct: the one for a reader, the other for a writer.
template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

}  // namespace gdbench
