#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "comm/address.h"
#include "comm/place.h"
#include "record/dist_spec.h"

namespace tacho {

// What the environment and the command line say of this tacho's own part in a job.
struct Standing {
  std::optional<Place> given;  // torchrun or srun started this tacho for one rank
  // A resumed run's, where they are not to be as ordered. The order stays as it is: how many ranks
  // there are, a worker learns from its Place, and a checkpoint fits any number.
  std::optional<std::int64_t> ranks_a_node;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> node_rank;
  std::optional<Address> rendezvous;
  // Of several nodes, all are started here, in network namespaces with lines of this rate.
  std::optional<double> line_mbit = {};
  // Of the job, where it was given or made; "": ranks that are all started here get one of their
  // own. A launcher's Place may have it too.
  std::string secret = {};
};

// Whether this tacho starts rank 0, whose worker writes the events: it has the store and the view.
bool keeps_record(const Standing& standing);

// The order of a run that torchrun or srun spreads: their numbers are what was asked for.
DistSpec as_given(DistSpec dist, const Place& given);

// The workers that one tacho starts.
struct Launch {
  std::vector<Place> places;  // empty: one worker, which is alone
  // All ranks are here and no address was named: the socket is made before they are.
  bool binds = false;
  // Nodes are network namespaces of this machine.
  std::optional<double> line_mbit = {};
  [[nodiscard]] int nodes() const { return places.empty() ? 1 : places.back().node + 1; }
};

Result<Launch> plan_launch(const DistSpec& dist, const Standing& standing);

// Whether this machine has what the launch needs beside the workers.
Result<void> check_possible(const Launch& launch);

}  // namespace tacho
