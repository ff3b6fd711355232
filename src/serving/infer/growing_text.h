#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacho::infer {

// A text that arrives token by token. Releases whole characters, and nothing that may be the
// beginning of a stop string.
class GrowingText {
 public:
  // `stops`: strings before which the text ends; none may be empty.
  explicit GrowingText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Returns what can be shown now.
  std::string add(std::string_view bytes);
  // True once a stop string was found; nothing may be added then.
  [[nodiscard]] bool is_stopped() const { return stopped_; }
  // Returns what was held back, if the text ends without a stop string.
  std::string rest() { return std::exchange(held_, ""); }

 private:
  [[nodiscard]] std::size_t begin_of_stop() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace tacho::infer
