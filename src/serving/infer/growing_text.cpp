#include "serving/infer/growing_text.h"

#include <algorithm>

#include "base/utf8_tail.h"

namespace tacho::infer {

std::string GrowingText::add(std::string_view bytes) {
  held_ += bytes;
  std::size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, held_.find(stop));
  if (end != std::string::npos) {
    stopped_ = true;
  } else {
    end = std::min(complete_bytes(held_), begin_of_stop());
  }
  std::string shown = held_.substr(0, end);
  held_.erase(0, stopped_ ? held_.size() : end);
  return shown;
}

// The position from which on the text may become a stop string.
std::size_t GrowingText::begin_of_stop() const {
  const std::string_view text = held_;
  std::size_t begin = text.size();
  for (const std::string& stop : stops_) {
    for (std::size_t tail = std::min(text.size(), stop.size() - 1); tail > 0; --tail) {
      if (!text.ends_with(std::string_view(stop).substr(0, tail))) continue;
      begin = std::min(begin, text.size() - tail);
      break;
    }
  }
  return begin;
}

}  // namespace tacho::infer
