#include "predict/speed/model_name.h"

#include <algorithm>
#include <array>

namespace tacho {
namespace {

constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Lower case, words joined by underscores, the text in brackets separately.
struct Spelled {
  std::string name;
  std::string remarks;
};

Spelled spelled(std::string_view text) {
  Spelled out;
  bool in_brackets = false;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '(') in_brackets = true;
    std::string& to = in_brackets ? out.remarks : out.name;
    if (is_letter(c) || is_digit(c)) {
      to += c;
    } else if (!to.empty() && to.back() != '_') {
      to += '_';
    }
    if (c == ')') in_brackets = false;
  }
  while (out.name.ends_with('_')) out.name.pop_back();
  return out;
}

// The trainer or porter of a model does not affect its speed.
constexpr std::array<std::string_view, 8> kPorters = {"tf_",   "gluon_", "legacy_", "ssl_",
                                                      "swsl_", "ig_",    "tv_",     "d2_"};
// Versions of ResNet differ only in the position of a stride.
constexpr std::array<std::string_view, 3> kVersions = {"_v1_5", "v1_5", "_v1"};

void strip(std::string& name) {
  for (const auto porter : kPorters) {
    if (name.starts_with(porter)) {
      name.erase(0, porter.size());
      break;
    }
  }
  for (const auto version : kVersions) {
    if (name.ends_with(version) && name.size() > version.size()) {
      name.resize(name.size() - version.size());
      break;
    }
  }
}

// "resnet_50" is "resnet50"; "mpt_7b" stays.
void join_number(std::string& name) {
  const auto underscore = std::ranges::find_if_not(name, is_letter);
  if (underscore == name.begin() || underscore == name.end() || *underscore != '_') return;
  const auto number = underscore + 1;
  const auto end = std::find_if_not(number, name.end(), is_digit);
  if (end == number || (end != name.end() && *end != '_')) return;
  name.erase(underscore);
}

}  // namespace

ModelName model_name(std::string_view text) {
  auto [name, remarks] = spelled(text);
  strip(name);
  join_number(name);
  if (remarks.find("finetune") != std::string::npos || remarks.find("squad") != std::string::npos) {
    name += "_ft";
  }
  const auto letters_end = std::ranges::find_if_not(name, is_letter);
  std::string line(name.begin(), letters_end);
  if (line.empty()) line = name;
  std::string kin = name;
  std::erase_if(kin, is_digit);
  return {.canonical = std::move(name), .line = std::move(line), .kin = std::move(kin)};
}

}  // namespace tacho
