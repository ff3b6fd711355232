#include "microbench/comms/gather_numbers.h"

namespace tacho {

Result<std::vector<std::vector<double>>> gather_numbers(Rendezvous& rendezvous, int rank, int ranks,
                                                        const std::vector<double>& mine) {
  rendezvous.tell(json_text(Json(mine)));
  // Messages arrive in order, so after agree() rank 0 has the numbers of all ranks.
  TACHO_CHECK(rendezvous.agree("numbers", {}));
  Json table = Json::array();
  if (rank == 0) {
    for (int i = 0; i < ranks; ++i) table.push_back(nullptr);
    for (const Rendezvous::Message& message : rendezvous.take_messages()) {
      TACHO_TRY(parsed, parse_json(message.text));
      table[static_cast<std::size_t>(message.from)] = std::move(parsed);
    }
  }
  TACHO_TRY(shared, rendezvous.share("table", json_text(table)));
  TACHO_TRY(all, parse_json(shared));
  std::vector<std::vector<double>> numbers;
  for (const Json& row : all) {
    if (!row.is_array()) return Error{ErrorCode::failed, "a rank sent no numbers"};
    auto& read = numbers.emplace_back();
    for (const Json& number : row) read.push_back(number.is_number() ? number.get<double>() : 0);
  }
  if (std::ssize(numbers) != ranks) return Error{ErrorCode::failed, "a rank sent no numbers"};
  return numbers;
}

}  // namespace tacho
