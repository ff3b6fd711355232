#include "predict/speed/model_name.h"

#include <gtest/gtest.h>

#include "predict/speed/model_costs.h"
#include "predict/speed/software_stack.h"

namespace tacho {
namespace {

TEST(ModelName, NormalisesSpellings) {
  for (const char* text : {"resnet50", "ResNet-50", "ResNet-50 v1.5", "ResNet-50 (Gavel)",
                           "ResNet50-v1.5", "tv_resnet50", "Resnet 50 v1", "gluon_resnet50"}) {
    EXPECT_EQ(model_name(text).canonical, "resnet50") << text;
  }
}

TEST(ModelName, KeepsDifferentTrainingsSeparate) {
  EXPECT_EQ(model_name("BERT-large (pretrain)").canonical, "bert_large");
  EXPECT_EQ(model_name("BERT-large (finetune)").canonical, "bert_large_ft");
  EXPECT_EQ(model_name("BERT-base (SQuAD)").canonical, "bert_base_ft");
}

TEST(ModelName, HasLineStemAndKin) {
  const ModelName name = model_name("tf_efficientnet_b0");
  EXPECT_EQ(name.canonical, "efficientnet_b0");
  EXPECT_EQ(name.line, "efficientnet");
  EXPECT_EQ(name.kin, "efficientnet_b");
  EXPECT_EQ(model_name("resnet101d").line, "resnet");
  EXPECT_EQ(model_name("MPT-7b").canonical, "mpt_7b");
}

TEST(ModelName, AcceptsArbitraryBytes) {
  for (const char* text : {"", "()", "(((", "---", "\xff\xfe", "123", "_v1", "tf_"}) {
    const ModelName name = model_name(text);
    EXPECT_LE(name.line.size(), name.canonical.size());
  }
}

TEST(SoftwareStack, HasFrameworkAndScripts) {
  EXPECT_EQ(software_stack("PyTorch 1.12 (timm)").stack, "pytorch|timm");
  EXPECT_EQ(software_stack("PyTorch (NVIDIA DLE 2020-05-01)").stack,
            software_stack("PyTorch (NVIDIA DLE)").stack);
  EXPECT_EQ(software_stack("NGC MXNet 21.05").stack, "mlperf");
  EXPECT_EQ(software_stack("Caffe2 0.8.1").framework, "other");
  EXPECT_EQ(software_stack("").stack, "");
}

TEST(ModelCosts, ScaleWithTheInput) {
  const auto costs =
      ModelCosts::parse("model,img_size,gmacs,macts_M,params_M\nresnet50,224,4,11,25\n",
                        "model,layers,width,heads,params_M,sequence,finetuned_sequence\n"
                        "bert_large,24,1024,16,336,512,384\n");
  ASSERT_TRUE(costs.ok());
  TrainingJob job{.model = "ResNet-50", .gpu = "G", .input_shape = "3x448x448"};
  const auto large = costs->of(job, model_name(job.model));
  ASSERT_TRUE(large);
  EXPECT_DOUBLE_EQ(large->gmacs, 16);
  EXPECT_DOUBLE_EQ(large->params_m, 25);
  job = {.model = "BERT-large (pretrain)", .gpu = "G", .input_shape = "seq128"};
  const auto text = costs->of(job, model_name(job.model));
  ASSERT_TRUE(text);
  EXPECT_NEAR(text->gmacs, 39.46, 0.01);  // as published
  EXPECT_NEAR(text->macts_m, 66.06, 0.1);
  job.gmacs = 50;
  EXPECT_DOUBLE_EQ(costs->of(job, model_name(job.model))->gmacs, 50);
  job = {.model = "unknown", .gpu = "G"};
  EXPECT_FALSE(costs->of(job, model_name(job.model)));
}

}  // namespace
}  // namespace tacho
