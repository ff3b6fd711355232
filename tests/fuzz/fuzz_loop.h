#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/mutation.h"
#include "base/random.h"

namespace tacho {

// Calls `read` with damaged copies of `samples` until the time is over: PROGRAM SECONDS SEED.
// Damage adds up over a few rounds, so that inputs drift far from the sample. An input that takes
// more than a second of processor time is a failure, and is written to fuzz-input.bin. One that
// crashes comes again with its seed. `prepare` may put something right again that would keep the
// damage from being looked at.
template <class Read, class Prepare>
int fuzz(int argc, char** argv, const std::vector<std::string>& samples, Read read,
         Prepare prepare) {
  using Clock = std::chrono::steady_clock;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SECONDS SEED\n", argv[0]);
    return 2;
  }
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
  Random random = Random::scattered(std::strtoull(argv[2], nullptr, 10));
  constexpr std::int64_t kMostRounds = 16;
  constexpr std::clock_t kTooLong = CLOCKS_PER_SEC;
  std::uint64_t inputs = 0;
  std::uint64_t accepted = 0;
  while (Clock::now() < end) {
    const auto which = random.below(static_cast<std::int64_t>(samples.size()));
    std::string input = samples[static_cast<std::size_t>(which)];
    const std::int64_t rounds = 1 + random.below(kMostRounds);
    for (std::int64_t i = 0; i < rounds; ++i) input = mutated(std::move(input), random);
    if (random.below(8) != 0) prepare(input);
    const std::clock_t begun = std::clock();
    accepted += read(input) ? 1 : 0;
    ++inputs;
    if (std::clock() - begun > kTooLong) {
      if (std::FILE* file = std::fopen("fuzz-input.bin", "wb")) {
        std::fwrite(input.data(), 1, input.size(), file);
        std::fclose(file);
      }
      std::fprintf(stderr, "%s: an input of %zu bytes took more than a second: fuzz-input.bin\n",
                   argv[0], input.size());
      return 1;
    }
  }
  std::printf("%s: seed %s, %llu inputs, %llu of them accepted, no crash\n", argv[0], argv[2],
              static_cast<unsigned long long>(inputs), static_cast<unsigned long long>(accepted));
  return 0;
}

}  // namespace tacho
