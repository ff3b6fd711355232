#include "core/record/configuration.h"

#include <algorithm>
#include <map>
#include <set>

namespace tacho {

const std::string* Configuration::find(std::string_view name) const {
  const auto at = std::find_if(options_.begin(), options_.end(),
                               [name](const Option& option) { return option.first == name; });
  return at == options_.end() ? nullptr : &at->second;
}

void Configuration::set(std::string_view name, std::string value) {
  for (auto& [known, old] : options_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  options_.emplace_back(name, std::move(value));
}

bool Configuration::has(const Configuration& part) const {
  return std::all_of(part.options_.begin(), part.options_.end(), [this](const Option& option) {
    const std::string* value = find(option.first);
    return value != nullptr && *value == option.second;
  });
}

Configuration Configuration::without(std::string_view name) const {
  Configuration rest = *this;
  std::erase_if(rest.options_, [name](const Option& option) { return option.first == name; });
  return rest;
}

std::string to_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration.options()) {
    if (!text.empty()) text += ' ';
    text += name;
    text += '=';
    text += value;
  }
  return text;
}

std::string to_text(const Configuration& configuration, const std::vector<std::string>& names) {
  Configuration part;
  for (const std::string& name : names) {
    if (const std::string* value = configuration.find(name)) part.set(name, *value);
  }
  return to_text(part);
}

std::vector<std::string> options_that_differ(const std::vector<const Configuration*>& all) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  for (const Configuration* configuration : all) {
    for (const auto& [name, value] : configuration->options()) {
      if (!values.contains(name)) names.push_back(name);
      values[name].insert(value);
      ++counts[name];
    }
  }
  if (all.size() == 1) return names;
  std::erase_if(names, [&](const std::string& name) {
    return values[name].size() == 1 && counts[name] == all.size();
  });
  return names;
}

Json to_json(const Configuration& configuration) {
  Json json = Json::object();
  for (const auto& [name, value] : configuration.options()) json[name] = value;
  return json;
}

Result<Configuration> configuration_from_json(const Json& json) {
  const Error wrong{ErrorCode::invalid, "not a configuration"};
  if (!json.is_object()) return wrong;
  Configuration configuration;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return wrong;
    configuration.set(name, value.get<std::string>());
  }
  return configuration;
}

}  // namespace tacho
