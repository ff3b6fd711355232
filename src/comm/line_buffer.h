#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Bytes of a stream in, whole lines out, however the bytes were cut. A line over the limit spoils
// the stream for good: nothing after it can be trusted to begin where it seems to.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t limit) : limit_(limit) {}
  void allow(std::size_t limit) { limit_ = limit; }

  // Appends the lines that are complete, without their ends. False once the stream is spoiled.
  [[nodiscard]] bool feed(std::string_view bytes, std::vector<std::string>& lines);

 private:
  std::size_t limit_;
  std::string half_;
  bool spoiled_ = false;
};

}  // namespace tacho
