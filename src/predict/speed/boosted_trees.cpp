#include "predict/speed/boosted_trees.h"

#include <algorithm>
#include <optional>

namespace tacho {
namespace {

Error damaged(const std::string& what) {
  return {ErrorCode::invalid, "the boosted trees of the speed model are damaged: " + what};
}

// Returns a list of numbers; nullptr if there is none, or one of another length.
const Json* numbers(const Json& json, const char* key, std::optional<std::size_t> length = {}) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (found == json.end() || !found->is_array()) return nullptr;
  if (length && found->size() != *length) return nullptr;
  const bool valid =
      std::all_of(found->begin(), found->end(), [](const Json& one) { return one.is_number(); });
  return valid ? &*found : nullptr;
}

}  // namespace

Result<BoostedTrees::Tree> BoostedTrees::read_tree(const Json& json, std::size_t features) {
  const Json* left = numbers(json, "left_children");
  if (left == nullptr || left->empty()) return damaged("a tree has no nodes");
  const std::size_t count = left->size();
  const Json* right = numbers(json, "right_children", count);
  const Json* split = numbers(json, "split_indices", count);
  const Json* value = numbers(json, "split_conditions", count);
  if (right == nullptr || split == nullptr || value == nullptr) {
    return damaged("the columns of a tree differ in length");
  }
  Tree tree(count);
  for (std::size_t i = 0; i < count; ++i) {
    Node& node = tree[i];
    node = {(*left)[i].get<std::int32_t>(), (*right)[i].get<std::int32_t>(),
            (*split)[i].get<std::size_t>(), (*value)[i].get<float>()};
    if (node.left == -1) continue;
    // Children come after their parent, so that every path ends.
    const auto follows = [&](std::int32_t child) {
      return child > static_cast<std::int32_t>(i) && static_cast<std::size_t>(child) < count;
    };
    if (!follows(node.left) || !follows(node.right)) return damaged("a tree has a wrong child");
    if (node.feature >= features) return damaged("a tree splits by an unknown feature");
  }
  return tree;
}

Result<BoostedTrees> BoostedTrees::read(const Json& model, std::size_t features) {
  static const Json::json_pointer kTrees("/learner/gradient_booster/model/trees");
  if (!model.is_object() || !model.contains(kTrees) || !model[kTrees].is_array()) {
    return damaged("they are missing");
  }
  BoostedTrees trees;
  trees.json_ = model;
  for (const Json& one : model[kTrees]) {
    TACHO_TRY(tree, read_tree(one, features));
    trees.trees_.push_back(std::move(tree));
  }
  return trees;
}

float BoostedTrees::predict(std::span<const float> features) const {
  float sum = 0;
  for (const Tree& tree : trees_) {
    const Node* node = tree.data();
    while (node->left != -1) {
      node = &tree[static_cast<std::size_t>(features[node->feature] < node->value ? node->left
                                                                                  : node->right)];
    }
    sum += node->value;
  }
  return sum;
}

}  // namespace tacho
