#include "training/weights/tensor_names.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(ModelTensorName, AcceptsOldAndPrefixedNames) {
  const std::set<std::string> model = {"fc.weight",
                                       "bert.embeddings.LayerNorm.weight",
                                       "distilbert.transformer.layer.0.ffn.lin1.bias",
                                       "features.denseblock1.denselayer1.norm1.weight",
                                       "bn.num_batches_tracked",
                                       "transformer.wte.weight",
                                       "model.norm.weight"};
  for (const auto& [file, expected] : std::vector<std::pair<std::string, std::string>>{
           {"fc.weight", "fc.weight"},
           {"module.fc.weight", "fc.weight"},
           {"embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"},
           {"bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"},
           {"transformer.layer.0.ffn.lin1.bias", "distilbert.transformer.layer.0.ffn.lin1.bias"},
           {"features.denseblock1.denselayer1.norm.1.weight",
            "features.denseblock1.denselayer1.norm1.weight"},
           {"bn.num_batches_tracked", "bn.num_batches_tracked"},
           {"other.num_batches_tracked", ""},
           {"bert.embeddings.position_ids", ""},
           {"wte.weight", "transformer.wte.weight"},
           {"norm.weight", "model.norm.weight"},
           {"transformer.h.3.attn.bias", ""},
           {"model.layers.1.self_attn.rotary_emb.inv_freq", ""},
           {"extra", "extra"}}) {
    EXPECT_EQ(model_tensor_name(file, model), expected) << file;
  }
}

TEST(IsOtherHead, KnowsTheHeadsOfPretraining) {
  EXPECT_TRUE(is_other_head("cls.predictions.bias"));
  EXPECT_TRUE(is_other_head("vocab_transform.weight"));
  EXPECT_TRUE(is_other_head("qa_outputs.weight"));
  EXPECT_FALSE(is_other_head("classifier.weight"));
  EXPECT_FALSE(is_other_head("cls_token"));
}

}  // namespace
}  // namespace tacho
