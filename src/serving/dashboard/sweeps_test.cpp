#include "serving/dashboard/sweeps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/test_sweeps.h"

namespace tacho::serve {
namespace {

using testing::HasSubstr;

TEST(Grid, AcceptsTrainingsOnly) {
  EXPECT_TRUE(check_grid("base: {model: mlp, data: synthetic}\nmatrix: {batch: [8, 16]}\n").ok());
  for (const auto& [grid, word] :
       {std::pair("base: {command: [rm, -rf, /]}\n", "command line"),
        {"base: {model: mlp, data: synthetic, weights: /etc/passwd}\n", "weights"},
        {"base: {model: mlp, data: synthetic, env: podman}\n", "env"},
        {"base: {model: mlp, data: synthetic}\nmatrix: {data-dir: [/etc]}\n", "data-dir"},
        {"base: {model: mlp, data: synthetic}\n"
         "launcher: {kind: slurm, partition: x}\n",
         "command line"},
        {"", "grid"},
        {"base: [", "grid"}}) {
    const auto checked = check_grid(grid);
    ASSERT_FALSE(checked.ok()) << grid;
    EXPECT_THAT(checked.error().message, HasSubstr(word)) << grid;
  }
}

class SweepsTest : public testing::Test {
 protected:
  SweepsTest()
      : stores_(home_.path() / "tacho.db"),
        slots_(home_.path() / "job-slots", 4),
        sweeps_(home_.path(), "/bin/false", stores_, slots_) {}

  void add() {
    ASSERT_TRUE(stores_.take().ok());
    SweepStore store = *SweepStore::open(home_.path() / "tacho.db");
    std::vector<SweepTask> tasks(2);
    tasks[0].configuration = {{"model", "mlp"}, {"batch", "8"}};
    tasks[1].configuration = {{"model", "mlp"}, {"batch", "16"}};
    ASSERT_TRUE(store.add({.key = "k", .name = "<b>", .grid = "base: {}"}, tasks).ok());
  }
  static http::Request of(const std::string& sweep) {
    http::Request request;
    request.captured = {{"sweep", sweep}};
    return request;
  }

  ScratchFolder home_;
  StorePool stores_;
  JobSlots slots_;
  Sweeps sweeps_;
};

TEST_F(SweepsTest, ShowsTheProgressOfEachSweep) {
  add();
  const Json list = *parse_json(sweeps_.list({})->body);
  EXPECT_EQ(list["sweeps"][0]["counts"]["waiting"], 2);
  EXPECT_EQ(list["sweeps"][0]["state"], "stopped");
  const Json one = *parse_json(sweeps_.one(of("1"))->body);
  EXPECT_EQ(one["axes"], Json::array({"batch"}));
  EXPECT_EQ(one["tasks"][1]["configuration"]["batch"], "16");
  EXPECT_EQ(sweeps_.one(of("2")).error().code, ErrorCode::not_found);
}

TEST_F(SweepsTest, AFinishedSweepIsNeitherCancelledNorResumed) {
  add();
  SweepStore store = *SweepStore::open(home_.path() / "tacho.db");
  ASSERT_TRUE(store.set_state(1, SweepState::finished).ok());
  EXPECT_EQ(sweeps_.cancel(of("1"))->status, 409);
  EXPECT_EQ(sweeps_.resume(of("1"))->status, 409);
}

}  // namespace
}  // namespace tacho::serve
