#include "base/json_object.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

TEST(JsonText, ReplacesBytesThatAreNotUtf8InsteadOfThrowing) {
  EXPECT_EQ(json_text(Json("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
}

TEST(JsonObject, ReadsEveryKindOfField) {
  const Json value = {
      {"name", "mlp"}, {"batch", 64}, {"rate", 0.5}, {"on", true}, {"times", {1.0, nullptr}}};
  JsonObject object(value, "spec");
  std::string name;
  std::int64_t batch = 0;
  double rate = 0;
  bool on = false;
  std::vector<double> times;
  std::optional<std::int64_t> absent;
  object.read("name", name);
  object.read("batch", batch);
  object.read("rate", rate);
  object.read("on", on);
  object.read("times", times);
  object.read_optional("absent", absent);
  ASSERT_TRUE(object.finish().ok());
  EXPECT_EQ(name, "mlp");
  EXPECT_EQ(batch, 64);
  EXPECT_EQ(rate, 0.5);
  EXPECT_TRUE(on);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_TRUE(std::isnan(times[1]));
  EXPECT_FALSE(absent.has_value());
}

TEST(JsonObject, RefusesAnUnknownKeyAndSuggestsTheNearest) {
  const Json value = {{"bacth", 64}};
  JsonObject object(value, "spec");
  std::optional<std::int64_t> batch;
  object.read_optional("batch", batch);
  const auto done = object.finish();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message,
            "spec: unknown key 'bacth'; did you mean 'batch'? (known: batch)");
}

TEST(JsonObject, RefusesAnythingElseInAListOfWholeNumbers) {
  const Json value = {{"good", {1, -2}}, {"bad", {1, 2.5}}};
  std::vector<std::int64_t> list;
  JsonObject object(value, "spec");
  object.read("good", list);
  EXPECT_EQ(list, (std::vector<std::int64_t>{1, -2}));
  object.read("bad", list);
  EXPECT_EQ(object.finish().error().message,
            "spec: 'bad': contains something that is not a whole number");
}

TEST(JsonObject, NamesTheKeyOfAWrongType) {
  const Json value = {{"batch", "many"}};
  JsonObject object(value, "spec");
  std::int64_t batch = 7;
  object.read("batch", batch);
  EXPECT_EQ(object.finish().error().message, "spec: 'batch': not a whole number");
  EXPECT_EQ(batch, 7);
}

TEST(JsonObject, RefusesANumberTooLargeForItsType) {
  const Json value = {{"batch", 18446744073709551615ULL}};
  JsonObject object(value, "spec");
  std::int64_t batch = 0;
  object.read("batch", batch);
  EXPECT_FALSE(object.finish().ok());
}

}  // namespace
}  // namespace tacho
