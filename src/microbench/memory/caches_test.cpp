#include "microbench/memory/caches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;

class Machine : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) {
    const auto path = folder_.path() / "sys/devices/system" / file;
    ASSERT_TRUE(make_folders(path.parent_path()).ok());
    std::ofstream(path) << text << '\n';
  }
  void cache(int index, const char* level, const char* type, const char* size, const char* cpus) {
    const std::string folder = "cpu/cpu0/cache/index" + std::to_string(index) + "/";
    put(folder + "level", level);
    put(folder + "type", type);
    put(folder + "size", size);
    put(folder + "shared_cpu_list", cpus);
  }
  ScratchFolder folder_;
};

TEST_F(Machine, HasDataCachesWithTheirSharers) {
  cache(0, "1", "Data", "48K", "0,28");
  cache(1, "1", "Instruction", "32K", "0,28");
  cache(2, "2", "Unified", "2M", "0,28");
  cache(3, "3", "Unified", "107520K", "0-55");
  EXPECT_THAT(read_caches(folder_.path()),
              ElementsAre(CacheLevel{"L1", Bytes{48 << 10}, 2}, CacheLevel{"L2", Bytes{2 << 20}, 2},
                          CacheLevel{"L3", Bytes{107520 << 10}, 56}));
}

TEST_F(Machine, OmitsNodesWithoutCpus) {
  put("node/has_cpu", "0-1");
  put("node/node0/cpulist", "0-1,4");
  put("node/node1/cpulist", "2-3");
  EXPECT_THAT(read_nodes(folder_.path()), ElementsAre(ElementsAre(0, 1, 4), ElementsAre(2, 3)));
}

TEST_F(Machine, HasNoCachesAndNodesWithoutSys) {
  EXPECT_TRUE(read_caches(folder_.path()).empty());
  EXPECT_TRUE(read_nodes(folder_.path()).empty());
}

}  // namespace
}  // namespace tacho::bandwidth
