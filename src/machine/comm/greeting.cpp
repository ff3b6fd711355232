#include "machine/comm/greeting.h"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/file.h"
#include "machine/comm/shm_process.h"

namespace tacho {
namespace {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

// Distinguishes machines with the same host name; "" if it cannot be read.
std::string boot_id() {
  const auto id = read_file("/proc/sys/kernel/random/boot_id", Bytes{256});
  return id.ok() ? id->substr(0, id->find('\n')) : "";
}

Json member_to_json(const Member& member) {
  return {{"rank", member.rank},       {"node", member.node},       {"host", member.host},
          {"machine", member.machine}, {"address", member.address}, {"pid", member.pid}};
}

void read_whole(JsonObject& object, std::string_view key, int& out) {
  std::int64_t wide = -1;
  object.read(key, wide);
  // Out of range becomes -1, which is not a valid rank.
  out = static_cast<int>(wide < 0 || wide > std::numeric_limits<int>::max() ? -1 : wide);
}

Result<Member> member_from_json(const Json& json) {
  Member member;
  JsonObject object(json, "member");
  read_whole(object, "rank", member.rank);
  read_whole(object, "node", member.node);
  object.read("host", member.host);
  object.read("machine", member.machine);
  object.read("address", member.address);
  object.read("pid", member.pid);
  TACHO_CHECK(object.finish());
  if (member.rank < 0 || member.node < 0) {
    return Error{ErrorCode::invalid, "member: rank or node out of range"};
  }
  return member;
}

}  // namespace

std::string describe(const Member& member) {
  return fmt::format("rank {} (host {}, pid {})", member.rank, member.host, member.pid);
}

Member member_at(const Place& place) {
  const std::string host = host_name();
  return {.rank = place.rank,
          .node = place.node,
          .host = host,
          .machine = fmt::format("{}/{}/{}/{}", boot_id(), place.node, host,
                                 ProcessIdentity::of_self().pid_namespace),
          .pid = ::getpid()};
}

Json greeting_to_json(const Greeting& greeting) {
  return {{"kind", "hello"},
          {"tacho", kControlVersion},
          {"member", member_to_json(greeting.self)},
          {"size", greeting.size},
          {"terms", greeting.terms}};
}

Result<Greeting> greeting_from_json(const Json& json) {
  Greeting greeting;
  JsonObject object(json, "greeting");
  std::string kind;
  std::int64_t version = 0;
  object.read("kind", kind);
  object.read("tacho", version);
  if (kind == "hello" && version > 0 && version != kControlVersion) {
    return Error{ErrorCode::newer, "another version of Tacho"};
  }
  const Json* member = object.part("member");
  read_whole(object, "size", greeting.size);
  const Json* terms = object.part("terms");
  TACHO_CHECK(object.finish());
  if (kind != "hello" || version != kControlVersion || greeting.size < 1 || !terms->is_array()) {
    return Error{ErrorCode::invalid, "not a greeting"};
  }
  TACHO_TRY(self, member_from_json(*member));
  greeting.self = self;
  greeting.terms = texts_of(json, "terms");
  return greeting;
}

Json members_to_json(const std::vector<Member>& members) {
  Json list = Json::array();
  for (const Member& member : members) list.push_back(member_to_json(member));
  return {{"kind", "members"}, {"members", std::move(list)}};
}

Result<std::vector<Member>> members_from_json(const Json& json) {
  JsonObject object(json, "members");
  std::string kind;
  object.read("kind", kind);
  const Json* list = object.part("members");
  TACHO_CHECK(object.finish());
  std::vector<Member> members;
  for (const Json& item : *list) {
    TACHO_TRY(member, member_from_json(item));
    if (member.rank != static_cast<int>(members.size())) {
      return Error{ErrorCode::invalid, "members: not in rank order"};
    }
    members.push_back(member);
  }
  return members;
}

std::string first_difference(const Member& them, const std::vector<std::string>& theirs,
                             const Member& rank_0, const std::vector<std::string>& ours) {
  const auto quoted = [](const std::vector<std::string>& lines, std::size_t at) {
    return at < lines.size() ? fmt::format("'{}'", lines[at]) : std::string("nothing");
  };
  const auto [theirs_end, ours_end] =
      std::mismatch(theirs.begin(), theirs.end(), ours.begin(), ours.end());
  if (theirs_end == theirs.end() && ours_end == ours.end()) return "";
  const auto at = static_cast<std::size_t>(theirs_end - theirs.begin());
  return fmt::format("{} has {} where {} has {}", describe(them), quoted(theirs, at),
                     describe(rank_0), quoted(ours, at));
}

std::string text_of(const Json& message, std::string_view key) {
  if (!message.is_object()) return "";
  const auto at = message.find(std::string(key));
  return at != message.end() && at->is_string() ? at->get<std::string>() : "";
}

std::vector<std::string> as_received(const std::vector<std::string>& lines) {
  return texts_of(*parse_json(json_text({{"lines", lines}})), "lines");
}

std::vector<std::string> texts_of(const Json& message, std::string_view key) {
  std::vector<std::string> texts;
  if (!message.is_object()) return texts;
  const auto at = message.find(std::string(key));
  if (at == message.end() || !at->is_array()) return texts;
  for (const Json& item : *at) texts.push_back(item.is_string() ? item.get<std::string>() : "");
  return texts;
}

}  // namespace tacho
