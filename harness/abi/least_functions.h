// What a row of the catalogue (catalogue.h) counts of functions.
#pragma once

namespace gdbench::catalogue {

// What an activation, a loss or an optimizer takes at least per entry, forward and backward: no form at a few units in
// the last place is known that takes less, for rational functions and tables of polynomials, too, take as many
// operations as an exponential and a division. Multiply-adds are those that stay when constant factors are taken into
// the products, the learning rate or scaled slots; additions may have units of their own and count nothing.
struct LeastFunctions {
  int multiply_adds = 0;
  int exponentials = 0;
  int divisions = 0;
  int roots = 0;
};

}  // namespace gdbench::catalogue
