#include "base/yaml_object.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

YamlNode node_of(std::string_view text) { return *parse_yaml(text, "grid.yaml"); }

TEST(YamlObject, ReadsEveryKindOfField) {
  const YamlNode node = node_of("name: x\nruns: 5\nshare: 0.5\ntime: 10m\nmemory: 8G\n");
  YamlObject object(node, "grid.yaml");
  std::string name;
  std::optional<std::int64_t> runs;
  std::optional<double> share;
  std::optional<double> absent;
  std::optional<Seconds> time;
  std::optional<Bytes> memory;
  object.read("name", name);
  object.read("runs", runs);
  object.read("share", share);
  object.read("absent", absent);
  object.read("time", time);
  object.read("memory", memory);
  ASSERT_TRUE(object.finish().ok());
  EXPECT_EQ(name, "x");
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(share, 0.5);
  EXPECT_FALSE(absent);
  EXPECT_EQ(time, Seconds(600));
  EXPECT_EQ(memory, Bytes{8LL << 30});
}

TEST(YamlObject, NamesTheNearestKnownKeyAndThePosition) {
  const YamlNode node = node_of("name: x\nrepaet: 5\n");
  YamlObject object(node, "grid.yaml");
  std::string name;
  std::optional<std::int64_t> repeat;
  object.read("name", name);
  object.read("repeat", repeat);
  EXPECT_EQ(object.finish().error().message,
            "grid.yaml:2:1: unknown key 'repaet'; did you mean 'repeat'? (known: name, repeat)");
}

TEST(YamlObject, ExplainsAnInvalidValue) {
  const auto message = [](std::string_view text, auto read) {
    const YamlNode node = node_of(text);
    return read(*node.find("x"), "grid.yaml").error().message;
  };
  EXPECT_EQ(message("x: 1.5", yaml_whole), "grid.yaml:1:4: '1.5' is not a whole number");
  EXPECT_EQ(message("x: [1]", yaml_whole), "grid.yaml:1:4: expected a single value, not a list");
  EXPECT_EQ(message("x: nan", yaml_number), "grid.yaml:1:4: 'nan' is not a number");
  EXPECT_EQ(message("x: 5 eggs", yaml_duration),
            "grid.yaml:1:4: '5 eggs' is not a valid duration; write one like 90s, 10m or 1h30m");
  EXPECT_EQ(message("x: 0s", yaml_duration), "grid.yaml:1:4: '0s' is not greater than zero");
  EXPECT_EQ(message("x: 8", yaml_bytes),
            "grid.yaml:1:4: '8' is not a valid size; write one like 512M or 2G");
}

TEST(YamlObject, RefusesWhatIsNotAMap) {
  const YamlNode node = node_of("[1, 2]");
  EXPECT_EQ(YamlObject(node, "grid.yaml").finish().error().message,
            "grid.yaml:1:1: expected a map, not a list");
}

}  // namespace
}  // namespace tacho
