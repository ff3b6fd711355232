#include "serving/infer/api_docs.h"

#include <fmt/format.h>

#include "base/version.h"

namespace tacho::infer {
namespace {

Json text_schema() { return {{"type", "string"}}; }
Json number_schema() { return {{"type", "number"}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json object_of(const Json& properties) {
  Json required = Json::array();
  for (const auto& [name, schema] : properties.items()) required.push_back(name);
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

Json content(std::string_view type, Json schema) {
  return {{"content", {{type, {{"schema", std::move(schema)}}}}}};
}

Json answer_schema(Compat compat) {
  if (compat == Compat::fastapi) {
    return object_of(
        {{"predictions",
          list_of(list_of(object_of({{"label", text_schema()}, {"score", number_schema()}})))}});
  }
  return object_of({{"model", text_schema()},
                    {"predictions", list_of(object_of({{"label", text_schema()},
                                                       {"index", {{"type", "integer"}}},
                                                       {"probabilities", list_of(number_schema())},
                                                       {"cached", {{"type", "boolean"}}}}))}});
}

// Each request may also get one of these.
void add_problems(Json& responses) {
  for (const auto& [status, meaning] :
       {std::pair("400", "invalid request"), std::pair("413", "body too large"),
        std::pair("503", "queue full or model loading"), std::pair("504", "deadline exceeded")}) {
    Json problem = content("application/problem+json", {{"type", "object"}});
    problem["description"] = meaning;
    responses[status] = problem;
  }
}

Json completion_operation() {
  const Json text = text_schema();
  const Json integer = {{"type", "integer"}};
  const Json flag = {{"type", "boolean"}};
  const Json texts = {{"oneOf", Json::array({text, list_of(text)})}};
  Json form = object_of({{"prompt", texts},
                         {"max_tokens", integer},
                         {"temperature", number_schema()},
                         {"top_p", number_schema()},
                         {"top_k", integer},
                         {"n", integer},
                         {"seed", integer},
                         {"stop", texts},
                         {"echo", flag},
                         {"stream", flag},
                         {"stream_options", object_of({{"include_usage", flag}})},
                         {"model", text}});
  form["required"] = Json::array({"prompt"});
  Json body = content("application/json", std::move(form));
  body["required"] = true;
  const Json choice = object_of({{"text", text},
                                 {"index", integer},
                                 {"logprobs", {{"type", "null"}}},
                                 {"finish_reason", {{"enum", Json::array({"stop", "length"})}}}});
  Json done =
      content("application/json", object_of({{"id", text},
                                             {"object", text},
                                             {"created", integer},
                                             {"model", text},
                                             {"choices", list_of(choice)},
                                             {"usage", object_of({{"prompt_tokens", integer},
                                                                  {"completion_tokens", integer},
                                                                  {"total_tokens", integer}})}}));
  done["content"]["text/event-stream"] = Json::object();
  done["description"] = "one choice per prompt and per n; with \"stream\" as server-sent events";
  Json responses = {{"200", done}};
  add_problems(responses);
  return {{"summary", "continue texts, as OpenAI's API does"},
          {"requestBody", body},
          {"responses", responses}};
}

Json predict_operation(InputKind input, Compat compat) {
  const bool text = input == InputKind::text;
  const Json list = list_of(text_schema());
  Json body = content("application/json", object_of({{text ? "text" : "images", list}}));
  body["required"] = true;
  if (!text) {
    for (const char* type : {"image/jpeg", "image/png"}) body["content"][type] = Json::object();
  }
  Json done = content("application/json", answer_schema(compat));
  done["description"] = "one prediction per input, in order";
  Json responses = {{"200", done}};
  add_problems(responses);
  return {{"summary", text ? "classify texts"
                           : "classify images: base64 in JSON, or one JPEG or "
                             "PNG as the body"},
          {"requestBody", body},
          {"responses", responses}};
}

Json get_operation(std::string_view summary, std::string_view type = "application/json") {
  Json done = content(type, Json::object());
  done["description"] = summary;
  return {{"get", {{"summary", summary}, {"responses", {{"200", done}}}}}};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Json openapi_json(InputKind input, Compat compat) {
  Json document = {{"openapi", "3.1.0"},
                   {"info", {{"title", "tacho infer"}, {"version", std::string(kVersion)}}}};
  Json& paths = document["paths"];
  if (input == InputKind::documents) {
    paths["/v1/completions"] = {{"post", completion_operation()}};
    paths["/v1/models"] = get_operation("the served model, as OpenAI's API lists it");
  } else {
    paths["/predict"] = {{"post", predict_operation(input, compat)}};
  }
  paths["/health"] = get_operation("200 while the process runs");
  paths["/ready"] = get_operation("200 while it accepts requests, 503 while the model loads");
  paths["/model"] =
      get_operation("facts about the model, such as its name, digest and input shape");
  paths["/metrics"] = get_operation("metrics for Prometheus", "text/plain");
  return document;
}

std::string docs_page(const Json& openapi) {
  std::string rows;
  for (const auto& [path, operations] : openapi["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      rows += fmt::format("<tr><td>{}<td>{}<td>{}\n", method == "get" ? "GET" : "POST",
                          escaped(path), escaped(operation["summary"].get<std::string>()));
    }
  }
  const auto first = openapi["paths"].begin();  // the one with a body
  const Json& post = first.value()["post"];
  const auto schema = [](const Json& part) {
    return escaped(json_text(part["content"]["application/json"]["schema"], 1));
  };
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>tacho infer</title>\n"
      "<style>body{{font-family:sans-serif;max-width:50em;margin:2em auto}}"
      "td{{padding:.2em 1em .2em 0}}</style>\n"
      "<h1>tacho infer</h1><table>\n{}</table>\n"
      "<h2>Body of POST {}</h2><pre>{}</pre>\n"
      "<h2>Its answer</h2><pre>{}</pre>\n"
      "<p>For programs: <a href=\"openapi.json\">openapi.json</a></html>\n",
      rows, first.key(), schema(post["requestBody"]), schema(post["responses"]["200"]));
}

}  // namespace tacho::infer
