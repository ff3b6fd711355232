#include "serving/dashboard/run_control.h"

#include <fmt/format.h>

#include "experiments/runner/run_state.h"
#include "experiments/runner/runner.h"
#include "serving/dashboard/detached_command.h"
#include "serving/dashboard/run_json.h"
#include "serving/http/problem.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

const std::atomic<int> kNoInterrupts = 0;

Answer run_answer(RunStore& store, const std::string& handle, int status) {
  TACHO_TRY(run, store.find(handle));
  std::string json;
  append_run(json, run.row);
  http::Response response = text_answer(std::move(json), "application/json");
  response.status = status;
  response.headers.emplace_back("Location", fmt::format("/api/v1/runs/{}", run.row.id));
  return response;
}

}  // namespace

Result<RunSettings> settings_from_json(const Json& json) {
  JsonObject object(json, "the request");
  RunSettings settings;
  std::optional<Error> wrong;
  for (const RunOption& option : run_options()) {
    if (option.is(kLocal)) continue;
    const std::string key = option.api_key();
    const Json* value = object.part(key, option.name == "model" || option.name == "data");
    if (value == nullptr) continue;
    if (value->is_string()) {
      settings.emplace_back(option.name, value->get<std::string>());
    } else if (value->is_number() || value->is_boolean()) {
      settings.emplace_back(option.name, json_text(*value));
    } else if (!wrong) {
      wrong = Error{ErrorCode::invalid,
                    fmt::format("the request: {} must be a number, a string, true or false", key)};
    }
  }
  TACHO_CHECK(object.finish());
  if (wrong) return *wrong;
  return settings;
}

Json job_properties() {
  constexpr auto type_of = [](OptionType type) {
    switch (type) {
      case OptionType::flag:
        return "boolean";
      case OptionType::integer:
        return "integer";
      case OptionType::number:
        return "number";
      case OptionType::choice:
      case OptionType::text:
        break;
    }
    return "string";
  };
  Json properties = Json::object();
  for (const RunOption& option : run_options()) {
    if (option.is(kLocal)) continue;
    Json& property = properties[option.api_key()];
    property = {{"type", type_of(option.type)}, {"description", option.help}};
    if (!option.choices.empty()) property["enum"] = option.choices;
  }
  return properties;
}

Answer RunControl::start(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  TACHO_TRY(settings, settings_from_json(json));
  TACHO_CHECK(train_request(settings));
  TACHO_TRY(slot, slots_.take());
  if (!slot) return slots_.refusal();
  TACHO_TRY(id,
            start_detached(
                {program_, home_, {"train", "--settings", json_text(Json(settings))}, {slot.get()}},
                "run"));
  TACHO_TRY(store, stores_.take());
  return run_answer(*store, std::to_string(id), 201);
}

Answer RunControl::cancel(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, store->find(request.part("run")));
  if (!ask_owner_to_stop(RunFolder(run.row.folder))) {
    return http::problem(409, fmt::format("run {} is not running on this machine", run.row.id));
  }
  return json_answer({{"id", run.row.id}, {"cancel_requested", true}}, 202);
}

Answer RunControl::edit(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  JsonObject object(json, "the request");
  RunEdits asked;
  std::optional<bool> archived;
  object.read_optional("name", asked.name);
  object.read_optional("project", asked.project);
  object.read_optional("tags", asked.tags);
  object.read_optional("notes", asked.notes);
  object.read_optional("archived", archived);
  TACHO_CHECK(object.finish());
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, store->edit(request.part("run"), [&](const RunRecord&, RunEdits& edits) {
    if (asked.name) edits.name = asked.name;
    if (asked.project) edits.project = asked.project;
    if (asked.tags) edits.tags = asked.tags;
    if (asked.notes) edits.notes = asked.notes;
    edits.archived = archived.value_or(edits.archived);
    return Result<void>();
  }));
  return run_answer(*store, std::to_string(run.id), 200);
}

Answer RunControl::remove(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_CHECK(check_empty_body(request));
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, store->find(request.part("run")));
  if (is_being_worked_on(RunFolder(run.row.folder))) {
    return http::problem(409, fmt::format("run {} is still running; cancel it first", run.row.id));
  }
  TACHO_TRY(with_folder, Runner(home_, *store, kNoInterrupts).remove(run.row, false));
  return json_answer({{"id", run.row.id}, {"folder_deleted", with_folder}});
}

Answer RunControl::ingest(const http::Request& request) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(json, body_of(request));
  JsonObject object(json, "the request");
  std::string name;
  object.read("folder", name);
  TACHO_CHECK(object.finish());
  std::error_code failure;
  const fs::path runs = fs::canonical(home_ / "runs", failure);
  const fs::path folder = failure ? fs::path() : fs::canonical(runs / name, failure);
  if (failure || folder.parent_path() != runs) {
    return Error{ErrorCode::not_found,
                 fmt::format("there is no folder '{}' in {}; use 'tacho runs ingest' for folders "
                             "elsewhere",
                             name, (home_ / "runs").string())};
  }
  TACHO_TRY(store, stores_.take());
  TACHO_TRY(run, Runner(home_, *store, kNoInterrupts).ingest(folder));
  return run_answer(*store, std::to_string(run.id), 201);
}

Result<void> RunControl::reconcile() {
  TACHO_TRY(store, stores_.take());
  return Runner(home_, *store, kNoInterrupts).reconcile();
}

}  // namespace tacho::serve
