#include "serving/load/served_model.h"

#include <gmock/gmock.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(ServedModel, NamesTheLogOfAWorkerThatDoesNotStart) {
  const ScratchFolder scratch;
  const auto served = ServedModel::start("/bin/false", "no-run", {}, scratch.path());
  ASSERT_FALSE(served.ok());
  EXPECT_THAT(served.error().message, HasSubstr("did not start"));
  EXPECT_THAT(served.error().message, HasSubstr((scratch.path() / "served-model.log").string()));
}

TEST(ServedModel, ReplacesThePlaceOfTheCache) {
  EXPECT_EQ(with_redis("--cache={redis}/3", "redis://127.0.0.1:1"),
            "--cache=redis://127.0.0.1:1/3");
  EXPECT_EQ(with_redis("--cache=memory", "redis://127.0.0.1:1"), "--cache=memory");
}

}  // namespace
}  // namespace tacho
