#include "predict/speed/model_family.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(ModelFamily, JoinsModelsThatDeriveFromEachOther) {
  for (const char* name : {"resnet50", "seresnet18", "resnext50_32x4d", "wide_resnet50_2"}) {
    EXPECT_EQ(model_family(name).family, "resnet") << name;
  }
  EXPECT_EQ(model_family("tresnet_m").family, "tresnet");
  EXPECT_EQ(model_family("bert_large_ft").family, model_family("distilbert").family);
}

TEST(ModelFamily, KnowsTheKindOfLayers) {
  EXPECT_EQ(model_family("resnet50").layers, "dense");
  EXPECT_EQ(model_family("resnext50_32x4d").layers, "grouped");
  EXPECT_EQ(model_family("efficientnet_b0").layers, "depthwise");
  EXPECT_EQ(model_family("vit_small").layers, "attention");
}

TEST(ModelFamily, OfOtherModelsIsTheirLeadingLetters) {
  EXPECT_EQ(model_family("mynet12_large").family, "mynet");
  EXPECT_EQ(model_family("mynet12_large").layers, "");
}

}  // namespace
}  // namespace tacho
