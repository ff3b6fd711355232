// spec.json in a run's folder, as read by `tacho runs ingest`, and its secrets.
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/record/run_folder.h"
#include "core/record/run_record.h"
#include "core/record/run_secrets.h"
#include "fuzz_loop.h"

namespace tacho {
namespace {

RunOrder training() {
  RunOrder order = new_order(RunSpec{.model = "mlp", .data = "synthetic"});
  order.environment = {.kind = EnvironmentKind::podman, .image = "localhost/x", .cpus = 1.5};
  order.environment.binds = {{"/data", "/data", true}};
  order.environment.variables = {{"OMP_NUM_THREADS", "2"}, {"PASSWORD", "hunter2"}};
  order.time_limit_s = 90;
  return order;
}

RunOrder program() {
  return new_order(CommandSpec{
      .argv = {"python3", "a.py", "--token", "abc", "API_KEY=x"}, .folder = "/work", .batch = 64});
}

std::string text_of(const RunOrder& order) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  if (!folder.create(order).ok()) std::abort();
  return *read_file(folder.order());
}

// Deeper and longer than any damaged small sample.
std::string nested(std::size_t depth) {
  return R"({"version": 1, "key": "k", "created_at": 1, "spec": )" + std::string(depth, '[') +
         std::string(depth, ']') + "}";
}
std::string many_members(std::size_t count) {
  std::string text =
      R"({"version": 1, "key": "k", "created_at": 1, "environment": {"variables": {)";
  for (std::size_t i = 0; i < count; ++i) text += "\"v" + std::to_string(i) + "\": \"x\", ";
  return text + R"("z": "x"}}, "spec": {}})";
}

// Damaged bytes are rarely JSON. Most of them are replaced by a valid spec with some changed
// values.
void change_values(std::string& text) {
  static const std::array<Json, 12> kOdd = {Json(nullptr),
                                            Json(true),
                                            Json(0),
                                            Json(-1),
                                            Json(INT64_MAX),
                                            Json(1e308),
                                            Json(0.5),
                                            Json(""),
                                            Json("--token=a"),
                                            Json("k"),
                                            Json::array({"a", 1}),
                                            Json::object({{"a", ""}})};
  Random random = Random::scattered(std::hash<std::string>()(text));
  static const std::array<Json, 2> kOrders = {*parse_json(text_of(training())),
                                              *parse_json(text_of(program()))};
  Json json = kOrders.at(static_cast<std::size_t>(random.below(2)));
  for (auto rounds = 1 + random.below(3); rounds > 0; --rounds) {
    const Json places = json.flatten();
    const auto which = static_cast<std::size_t>(random.below(std::ssize(places)));
    const auto place = std::next(places.begin(), static_cast<std::ptrdiff_t>(which)).key();
    json[Json::json_pointer(place)] =
        kOdd.at(static_cast<std::size_t>(random.below(std::ssize(kOdd))));
  }
  text = json_text(json);
}

class Reader {
 public:
  // An accepted spec shows no secret, and its record can be written and read.
  bool operator()(const std::string& text) {
    if (!write_file_atomically(folder_.order(), text, Outlives::kill).ok()) std::abort();
    (void)read_true_order(folder_).ok();
    const auto order = folder_.read_order();
    if (!order.ok()) return false;
    for (const auto& [name, value] : order->environment.variables) {
      if (value != "***") std::abort();
    }
    const std::string written = json_text(to_json(fold(*order, {})));
    const auto again = run_record_from_json(*parse_json(written));
    if (!again.ok() || json_text(to_json(*again)) != written) std::abort();
    return true;
  }

 private:
  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path()};
};

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using tacho::text_of;
  tacho::Reader read;
  return tacho::fuzz(
      argc, argv,
      {text_of(tacho::training()), text_of(tacho::program()), tacho::nested(100'000),
       tacho::many_members(2000)},
      [&](const std::string& text) { return read(text); }, tacho::change_values);
}
