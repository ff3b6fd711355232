#include "base/json_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tacho {
namespace {

struct Member {
  std::string name;  // "" in an array
  Json value;
};

// Objects up to this size are searched; larger ones are sorted.
constexpr std::size_t kSmall = 16;

bool has_duplicates(std::span<const Member> members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (members[i].name == members[j].name) return true;
    }
  }
  return false;
}

// Moves the last value of each name to the first member of that name, and marks the others as left
// over; returns an empty list if there are none. Sorts instead of hashing, because no choice of
// names makes sorting slow.
std::vector<bool> merge_duplicates(std::span<Member> members) {
  std::vector<bool> left_over;
  if (members.size() <= kSmall && !has_duplicates(members)) return left_over;
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [members](std::size_t at) -> const std::string& { return members[at].name; });
  std::size_t first = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (members[order[i]].name != members[order[first]].name) {
      first = i;
      continue;
    }
    members[order[first]].value = std::move(members[order[i]].value);
    left_over.resize(members.size());
    left_over[order[i]] = true;
  }
  return left_over;
}

// Adds each member without searching for its name: that search makes the parser of ordered_json
// quadratic.
Json object_of(std::span<Member> members) {
  const std::vector<bool> left_over = merge_duplicates(members);
  Json object = Json::object();
  auto& made = object.get_ref<Json::object_t&>();
  made.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!left_over.empty() && left_over[i]) continue;
    made.emplace_back(std::move(members[i].name), std::move(members[i].value));
  }
  return object;
}

Json array_of(std::span<Member> items) {
  Json array = Json::array();
  auto& made = array.get_ref<Json::array_t&>();
  made.reserve(items.size());
  for (Member& item : items) made.push_back(std::move(item.value));
  return array;
}

// Receives the SAX events of nlohmann::json, which prescribes the names. Returning false stops the
// parser.
class JsonBuilder {
 public:
  explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return refuse("not JSON"); }
  bool start_object(std::size_t /*size*/) { return open(); }
  bool start_array(std::size_t /*size*/) { return open(); }
  bool end_object() { return close(object_of); }
  bool end_array() { return close(array_of); }
  bool key(std::string& name) {
    if (members_.size() - begins_.back() >= limits_.members) {
      return refuse(fmt::format("an object with more than {} members", limits_.members));
    }
    name_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& problem) {
    const auto* syntax = dynamic_cast<const Json::parse_error*>(&problem);
    return refuse(syntax == nullptr ? fmt::format("not JSON: {}", problem.what())
                                    : fmt::format("not JSON at byte {}", syntax->byte));
  }

  Result<Json> take() {
    if (error_) return *std::move(error_);
    return std::move(members_.front().value);
  }

 private:
  bool refuse(std::string why) {
    error_ = Error{ErrorCode::invalid, std::move(why)};
    return false;
  }
  bool add(Json value) {
    if (++values_ > limits_.values) {
      return refuse(fmt::format("more than {} JSON values", limits_.values));
    }
    members_.push_back({std::exchange(name_, {}), std::move(value)});
    return true;
  }
  // Adds a placeholder, which close() replaces with the complete value.
  bool open() {
    if (begins_.size() >= limits_.depth) {
      return refuse(fmt::format("JSON nested more than {} levels deep", limits_.depth));
    }
    if (!add(nullptr)) return false;
    begins_.push_back(members_.size());
    return true;
  }
  bool close(Json (*made_of)(std::span<Member>)) {
    const std::size_t begin = begins_.back();
    begins_.pop_back();
    Json made = made_of(std::span(members_).subspan(begin));
    members_.resize(begin);
    members_.back().value = std::move(made);
    return true;
  }

  const JsonLimits& limits_;
  std::vector<Member> members_;      // of all open values, the outermost first
  std::vector<std::size_t> begins_;  // index of the first member of each open value
  std::string name_;                 // of the next member
  std::size_t values_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  JsonBuilder builder(limits);
  Json::sax_parse(text, &builder);
  return builder.take();
}

Result<Json> parse_json(std::string_view text) { return parse_json(text, JsonLimits{}); }

}  // namespace tacho
