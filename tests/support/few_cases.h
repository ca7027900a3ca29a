// Whether a case takes many times as long as elsewhere: under the sanitizers, and in a process that is emulated. Tests
// of minutes then take fewer cases, or are skipped.
#pragma once

namespace gdbench {

#if defined(__SANITIZE_ADDRESS__) || defined(GDBENCH_EMULATED)
inline constexpr bool kFewCases = true;
#else
inline constexpr bool kFewCases = false;
#endif

}  // namespace gdbench
