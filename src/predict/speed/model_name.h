#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Normalises the spellings of a model: "ResNet-50 v1.5", "resnet50" and "ResNet-50 (Gavel)" are one
// model; "BERT-large (finetune)" is not "BERT-large (pretrain)".
struct ModelName {
  std::string canonical;  // "resnet50", "bert_large_ft"
  std::string line;       // "resnet": the leading letters
  std::string kin;        // "efficientnet_b" for "efficientnet_b3": without digits
};

ModelName model_name(std::string_view text);

}  // namespace tacho
