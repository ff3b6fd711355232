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
#include "machine/comm/member.h"
#include "machine/comm/place.h"

namespace tacho {

struct RendezvousState;
class RendezvousPeer;

// Connects the ranks of a job. Every rank keeps one control connection to rank 0, on which they
// find each other, compare their options, exchange small messages, and detect that a rank died. A
// thread serves the connection; gradients do not use it. Rank 0 accepts only processes that know
// the job secret, and reveals nothing about the job to others.
class Rendezvous {
 public:
  struct Options {
    Place place;  // a listen_fd is closed with the rendezvous
    // Limits both meet() and the silence of a rank.
    std::chrono::milliseconds timeout{15000};
    const std::atomic<bool>* stop = nullptr;  // meet() gives up once this is set
  };
  struct Message {
    int from;
    std::string text;
  };

  // Waits until every rank has connected. `terms` (such as "batch 64") must be equal on all ranks;
  // otherwise every rank returns an error that names the first difference.
  static Result<std::unique_ptr<Rendezvous>> meet(const Options& options,
                                                  const std::vector<std::string>& terms);
  // Without a previous leave(), the other ranks report that this one died.
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  // agree() and share() are collective: every rank calls them in the same order and waits for the
  // others until a failure. If the lines differ, all ranks return the same error.
  Result<void> agree(std::string_view topic, const std::vector<std::string>& lines);
  // Returns rank 0's text on every rank and ignores the text of the others.
  Result<std::string> share(std::string_view topic, std::string_view text_of_rank_0);

  // Sends a message to rank 0, from any rank including 0. Messages of a rank arrive in order. Does
  // not block; callable from any thread.
  void tell(std::string_view text);
  // Publishes a text to every rank under a unique name; callable from any thread. posted() waits
  // for it.
  void post(const std::string& name, std::string_view text);
  Result<std::string> posted(const std::string& name, std::chrono::milliseconds time) const;
  std::vector<Message> take_messages();  // rank 0: the messages received so far

  // Returns why the job cannot continue, once a rank is lost: the first cause, equal on every rank
  // that is still reachable.
  [[nodiscard]] std::optional<std::string> failure() const;
  // Use this after a failed collective: its cause often becomes known here a moment later.
  [[nodiscard]] std::optional<std::string> wait_for_failure(std::chrono::milliseconds time) const;
  // Registers a callback that is called once: by the thread of the connection, or immediately if
  // there already is a failure. It must not call leave().
  void on_failure(std::function<void(const std::string&)> call);

  // Must be the last call. With "", waits until all ranks have left, a failure, or the timeout.
  // Any other reason is reported to all ranks as a failure.
  void leave(std::string_view why);

 private:
  Rendezvous(const Options& options, std::unique_ptr<RendezvousState> state);
  Result<void> meet_all(const Options& options, const std::vector<std::string>& terms);
  void serve(const std::stop_token& stop);
  void send(const Json& message);
  // Returns the next message of `rank` in the current collective call.
  Result<Json> await(int rank, std::string_view kind, std::string_view topic);
  Result<void> compare_lines(std::string_view topic, const std::vector<std::string>& lines);

  const int rank_;
  const int size_;
  std::unique_ptr<RendezvousState> state_;
  std::unique_ptr<RendezvousPeer> peer_;  // null if there is only one rank
  std::vector<Member> members_;
  std::jthread thread_;
};

}  // namespace tacho
