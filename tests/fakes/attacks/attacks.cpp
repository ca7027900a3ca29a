#include "attacks.h"

std::vector<gdbench::tests::Attack> gdbench::tests::all_attacks() {
  act_at_entry();
  std::vector<Attack> all;
  for (const auto& rows : {kByAlgebra, kByTwo, kOnChannels, kOnFiles, kOnOthers, kOnProcesses, kOnTime, kOnTrust}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}
