#include "base/json_fields.h"

#include <gmock/gmock.h>

#include "base/names.h"

namespace tacho {

enum class Paint { red, blue };
constexpr Names<Paint, 2> kPaints{"paint", {{{Paint::red, "red"}, {Paint::blue, "blue"}}}};

struct Wheel {
  double size = 0;
  bool operator==(const Wheel&) const = default;
};

struct Cart {
  std::string name;
  Paint paint = Paint::red;
  Paint trim = Paint::red;
  std::optional<double> load;
  std::optional<std::int64_t> riders;
  std::int64_t doors = 2;
  Wheel spare;
  std::vector<Wheel> wheels;
  std::vector<std::string> notes;
  std::map<std::string, double> costs;
  bool operator==(const Cart&) const = default;
};

void describe(auto&& f, Is<Wheel> auto& w) { f("size", w.size); }

void describe(auto&& f, Is<Cart> auto& c) {
  f("name", c.name);
  f("paint", Named{c.paint, kPaints});
  f("trim", Added{Named{c.trim, kPaints}});
  f("load", c.load);
  f("riders", OrNull{c.riders});
  f("doors", Added{c.doors});
  f("spare", c.spare);
  f("wheels", c.wheels);
  f("notes", IfAny{c.notes});
  f("costs", Added{c.costs});
  f("weight", Derived{});
}

namespace {

using testing::HasSubstr;

constexpr const char* kSmall =
    R"({"name":"a","paint":"blue","trim":"red","riders":null,"doors":2,"spare":{"size":0.0},)"
    R"("wheels":[],"costs":{}})";

Cart whole_cart() {
  return {"b", Paint::blue, Paint::blue,    1.5,           4, 3,
          {9}, {{1}, {2}},  {"old", "red"}, {{"paint", 7}}};
}

std::string error_in(const std::string& text, Numbers numbers = Numbers::any) {
  const auto read = read_json<Cart>(*parse_json(text), "cart", numbers);
  return read.ok() ? "" : read.error().message;
}

std::string changed(std::string_view from, std::string_view to) {
  std::string text = kSmall;
  return text.replace(text.find(from), from.size(), to);
}

TEST(JsonFields, AreWrittenInTheirOrder) {
  EXPECT_EQ(json_text(json_of(Cart{.name = "a", .paint = Paint::blue})), kSmall);
}

TEST(JsonFields, SurviveTheRoundTrip) {
  for (const Cart& cart : {whole_cart(), Cart{}}) {
    const auto back = read_json<Cart>(*parse_json(json_text(json_of(cart))), "cart");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, cart);
  }
}

TEST(JsonFields, AddedOnesMayBeAbsentAndOthersNot) {
  EXPECT_EQ(error_in(R"({"name":"a","paint":"red","spare":{"size":1},"wheels":[]})"), "");
  EXPECT_EQ(error_in(R"({"name":"a","spare":{"size":1},"wheels":[]})"), "cart: 'paint': missing");
}

TEST(JsonFields, DerivedOnesAreIgnored) {
  EXPECT_EQ(error_in(changed("\"costs\":{}", "\"costs\":{},\"weight\":\"7 kg\"")), "");
}

TEST(JsonFields, ErrorsNameTheirPlace) {
  EXPECT_EQ(error_in("[]"), "cart: not a JSON object");
  EXPECT_EQ(error_in(changed("\"wheels\":[]", "\"wheels\":7")), "cart: 'wheels': not a list");
  EXPECT_EQ(error_in(changed("[]", "[{\"size\":1},{\"size\":\"x\"}]")),
            "cart: wheels 2: 'size': not a number");
  EXPECT_EQ(error_in(changed("\"costs\":{}", "\"costs\":7")), "cart: costs: not a JSON object");
  EXPECT_EQ(error_in(changed("\"costs\":{}", "\"costs\":{\"a\":\"b\"}")),
            "cart: costs: 'a': not a number");
  EXPECT_THAT(error_in(changed("blue", "bleu")), HasSubstr("did you mean 'blue'"));
  EXPECT_THAT(error_in(changed("doors", "door")), HasSubstr("unknown key 'door'"));
  EXPECT_EQ(error_in(changed("\"wheels\":[]", "\"wheels\":[],\"notes\":[1]")),
            "cart: 'notes': contains something that is not a string");
}

TEST(JsonFields, MayRequireFiniteNumbers) {
  const std::string text = changed("0.0", "null");
  EXPECT_EQ(error_in(text), "");
  EXPECT_EQ(error_in(text, Numbers::finite), "cart: spare: 'size': not a number");
}

}  // namespace
}  // namespace tacho
