#include "experiments/predictions/corpus_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kHeadings =
    "key,outcome,spec.model,spec.data,spec.batch,spec.epochs,spec.steps,spec.optimizer.kind,"
    "spec.optimizer.learning_rate,spec.schedule.kind,train_samples,epoch_eval_loss,epoch_top1\n";

TEST(CorpusCurves, AreReadFromExportsWithTheirRecipe) {
  const std::string csv =
      std::string(kHeadings) +
      "a,ok,resnet18,cifar10,128,3,,sgd,0.1,cosine,50000,1.2;0.8;0.5,0.5;0.7;0.8\n"
      "b,failed,resnet18,cifar10,128,3,,sgd,0.1,cosine,50000,1.2,0.5\n"
      "c,ok,resnet18,synthetic,128,1,,sgd,0.1,cosine,50000,1.2,0.5\n"
      "d,ok,resnet18,cifar10,128,1,20,sgd,0.1,cosine,50000,1.2,0.5\n" +
      std::string(kHeadings) +  // the next file
      "e,ok,lstm,imdb,64,1,,adam,0.002,constant,25000,0.4,0.83\n";
  const auto curves = read_corpus_curves(csv);
  ASSERT_TRUE(curves.ok()) << curves.error().message;
  ASSERT_EQ(curves->size(), 2U);
  const Curve& first = curves->front();
  EXPECT_THAT(first.epochs, ElementsAre(1, 2, 3));
  EXPECT_THAT(first.accuracy, ElementsAre(0.5, 0.7, 0.8));
  EXPECT_THAT(first.loss, ElementsAre(1.2, 0.8, 0.5));
  EXPECT_EQ(first.setting.recipe, "sgd cosine");
  EXPECT_EQ(first.setting.batch, 128);
  EXPECT_EQ(first.setting.epoch_samples, 50000);
  EXPECT_TRUE(first.setting.decays);
  EXPECT_THAT(first.setting.options, HasSubstr("--lr 0.1"));
  EXPECT_THAT(first.setting.options, HasSubstr("--schedule cosine"));
  EXPECT_EQ(curves->back().setting.options, "") << "the model's defaults";
}

TEST(CorpusCurves, NameTheOptionsThatChangeTheCurve) {
  const auto curves = read_corpus_curves(
      "key,spec.threads,spec.trivial_augment,spec.erase,spec.freeze," +
      std::string(kHeadings.substr(4)) +
      "a,7,1,0.25,conv1,ok,resnet18,cifar10,128,1,,sgd,0.1,cosine,50000,1.2,0.5\n"
      "b,7,0,0,,ok,resnet18,cifar10,128,1,,sgd,0.1,cosine,50000,1.2,0.5\n");
  ASSERT_TRUE(curves.ok()) << curves.error().message;
  const std::string& options = curves->front().setting.options;
  EXPECT_THAT(options, StartsWith("--trivial-augment --erase 0.25 --freeze conv1 --lr 0.1"));
  EXPECT_EQ("--trivial-augment --erase 0.25 --freeze conv1 " + curves->back().setting.options,
            options);
}

TEST(CorpusCurves, ABadCellNamesItsLine) {
  const auto curves = read_corpus_curves(
      std::string(kHeadings) + "a,ok,resnet18,cifar10,128,3,,sgd,0.1,cosine,50000,1.2,0.5;x\n");
  ASSERT_FALSE(curves.ok());
  EXPECT_THAT(curves.error().message, HasSubstr("line 2: epoch_top1: "));
}

TEST(CorpusCurves, ComeWithTacho) {
  for (const Curve& curve : corpus_curves()) {
    EXPECT_EQ(curve.epochs.size(), curve.accuracy.size());
    EXPECT_GT(curve.setting.epoch_samples, 0) << curve.source;
  }
}

}  // namespace
}  // namespace tacho
