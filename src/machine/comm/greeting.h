#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "machine/comm/member.h"
#include "machine/comm/place.h"

namespace tacho {

// Version of the messages on the control connection. Ranks of different versions cannot connect.
inline constexpr std::int64_t kControlVersion = 2;

// The first message of a rank after authentication.
struct Greeting {
  Member self;
  int size = 1;  // WORLD_SIZE, as this rank was started
  std::vector<std::string> terms;
  bool operator==(const Greeting&) const = default;
};

// Describes this process. The address is left empty; the connection determines it.
Member member_at(const Place& place);

Json greeting_to_json(const Greeting& greeting);
// Returns ErrorCode::newer for a greeting of another version of Tacho, and ErrorCode::invalid for
// anything else that is not a greeting.
Result<Greeting> greeting_from_json(const Json& json);

Json members_to_json(const std::vector<Member>& members);
Result<std::vector<Member>> members_from_json(const Json& json);

// Describes the first line in which `theirs` differ from `ours`; "" if they are equal.
std::string first_difference(const Member& them, const std::vector<std::string>& theirs,
                             const Member& rank_0, const std::vector<std::string>& ours);

// Every message is an object with a "kind". A missing or non-string value reads as "".
std::string text_of(const Json& message, std::string_view key);
inline std::string kind_of(const Json& message) { return text_of(message, "kind"); }
std::vector<std::string> texts_of(const Json& message, std::string_view key);
// Returns the lines as another rank receives them: JSON replaces bytes that are not UTF-8.
std::vector<std::string> as_received(const std::vector<std::string>& lines);

}  // namespace tacho
