#include "study/fill_in.h"

#include "base/json_object.h"

namespace tacho {
namespace {

// Of its scalars; what has parts of its own has no place within a text.
std::string with_commas(const YamlNode& value) {
  if (value.kind == YamlNode::Kind::scalar) return value.text;
  std::string text;
  for (const YamlNode& item : value.items) text += (text.empty() ? "" : ",") + item.text;
  return text;
}

void replace_in(YamlNode& node, const StudyValues& values) {
  for (const auto& [name, value] : values) {
    const std::string braces = "{" + name + "}";
    if (node.text == braces) {
      const YamlNode place = node;
      node = value;
      node.line = place.line;
      node.column = place.column;
      return;
    }
    node.text = replaced(std::move(node.text), braces, with_commas(value));
  }
}

}  // namespace

YamlNode filled_in(const YamlNode& node, const StudyValues& values) {
  YamlNode filled = node;
  if (filled.kind == YamlNode::Kind::scalar) replace_in(filled, values);
  if (node.kind == YamlNode::Kind::list) {
    for (YamlNode& item : filled.items) item = filled_in(item, values);
  }
  if (node.kind == YamlNode::Kind::map) {
    for (YamlEntry& entry : filled.entries) entry.value = filled_in(entry.value, values);
  }
  return filled;
}

std::string replaced(std::string text, std::string_view old_part, std::string_view new_part) {
  if (old_part.empty()) return text;
  for (std::size_t at = text.find(old_part); at != std::string::npos;
       at = text.find(old_part, at + new_part.size())) {
    text.replace(at, old_part.size(), new_part);
  }
  return text;
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
  broken_invariant("a YAML node of no kind");
}

}  // namespace tacho
