#pragma once

#include <cstdint>
#include <vector>

#include "tracing/trace/name_facts.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// The kernels, copies and sets of a stream in execution order, each reduced to a word. One array
// per property, because the search for patterns reads millions of words and little else.
struct TokenLine {
  enum Flag : std::uint8_t {
    heavy = 1,      // a product or a convolution
    light = 2,      // elementwise, or a copy within the device
    optimizer = 4,  // by its name
    input = 8,      // a copy from the host
    replay = 16,    // the first kernel of a graph's replay
  };

  std::uint32_t device = 0;
  std::vector<std::uint32_t> words;  // below `word_count`
  std::vector<std::uint32_t> kinds;  // like words, but one word for all products, one for all
                                     // convolutions
  std::vector<std::uint32_t> shapes;
  std::vector<std::uint8_t> flags;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  std::uint32_t word_count = 0;

  [[nodiscard]] std::size_t size() const { return words.size(); }
  [[nodiscard]] bool is(std::size_t i, Flag flag) const { return (flags[i] & flag) != 0; }
};

enum class Streams { busiest, all_of_its_device };

// Selects the stream (or its whole device) where kernels other than communication take most time.
TokenLine token_line(const GpuTrace& trace, const std::vector<NameFacts>& facts, Streams streams);

// The device where kernels take most time.
std::uint32_t busiest_device(const GpuTrace& trace);

}  // namespace tacho
