#include "experiments/sweep/would_fit.h"

#include <map>

#include "base/parse_number.h"

namespace tacho {

std::optional<std::int64_t> batch_of(const Configuration& configuration) {
  const std::string* text = configuration.find("batch");
  return text == nullptr ? std::nullopt : parse_number<std::int64_t>(*text);
}

std::string memory_family(const Configuration& configuration) {
  std::map<std::string, std::string> rest(configuration.options().begin(),
                                          configuration.options().end());
  rest.erase("batch");
  rest.erase("seed");
  return json_text(Json(rest));
}

bool needs_more_memory(const Configuration& larger, const Configuration& smaller) {
  const auto large = batch_of(larger);
  const auto small = batch_of(smaller);
  if (!large || !small || *large <= *small) return false;
  return memory_family(larger) == memory_family(smaller);
}

}  // namespace tacho
