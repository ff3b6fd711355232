#include "serving/dashboard/lab_surveys.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSurveys = 100;
constexpr Bytes kLargestSurvey{16 << 20};

// Newest first.
std::vector<std::string> keys_under(const fs::path& folder) {
  std::vector<std::string> keys;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".json") keys.push_back(entry.path().stem().string());
  }
  std::ranges::sort(keys, std::greater{});
  return keys;
}

std::string text_in(const Json& survey, const char* name) {
  const auto at = survey.find(name);
  return at != survey.end() && at->is_string() ? at->get<std::string>() : "";
}

Result<Json> read_survey(const fs::path& folder, const std::string& key) {
  TACHO_TRY(text, read_file(folder / (key + ".json"), kLargestSurvey));
  TACHO_TRY(json, parse_json(text));
  const std::string kind = json.is_object() ? text_in(json, "kind") : "";
  if (kind != "memory" && kind != "comms") {
    return Error{ErrorCode::invalid, "not a survey of 'tacho bench'"};
  }
  return json;
}

Json line_of(const Json& survey, const std::string& key) {
  Json line = {{"key", key},
               {"kind", text_in(survey, "kind")},
               {"at", text_in(survey, "at")},
               {"machine", text_in(survey, "machine")}};
  for (const char* name : {"device", "ranks", "machines", "complete"}) {
    line[name] = survey.contains(name) ? survey[name] : Json(nullptr);
  }
  return line;
}

}  // namespace

Answer list_surveys(const http::Request& request, const fs::path& home) {
  TACHO_CHECK(check_parameters(request, {}));
  const fs::path folder = home / "lab";
  Json surveys = Json::array();
  Json unreadable = Json::array();
  for (const std::string& key : keys_under(folder)) {
    const auto survey = read_survey(folder, key);
    if (survey.ok()) {
      surveys.push_back(line_of(*survey, key));
    } else {
      unreadable.push_back({{"key", key}, {"why", survey.error().message}});
    }
    if (surveys.size() == kMaxSurveys) break;
  }
  return json_answer({{"surveys", std::move(surveys)}, {"unreadable", std::move(unreadable)}});
}

Answer one_survey(const http::Request& request, const fs::path& home) {
  TACHO_CHECK(check_parameters(request, {}));
  const fs::path folder = home / "lab";
  const std::string& wanted = request.part("survey");
  // Accepts only listed keys, so that a key cannot be a path.
  const auto keys = keys_under(folder);
  if (std::ranges::find(keys, wanted) == keys.end()) {
    return Error{ErrorCode::not_found, "no such survey; /api/v1/lab lists them"};
  }
  TACHO_TRY(survey, read_survey(folder, wanted).in(wanted + ".json"));
  return json_answer(survey);
}

}  // namespace tacho::serve
