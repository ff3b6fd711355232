#include "experiments/predictions/known_curves.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class KnownCurvesTest : public StoreTest {
 protected:
  std::vector<std::string> newest(std::size_t most) {
    const auto records = own_records(store_, "vgg11", "cifar10", most);
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
  EXPECT_THAT(*own_curves(store_, "vgg11", "cifar10", 9), SizeIs(1));
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

}  // namespace
}  // namespace tacho
