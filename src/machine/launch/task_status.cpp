#include "machine/launch/task_status.h"

#include <unistd.h>

#include <array>

#include "base/json_object.h"

namespace tacho {

std::string write_status(const TaskStatus& status) {
  Json json = Json::object();
  if (status.status) {
    json["code"] = status.status->code;
    json["signal"] = status.status->signal;
  }
  json["ended_by"] = kEndedBy.of(status.ended_by);
  json["where"] = status.where;
  json["reason"] = status.reason;
  return json_text(json) + "\n";
}

Result<TaskStatus> read_status(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  TaskStatus status;
  std::optional<std::int64_t> code;
  std::optional<std::int64_t> signal;
  JsonObject object(json, "status");
  object.read_optional("code", code);
  object.read_optional("signal", signal);
  object.read_name("ended_by", kEndedBy, status.ended_by);
  object.read("where", status.where);
  object.read("reason", status.reason);
  TACHO_CHECK(object.finish());
  if (code.has_value() != signal.has_value() || code.value_or(0) < 0 || code.value_or(0) > 255 ||
      signal.value_or(0) < 0 || signal.value_or(0) > 127) {
    return Error{ErrorCode::invalid, "'code' and 'signal' are not valid for a process"};
  }
  if (code) status.status = ExitStatus{static_cast<int>(*code), static_cast<int>(*signal)};
  return status;
}

TaskUpdate update_of(const std::string& key, const TaskStatus& status) {
  return {.key = key,
          .state = TaskState::ended,
          .status = status.status,
          .ended_by = status.ended_by,
          .where = status.where,
          .reason = status.reason};
}

std::string explain(const std::optional<ExitStatus>& status, EndedBy ended_by) {
  std::string how = status && !status->success() ? describe(*status) : "";
  const auto because = [&how](const char* what) {
    return how.empty() ? std::string(what) : what + (" (" + how + ")");
  };
  switch (ended_by) {
    case EndedBy::itself:
      return how;
    case EndedBy::time_limit:
      return because("reached its time limit");
    case EndedBy::out_of_memory:
      return because("ran out of memory");
    case EndedBy::cancel:
      return because("was cancelled");
  }
  broken_invariant("unknown reason of an end");
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

}  // namespace tacho
