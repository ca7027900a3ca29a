#include "attacks.h"

std::vector<gdbench::tests::Attack> gdbench::tests::all_attacks() {
  std::vector<Attack> all;
  for (const auto& rows : {kByAlgebra, kByTwo, kOnChannels, kOnOthers, kOnTime, kOnTrust}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}
