// What the bare loops in C++ share; of gdbench it knows nothing.
#pragma once

#include <chrono>
#include <iostream>

constexpr double kRate = 1e-6;

// Reads a number of steps per line, and answers the nanoseconds that they took (loop.py does the same for Python).
template <class Step>
void answer_lines(Step step) {
  std::cout << "ready" << std::endl;
  for (long steps = 0; std::cin >> steps;) {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < steps; ++i) step();
    std::cout << std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count() << std::endl;
  }
}
