#include "experiments/study/fill_in.h"

#include <algorithm>

#include "base/json_object.h"

namespace tacho {
namespace {

// Joins the scalars of a list; nested values cannot be part of a text.
std::string with_commas(const YamlNode& value) {
  if (value.kind == YamlNode::Kind::scalar) return value.text;
  std::string text;
  for (const YamlNode& item : value.items) text += (text.empty() ? "" : ",") + item.text;
  return text;
}

std::size_t size_of(const YamlNode& node) {
  constexpr std::size_t kBytesOfNode = 16;
  std::size_t size = kBytesOfNode + node.text.size();
  for (const YamlNode& item : node.items) size += size_of(item);
  for (const auto& [key, value] : node.entries) size += size_of(key) + size_of(value);
  return size;
}

class Filler {
 public:
  Filler(const StudyValues& values, std::size_t& room) : values_(values), room_(room) {}

  [[nodiscard]] bool overflows() const { return overflows_; }

  YamlNode fill(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) return fill_scalar(node);
    YamlNode filled{.kind = node.kind, .line = node.line, .column = node.column};
    for (const YamlNode& item : node.items) filled.items.push_back(fill(item));
    for (const auto& [key, value] : node.entries) filled.entries.push_back({key, fill(value)});
    return filled;
  }

 private:
  YamlNode fill_scalar(const YamlNode& node) {
    const YamlNode* value = value_of(node.text);
    const bool fits = value != nullptr && take(size_of(*value));
    YamlNode filled = fits ? *value : node;
    filled.line = node.line;
    filled.column = node.column;
    if (value == nullptr) filled.text = fill_text(node.text);
    return filled;
  }

  std::string fill_text(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && !overflows_;) {
      const std::size_t open = std::min(text.find('{', at), text.size());
      out += text.substr(at, open - at);
      // Extends to the closing brace or the next opening one.
      std::size_t end =
          std::min(text.find_first_of("{}", std::min(open + 1, text.size())), text.size());
      if (end < text.size() && text[end] == '}') ++end;
      const std::string_view braces = text.substr(open, end - open);
      const YamlNode* value = value_of(braces);
      const std::string put = value == nullptr ? std::string(braces) : with_commas(*value);
      if (take(put.size())) out += put;
      at = end;
    }
    return out;
  }

  // Returns the value for "{name}", or nullptr.
  [[nodiscard]] const YamlNode* value_of(std::string_view braces) const {
    if (braces.size() < 3 || braces.front() != '{' || braces.back() != '}') return nullptr;
    const auto found = values_.find(braces.substr(1, braces.size() - 2));
    return found == values_.end() ? nullptr : &found->second;
  }

  bool take(std::size_t bytes) {
    overflows_ = overflows_ || bytes > room_;
    if (!overflows_) room_ -= bytes;
    return !overflows_;
  }

  const StudyValues& values_;
  std::size_t& room_;
  bool overflows_ = false;
};

}  // namespace

Result<YamlNode> filled_in(const YamlNode& node, const StudyValues& values, std::size_t& room) {
  Filler filler(values, room);
  YamlNode filled = filler.fill(node);
  if (!filler.overflows()) return filled;
  return Error{ErrorCode::invalid,
               "replacing the values makes the study too long; use fewer or shorter values"};
}

std::string replaced(std::string_view text, std::string_view old_part, std::string_view new_part) {
  if (old_part.empty()) return std::string(text);
  std::string out;
  while (true) {
    const std::size_t at = text.find(old_part);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += new_part;
    text.remove_prefix(at + old_part.size());
  }
}

std::string flow_text(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return json_text(node.text);
    case YamlNode::Kind::list:
      for (const YamlNode& item : node.items) out += (out.empty() ? "" : ", ") + flow_text(item);
      return "[" + out + "]";
    case YamlNode::Kind::map:
      for (const auto& [key, value] : node.entries) {
        out += (out.empty() ? "" : ", ") + json_text(key.text) + ": " + flow_text(value);
      }
      return "{" + out + "}";
  }
  broken_invariant("YAML node of unknown kind");
}

}  // namespace tacho
