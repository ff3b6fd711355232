#include "base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace tacho {
namespace {

constexpr std::size_t kMostBytes = 4U << 20U;
constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kDeepest = 64;

std::size_t nodes_in(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += nodes_in(item);
  for (const auto& [key, value] : node.entries) count += 1 + nodes_in(value);
  return count;
}

// Returns the depth of nested lists and maps; 0 for a scalar.
std::size_t depth_of(const YamlNode& node) {
  std::size_t within = 0;
  for (const YamlNode& item : node.items) within = std::max(within, depth_of(item));
  for (const auto& [key, value] : node.entries) within = std::max(within, depth_of(value));
  const bool holds = node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::map;
  return within + (holds ? 1 : 0);
}

// Thrown through the parser, which cannot be stopped otherwise; caught in parse_yaml().
struct Refused {
  Error error;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(node(YamlNode::Kind::null, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode copy = node(YamlNode::Kind::null, mark);
    const auto named = anchored_.find(anchor);
    if (named == anchored_.end()) refuse(copy, "an alias inside the value it refers to");
    count_ += nodes_in(named->second);
    check_size(copy);
    check_depth(copy, stack_.size() + depth_of(named->second));
    copy = named->second;
    place(std::move(copy), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode made = node(YamlNode::Kind::scalar, mark);
    made.text = value;
    place(std::move(made), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(node(YamlNode::Kind::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(node(YamlNode::Kind::map, mark), anchor);
  }
  void OnMapEnd() override { close(); }

  YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<YamlNode> key = {};      // in a map: the key whose value comes next
    std::map<std::string, int> keys = {};  // in a map: the line of each key
  };

  [[noreturn]] void refuse(const YamlNode& at, std::string_view what) const {
    throw Refused{yaml_error(file_, at, what)};
  }
  void check_size(const YamlNode& at) const {
    if (count_ > kMostNodes) {
      refuse(at, fmt::format("the file contains more than {} values", kMostNodes));
    }
  }
  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode made;
    made.kind = kind;
    made.line = mark.line + 1;
    made.column = mark.column + 1;
    ++count_;
    check_size(made);
    return made;
  }
  void check_depth(const YamlNode& at, std::size_t depth) const {
    if (depth > kDeepest) refuse(at, fmt::format("nested more than {} levels deep", kDeepest));
  }
  void open(YamlNode made, YAML::anchor_t anchor) {
    check_depth(made, stack_.size() + 1);
    stack_.push_back({std::move(made), anchor});
  }
  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    place(std::move(done.node), done.anchor);
  }
  void place(YamlNode made, YAML::anchor_t anchor) {
    if (anchor != 0) {
      // A second copy is kept for its aliases.
      count_ += nodes_in(made);
      check_size(made);
      anchored_[anchor] = made;
    }
    if (stack_.empty()) {
      root_ = std::move(made);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(made));
    } else if (parent.key) {
      parent.node.entries.push_back({*std::move(parent.key), std::move(made)});
      parent.key.reset();
    } else {
      check_key(parent, made);
      parent.key = std::move(made);
    }
  }
  void check_key(Open& map, const YamlNode& key) const {
    if (key.kind != YamlNode::Kind::scalar) refuse(key, "a key must be a single value");
    const auto [first, is_new] = map.keys.emplace(key.text, key.line);
    if (!is_new) {
      refuse(key, fmt::format("duplicate key '{}', first on line {}", key.text, first->second));
    }
  }

  std::string_view file_;
  YamlNode root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t count_ = 0;
};

Error parser_error(std::string_view file, const YAML::Exception& problem) {
  YamlNode at;
  at.line = problem.mark.line + 1;
  at.column = problem.mark.column + 1;
  return yaml_error(file, at, fmt::format("not YAML: {}", problem.msg));
}

Result<YamlNode> parse(std::string_view text, std::string_view file) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder tree(file);
  parser.HandleNextDocument(tree);
  YamlNode root = tree.take();
  TreeBuilder rest(file);
  if (parser.HandleNextDocument(rest)) {
    return Error{ErrorCode::invalid, fmt::format("{}: contains more than one document", file)};
  }
  return root;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [key](const auto& entry) { return entry.key.text == key; });
  return at == entries.end() ? nullptr : &at->value;
}

std::string_view kind_name(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a single value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      break;
  }
  return "a map";
}

Error yaml_error(std::string_view file, const YamlNode& at, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("{}:{}:{}: {}", file, at.line, at.column, what)};
}

Result<YamlNode> parse_yaml(std::string_view text, std::string_view file) {
  if (text.size() > kMostBytes) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: longer than {} MiB", file, kMostBytes >> 20U)};
  }
  // The parser stops at a zero byte and would ignore the rest.
  if (text.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: not a text file: contains a zero byte", file)};
  }
  try {
    return parse(text, file);
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& problem) {
    return parser_error(file, problem);
  } catch (const std::exception& problem) {
    return Error{ErrorCode::invalid, fmt::format("{}: not YAML: {}", file, problem.what())};
  }
}

}  // namespace tacho
