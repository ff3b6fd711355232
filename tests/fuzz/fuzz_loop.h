#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutation.h"
#include "base/random.h"
#include "fuzz_clock.h"

namespace tacho {

// Inputs of a fuzz program. `prepare` may repair parts that would hide the damage, such as a
// checksum. `generate` makes inputs of great depth, count or size, which damage to a small sample
// never reaches; see fuzz_size().
struct FuzzInputs {
  std::vector<std::string> samples;
  std::function<void(std::string&)> prepare = [](std::string&) {};
  std::function<std::string(Random&)> generate = nullptr;
};

// A random number from 1 to `most`, each order of magnitude equally often.
inline std::size_t fuzz_size(Random& random, std::size_t most) {
  return static_cast<std::size_t>(std::exp(random.between(0, std::log(static_cast<double>(most)))));
}

// `part` repeated `count` times.
inline std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// Returns the next input: sometimes a generated one, otherwise a damaged sample. Damage accumulates
// over several rounds.
inline std::string fuzz_input(const FuzzInputs& inputs, Random& random) {
  constexpr std::int64_t kMostRounds = 16;
  constexpr std::int64_t kGeneratedOneIn = 16;
  if (inputs.generate && (inputs.samples.empty() || random.below(kGeneratedOneIn) == 0)) {
    std::string input = inputs.generate(random);
    return random.below(2) == 0 ? input : mutated(std::move(input), random);
  }
  const auto which = random.below(static_cast<std::int64_t>(inputs.samples.size()));
  std::string input = inputs.samples[static_cast<std::size_t>(which)];
  const std::int64_t rounds = 1 + random.below(kMostRounds);
  for (std::int64_t i = 0; i < rounds; ++i) input = mutated(std::move(input), random);
  if (random.below(8) != 0) inputs.prepare(input);
  return input;
}

// Calls `read` until the time is over: PROGRAM SECONDS SEED. An input that takes more than a second
// of CPU time or never ends is a failure and is written to fuzz-input.bin. A crash can be repeated
// with its seed. PROGRAM FILE reads only that file.
template <class Read>
int fuzz(int argc, char** argv, const FuzzInputs& inputs, Read read) {
  if (argc == 2) {
    std::ifstream file(argv[1], std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    const FuzzClock clock;
    const bool accepted = read(input);
    std::printf("%s: %s, %.3f s\n", argv[0], accepted ? "accepted" : "refused", clock.seconds());
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SECONDS SEED, or %s FILE\n", argv[0], argv[0]);
    return 2;
  }
  const FuzzDeadline end(std::atof(argv[1]));
  Random random = Random::scattered(std::strtoull(argv[2], nullptr, 10));
  constexpr double kTooLong = 1;
  FuzzWatchdog watchdog;
  std::uint64_t count = 0;
  std::uint64_t accepted = 0;
  double longest = 0;
  while (!end.passed()) {
    const std::string input = fuzz_input(inputs, random);
    watchdog.begin(input);
    const FuzzClock clock;
    accepted += read(input) ? 1 : 0;
    const double took = clock.seconds();
    watchdog.end();
    ++count;
    longest = std::max(longest, took);
    if (took > kTooLong) {
      FuzzWatchdog::keep(input.data(), input.size());
      std::fprintf(stderr, "%s: seed %s: an input of %zu bytes took %.1f s: fuzz-input.bin\n",
                   argv[0], argv[2], input.size(), took);
      return 1;
    }
  }
  std::printf("%s: seed %s, %llu inputs, %llu of them accepted, the longest took %.0f ms\n",
              argv[0], argv[2], static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(accepted), longest * 1e3);
  return 0;
}

template <class Read, class Prepare>
int fuzz(int argc, char** argv, std::vector<std::string> samples, Read read, Prepare prepare) {
  return fuzz(argc, argv, FuzzInputs{.samples = std::move(samples), .prepare = prepare}, read);
}

}  // namespace tacho
