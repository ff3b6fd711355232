#include "core/record/environment_facts.h"

namespace tacho {

std::string in_words(const EnvironmentFacts& facts) {
  constexpr std::size_t kEnough = 12;  // digits that identify a hash
  std::string words = facts.engine + " " + facts.engine_version;
  if (!facts.image.empty()) words += ", image " + facts.image;
  if (facts.image_digest.empty()) return words;
  const auto hash = facts.image_digest.find(':') + 1;
  return words + " (" + facts.image_digest.substr(0, hash + kEnough) + "…)";
}

}  // namespace tacho
