#include "machine/comm/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

Greeting some_greeting() {
  return {{1, 0, "b", "boot/0/b", "10.0.0.2", 41}, 3, {"batch 64", "model resnet18"}};
}

TEST(Greeting, SurvivesTheRoundTrip) {
  const auto back = greeting_from_json(greeting_to_json(some_greeting()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, some_greeting());
}

TEST(Greeting, DistinguishesAnotherVersionFromOtherMessages) {
  Json json = greeting_to_json(some_greeting());
  json["tacho"] = kControlVersion + 1;
  json["mood"] = "good";
  EXPECT_EQ(greeting_from_json(json).error().code, ErrorCode::newer);
  json["kind"] = "helo";
  EXPECT_EQ(greeting_from_json(json).error().code, ErrorCode::invalid);
}

TEST(Greeting, RejectsRanksOutOfRange) {
  for (const Json& rank : {Json(-1), Json(std::int64_t{1} << 40), Json("1"), Json(nullptr)}) {
    Json json = greeting_to_json(some_greeting());
    json["member"]["rank"] = rank;
    EXPECT_FALSE(greeting_from_json(json).ok()) << rank;
  }
}

TEST(Greeting, SurvivesDamagedText) {
  const std::string whole = json_text(greeting_to_json(some_greeting()));
  Random random(1, 0);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = whole;
    for (std::int64_t hits = random.below(4); hits >= 0; --hits) {
      const auto at =
          static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
      switch (random.below(3)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, static_cast<std::size_t>(random.below(20)));
          break;
        default:
          text.insert(at, text.substr(text.size() / 2, static_cast<std::size_t>(random.below(9))));
      }
      if (text.empty()) text = "{";
    }
    const auto json = parse_json(text);
    if (!json.ok() || !greeting_from_json(*json).ok()) ++refused;
  }
  // Most damaged texts are rejected; the others only have a character of a string changed.
  EXPECT_GT(refused, 3000);
  EXPECT_LT(refused, 5000);
}

TEST(Members, SurviveTheRoundTripInRankOrder) {
  const std::vector<Member> members = {{0, 0, "a", "m", "10.0.0.1", 1},
                                       {1, 1, "b", "n", "10.0.0.2", 2}};
  EXPECT_EQ(*members_from_json(members_to_json(members)), members);
  EXPECT_FALSE(members_from_json(members_to_json({members[1], members[0]})).ok());
  EXPECT_FALSE(members_from_json(Json::parse(R"({"kind":"members","members":7})")).ok());
}

TEST(FirstDifference, NamesBothRanksAndBothLines) {
  const Member b{1, 0, "b", "", "", 41};
  const Member a{0, 0, "a", "", "", 40};
  EXPECT_EQ(first_difference(b, {"x", "batch 32"}, a, {"x", "batch 64"}),
            "rank 1 (host b, pid 41) has 'batch 32' where rank 0 (host a, pid 40) has 'batch 64'");
  EXPECT_EQ(first_difference(b, {"x"}, a, {"x", "y"}),
            "rank 1 (host b, pid 41) has nothing where rank 0 (host a, pid 40) has 'y'");
  EXPECT_EQ(first_difference(b, {"x"}, a, {"x"}), "");
}

}  // namespace
}  // namespace tacho
