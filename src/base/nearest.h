#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacho {

// Returns the candidate that was most likely meant, or "" if none is close. Case does not matter,
// and common synonyms are known: "gpu" means "cuda", "--batch-size" means "--batch".
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "unknown model 'lenet'; did you mean 'lenet5'? (known: lenet5, mlp)"
std::string unknown_name(std::string_view kind, std::string_view word,
                         std::span<const std::string_view> known);

}  // namespace tacho
