#include "predict/speed/software.h"

#include <gtest/gtest.h>

#include "core/record/classifier_catalog.h"

namespace tacho {
namespace {

TEST(Software, IsTachoForItsOwnModelsInAnySpelling) {
  for (const ModelInfo& model : classifier_catalog()) {
    EXPECT_EQ(own_model_of(model.name), model.name);
    EXPECT_EQ(software_of(with_software({.model = std::string(model.name)}).framework), "tacho");
  }
  EXPECT_EQ(own_model_of("ResNet-50"), "resnet50");
  EXPECT_EQ(own_model_of("resnet5"), "");
}

TEST(Software, IsPyTorchForAnyOtherModel) {
  EXPECT_EQ(software_of(with_software({.model = "efficientnet_b0"}).framework), "pytorch");
}

TEST(Software, KeepsWhatIsGiven) {
  const std::string published = "PyTorch 1.12 (timm)";
  EXPECT_EQ(with_software({.model = "resnet50", .framework = published}).framework, published);
  const TrainingJob plain = with_software({.model = "resnet50", .framework = "pytorch"});
  EXPECT_EQ(software_of(plain.framework), "pytorch");
  EXPECT_FALSE(is_tacho(plain.framework));
}

}  // namespace
}  // namespace tacho
