#pragma once

#include <string>
#include <string_view>

namespace tacho {

// What the many spellings of a model have in common: "ResNet-50 v1.5", "resnet50" and
// "ResNet-50 (Gavel)" are one model; "BERT-large (finetune)" is not "BERT-large (pretrain)".
struct ModelName {
  std::string canonical;  // "resnet50", "bert_large_ft"
  std::string line;       // "resnet": the letters it begins with
  std::string stem;       // "resnet50": up to the first underscore
  std::string kin;        // "efficientnet_b" of "efficientnet_b3": without its digits
};

ModelName model_name(std::string_view text);

}  // namespace tacho
