#include "core/record/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <random>

#include "base/clock.h"
#include "base/confined_file.h"
#include "core/record/run_secrets.h"

namespace tacho {
namespace {

constexpr std::int64_t kOrderVersion = 1;
constexpr Bytes kLargestOrder{1 << 20};

// Reads spec.json without restoring or masking secrets.
Result<RunOrder> read_as_written(const RunFolder& folder) {
  const auto text = read_confined(folder.path(), folder.order(), kLargestOrder);
  if (!text.ok() && text.error().code == ErrorCode::not_found) {
    return Error{ErrorCode::not_found,
                 folder.path().string() + ": not a run's folder (it has no spec.json)"};
  }
  if (!text.ok()) return text.error();
  const auto read = [&]() -> Result<RunOrder> {
    TACHO_TRY(json, parse_json(*text));
    JsonObject object(json, "order");
    std::int64_t version = 0;
    RunOrder order;
    object.read("version", version);
    if (version > kOrderVersion) {
      return Error{ErrorCode::newer, "written by a newer tacho; update tacho"};
    }
    object.read("key", order.key);
    object.read("created_at", order.created_at);
    TACHO_CHECK(read_what_was_asked(object, order));
    TACHO_CHECK(object.finish());
    return order;
  };
  return read().in(folder.order().string());
}

}  // namespace

std::string new_run_key() {
  std::random_device random;
  return fmt::format("{:%Y%m%d-%H%M%S}-{:06x}", fmt::gmtime(std::time(nullptr)),
                     random() & 0xFFFFFFU);
}

RunOrder new_order(const RunSpec& spec) { return {new_run_key(), unix_seconds_now(), spec}; }

RunOrder new_order(const TrainRequest& request) {
  RunOrder order = new_order(request.spec);
  order.environment = request.environment;
  order.time_limit_s = request.time_limit_s;
  return order;
}

RunOrder new_order(const CommandSpec& command) {
  RunOrder order = new_order(RunSpec{});
  order.command = command;
  return order;
}

void add_what_was_asked(const RunOrder& order, Json& json) {
  if (order.command) {
    json["command"] = to_json(*order.command);
  } else {
    json["spec"] = to_json(order.spec);
  }
  json["environment"] = to_json(order.environment);
  if (order.time_limit_s) json["time_limit_s"] = *order.time_limit_s;
}

Result<void> read_what_was_asked(JsonObject& object, RunOrder& order) {
  object.read_optional("time_limit_s", order.time_limit_s);
  // Absent in folders of versions without environments: bare.
  if (const Json* part = object.part("environment", false)) {
    TACHO_TRY(environment, environment_spec_from_json(*part));
    order.environment = std::move(environment);
  }
  if (const Json* part = object.part("command", false)) {
    TACHO_TRY(command, command_spec_from_json(*part));
    order.command = std::move(command);
    return {};
  }
  const Json* part = object.part("spec");
  if (part == nullptr) return object.finish();
  TACHO_TRY(spec, run_spec_from_json(*part));
  order.spec = std::move(spec);
  return {};
}

Result<void> RunFolder::create(const RunOrder& order) const {
  if (path_.has_parent_path()) TACHO_CHECK(make_folders(path_.parent_path()));
  // Only for this user: arguments and output of a program may be private.
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) return system_error(path_, errno);
  TACHO_CHECK(keep_secrets(*this, order));
  Json json = {{"version", kOrderVersion}, {"key", order.key}, {"created_at", order.created_at}};
  add_what_was_asked(without_secrets(order), json);
  // A power cut that damages it also ends the run, and the store contains the order.
  return write_file_atomically(this->order(), json_text(json, 2) + "\n", Outlives::kill);
}

Result<RunOrder> RunFolder::read_order() const {
  TACHO_TRY(order, read_as_written(*this));
  return without_secrets(std::move(order));
}

Result<RunOrder> read_true_order(const RunFolder& folder) {
  TACHO_TRY(order, read_as_written(folder));
  TACHO_CHECK(add_secrets(folder, order));
  return std::move(order);
}

}  // namespace tacho
