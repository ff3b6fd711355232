#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tacho {

// Returns the model's name of a file's tensor, "" if no model uses it. Accepts the names of
// DataParallel ("module."), of the first BERT and DenseNet files, and of Hugging Face's models
// without a head, whose names lack "bert.", "distilbert.", "transformer." or "model.".
std::string model_tensor_name(std::string name, const std::set<std::string>& in_model);

// True for tensors of Hugging Face's other heads, such as the masked language model of a pretrained
// BERT: a classifier does not use them.
bool is_other_head(std::string_view name);

}  // namespace tacho
