#pragma once

#include <algorithm>
#include <string>

#include "base/mutation.h"
#include "base/random.h"

namespace tacho {

// JSON that damaged samples do not reach: very deep, with very many values, or very long. About one
// in three is also damaged.
class JsonGenerator {
 public:
  explicit JsonGenerator(Random random) : random_(random) {}

  std::string operator()() {
    std::string text;
    switch (random_.below(4)) {
      case 0:
        text = deep();
        break;
      case 1:
        text = object();
        break;
      case 2:
        text = list();
        break;
      default:
        text = "{\"text\":[\"" + std::string(size(1 << 20), 'x') + "\"]}";
    }
    return random_.below(3) == 0 ? mutated(std::move(text), random_) : text;
  }

 private:
  // Below and above a hundred equally often, up to `most`.
  std::size_t size(std::int64_t most) {
    return static_cast<std::size_t>(
        1 + random_.below(std::min(most, std::int64_t{1} << random_.below(21))));
  }
  std::string deep() {
    const bool lists = random_.below(2) == 0;
    const std::size_t depth = size(200'000);
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += lists ? "[" : "{\"a\":";
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += lists ? ']' : '}';
    return text;
  }
  // Names may be repeated.
  std::string object() {
    const std::size_t members = size(100'000);
    const std::int64_t names = random_.below(2) == 0 ? 7 : 1 << 30;
    std::string text = "{";
    for (std::size_t i = 0; i < members; ++i) {
      text += (i == 0 ? "\"" : ",\"") + std::to_string(random_.below(names)) + "\":0";
    }
    return text + "}";
  }
  std::string list() {
    const std::size_t items = size(200'000);
    std::string text = "[0";
    for (std::size_t i = 1; i < items; ++i) text += random_.below(2) == 0 ? ",0" : ",\"\"";
    return text + "]";
  }

  Random random_;
};

}  // namespace tacho
