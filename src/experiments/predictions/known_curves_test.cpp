#include "experiments/predictions/known_curves.h"

#include <gmock/gmock.h>

#include "core/record/model_catalog.h"
#include "experiments/predictions/test_runs.h"
#include "predict/accuracy/epochs_to_target.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class KnownCurvesTest : public StoreTest {
 protected:
  std::vector<std::string> newest(std::size_t most) {
    const auto records = own_records(store_, "vgg16", "cifar10", most);
    std::vector<std::string> keys;
    for (const RunRecord& record : *records) keys.push_back(record.order.key);
    return keys;
  }
};

TEST_F(KnownCurvesTest, RecordsAreTheNewestSuccessfulOnesOfTheTask) {
  for (const char* key : {"a", "b", "c"}) put(record_of({.key = key}));
  RunRecord failed = record_of({.key = "d"});
  failed.outcome = Outcome::failed;
  put(failed);
  RunRecord of_another_model = record_of({.key = "e"});
  of_another_model.order.spec.model = "resnet18";
  put(of_another_model);
  EXPECT_THAT(newest(2), ElementsAre("c", "b"));
  EXPECT_THAT(newest(9), ElementsAre("c", "b", "a"));
}

TEST_F(KnownCurvesTest, DamagedRecordsAreSkipped) {
  put(record_of({.key = "damaged", .top1 = {0.1, 0.2, 0.3}}));
  damage_records();
  put(record_of({.key = "sound", .top1 = {0.1, 0.2, 0.3}}));
  EXPECT_THAT(newest(9), ElementsAre("sound"));
  EXPECT_THAT(*own_curves(store_, "vgg16", "cifar10", 9), SizeIs(1));
}

TEST_F(KnownCurvesTest, ACurveHasAtLeastThreeEpochs) {
  EXPECT_THAT(curves_of({record_of({.key = "two", .top1 = {0.1, 0.2}})}), IsEmpty());
  const auto curves = curves_of({record_of({.key = "three", .top1 = {0.1, 0.2, 0.3}})});
  ASSERT_THAT(curves, SizeIs(1));
  EXPECT_THAT(curves[0].epochs, ElementsAre(1, 2, 3));
  EXPECT_THAT(curves[0].accuracy, ElementsAre(0.1, 0.2, 0.3));
}

TEST_F(KnownCurvesTest, WithoutAModelTheCurvesOfAllTasksAreReturned) {
  put(record_of({.key = "a", .top1 = {0.1, 0.2, 0.3}}));
  RunRecord of_another_model = record_of({.key = "b", .top1 = {0.1, 0.2, 0.3}});
  of_another_model.order.spec.model = "resnet18";
  put(of_another_model);
  put(record_of({.key = "short"}));  // does not count towards the limit
  EXPECT_THAT(*own_curves(store_, "", "", 2), SizeIs(2));
  EXPECT_THAT(*own_curves(store_, "resnet18", "cifar10", 2), SizeIs(1));
}

// The pairs of Tacho's models with datasets of their kind.
TEST(ShippedCurves, GiveMostPairsOfModelAndDatasetANumberOfEpochs) {
  const EpochsToTarget epochs(
      {.own = {}, .shipped = shipped_curves(), .records = published_time_records()});
  std::size_t asked = 0;
  std::size_t answered = 0;
  for (const ModelInfo& model : model_catalog()) {
    for (const DatasetInfo& data : dataset_catalog()) {
      if (data.input != model.input || data.packing == Packing::in_place) continue;
      ++asked;
      const std::string name(model.name);
      const std::string dataset(data.name);
      const auto usual = epochs.usual_target(name, dataset);
      if (!usual.ok()) continue;
      const auto needed = epochs.needed({name, dataset, usual->value, 128});
      ASSERT_TRUE(needed.ok()) << name << " on " << dataset << ": " << needed.error().message;
      EXPECT_LE(1, needed->epochs.low) << name << " on " << dataset;
      EXPECT_LE(needed->epochs.low, needed->epochs.value) << name << " on " << dataset;
      EXPECT_LT(needed->epochs.value, needed->epochs.high) << name << " on " << dataset;
      ++answered;
    }
  }
  EXPECT_EQ(asked, 90U);
  EXPECT_GE(answered, 44U);
}

}  // namespace
}  // namespace tacho
