#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "comm/member.h"
#include "comm/place.h"

namespace tacho {

struct RollBoard;
class RollWatch;

// The control line of a job: every rank holds one connection to rank 0. By it they meet, make sure
// that they do the same, tell rank 0 small things, and notice that one of them is gone. A thread
// watches the connection; gradients go elsewhere. Only processes that know the job's secret are
// heard; to all others rank 0 says nothing about the job.
class Rollcall {
 public:
  struct Options {
    Place place;  // a listen_fd is closed with the rollcall
    // How long a meeting may take, and how long a rank may be silent.
    std::chrono::milliseconds timeout{15000};
    const std::atomic<bool>* stop = nullptr;  // once set, a meeting under way is given up
  };
  struct Message {
    int from;
    std::string text;
  };

  // Waits until every rank is there. `terms` must be the same on each ("batch 64"): the first that
  // differs is the error, everywhere.
  static Result<std::unique_ptr<Rollcall>> meet(const Options& options,
                                                const std::vector<std::string>& terms);
  // Without a leave() before, the others are told that this rank died.
  ~Rollcall();
  Rollcall(const Rollcall&) = delete;
  Rollcall& operator=(const Rollcall&) = delete;

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  // Collective, as is share(): every rank calls them in the same order, and waits for the others
  // until there is trouble. An error where the lines differ, the same on every rank.
  Result<void> agree(std::string_view topic, const std::vector<std::string>& lines);
  // Rank 0's text, to everyone. The text of the others is not looked at.
  Result<std::string> share(std::string_view topic, std::string_view text_of_rank_0);

  // For rank 0, from any rank, itself included; arrives in order. Waits for nothing. From any
  // thread.
  void tell(std::string_view text);
  // For every rank, under a name that is used once; from any thread. posted() waits for it.
  void post(const std::string& name, std::string_view text);
  Result<std::string> posted(const std::string& name, std::chrono::milliseconds time) const;
  std::vector<Message> take_messages();  // rank 0: what has come so far

  // Why the job cannot go on, once a rank is gone. The first cause; the same on every rank that can
  // still be reached.
  [[nodiscard]] std::optional<std::string> trouble() const;
  // A broken collective is often noticed before its cause is known here.
  [[nodiscard]] std::optional<std::string> wait_for_trouble(std::chrono::milliseconds time) const;
  // Called once, by the watching thread, or at once where there is trouble already. It must not
  // call leave().
  void on_trouble(std::function<void(const std::string&)> call);

  // The last call. "" is a good end, and waits until everyone has said so, there is trouble, or
  // the time is up; anything else tells every other rank why.
  void leave(std::string_view why);

 private:
  Rollcall(const Options& options, std::unique_ptr<RollBoard> board);
  Result<void> meet_all(const Options& options, const std::vector<std::string>& terms);
  void watch(const std::stop_token& stop);
  void send(const Json& message);
  // What `rank` says in the collective call under way.
  Result<Json> await(int rank, std::string_view kind, std::string_view topic);
  Result<void> judge(std::string_view topic, const std::vector<std::string>& lines);

  const int rank_;
  const int size_;
  std::unique_ptr<RollBoard> board_;
  std::unique_ptr<RollWatch> watch_;  // none where this rank is alone
  std::vector<Member> members_;
  std::jthread thread_;
};

}  // namespace tacho
