// The JSON reader with damaged texts and with very deep, many or large values. Except for the depth
// limit, it must accept the same texts as nlohmann's parser.
#include <string>

#include "base/json_parser.h"
#include "fuzz_loop.h"
#include "generated_json.h"

namespace tacho {
namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_json: %s\n", what);
  std::abort();
}

bool read(const std::string& text) {
  const auto parsed = parse_json(text);
  const auto limited = parse_json(text, kRequestJson);
  check(parsed.ok() || !limited.ok(), "limits made something acceptable");
  if (text.size() < 10'000) {  // nlohmann's time is quadratic in the number of names
    const Json other = Json::parse(text, nullptr, false);
    const bool deep =
        !parsed.ok() && parsed.error().message.find("levels deep") != std::string::npos;
    check(deep || parsed.ok() != other.is_discarded(), "another parser disagrees");
    check(!parsed.ok() || json_text(*parsed) == json_text(other), "another parser reads otherwise");
  }
  if (!parsed.ok()) return false;
  const Json copy = *parsed;
  const std::string written = json_text(copy);
  check(json_text(*parse_json(written)) == written, "does not come back as it was");
  return true;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const std::string sample =
      R"({"a":[1,-2.5e3,true,null,"\u00e9\ud83d\ude00"],"b":{"c":{},"a":[[]]},"a":"\\\"\n"})";
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  tacho::Random random = tacho::Random::scattered(seed + 1);
  tacho::JsonGenerator generate(tacho::Random::scattered(seed + 2));
  return tacho::fuzz(argc, argv, {sample}, tacho::read, [&](std::string& input) {
    if (random.below(8) == 0) input = generate();
  });
}
