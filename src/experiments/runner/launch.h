#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/record/dist_spec.h"
#include "machine/comm/address.h"
#include "machine/comm/place.h"
#include "machine/comm/rendezvous_file.h"

namespace tacho {

// This tacho's part in a job, from the environment and the command line.
struct Standing {
  std::optional<Place> given;  // torchrun or srun started this tacho for one rank
  // Override the order of a resumed run. The order itself does not change: a worker gets the number
  // of ranks from its Place, and a checkpoint fits any number.
  std::optional<std::int64_t> ranks_per_node;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> node_rank;
  std::optional<Address> rendezvous;
  // Simulates all nodes on this machine, in network namespaces with links of this rate.
  std::optional<double> line_mbit = {};
  // Job secret. "": a new one is made if all ranks are started here. `given` may contain it too.
  std::string secret = {};
  // Names the address of machine 0, and its secret unless every machine was given one. The other
  // machines set `rendezvous` to what they read there.
  std::optional<RendezvousFile> file = {};
  [[nodiscard]] bool has_rendezvous() const { return rendezvous || file; }
};

// Returns true if this tacho starts rank 0, whose worker writes the events. It keeps the record.
bool keeps_record(const Standing& standing);

// Returns the spec of a run that torchrun or srun distributes, with the numbers of the launcher.
DistSpec as_given(DistSpec dist, const Place& given);

// The workers that one tacho starts.
struct Launch {
  std::vector<Place> places;  // empty: one worker, not distributed
  // No address was given: tacho binds the socket before it starts the ranks. Those of other
  // machines find it by `file`; without one, all are here.
  bool binds = false;
  // Nodes are simulated by network namespaces of this machine.
  std::optional<double> line_mbit = {};
  std::optional<RendezvousFile> file = {};
  bool secret_in_file = false;
  [[nodiscard]] int nodes() const { return places.empty() ? 1 : places.back().node + 1; }
};

// Returns an error if the options do not place the ranks.
Result<void> check(const DistSpec& dist, const Standing& standing);

Result<Launch> plan_launch(const DistSpec& dist, const Standing& standing);

// Returns an error if this machine cannot simulate the network of the launch, or write its file.
Result<void> check_possible(const Launch& launch);

}  // namespace tacho
