// What the bare loops in C++ share; of gdbench it knows nothing.
#pragma once

#include <ctime>
#include <iostream>

constexpr double kRate = 1e-6;

// Reads a number of steps per line, and answers the nanoseconds of processor time that they took (loop.py does the same
// for Python).
template <class Step>
void answer_lines(Step step) {
  std::cout << "ready" << std::endl;
  for (long steps = 0; std::cin >> steps;) {
    const std::clock_t start = std::clock();
    for (long i = 0; i < steps; ++i) step();
    std::cout << (std::clock() - start) * (1'000'000'000 / CLOCKS_PER_SEC) << std::endl;
  }
}
