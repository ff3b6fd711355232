#include "predict/fold_beliefs.h"

namespace tacho {

Result<FoldBeliefs> believe_fold(const std::vector<Lesson>& lessons, const Fold& fold,
                                 std::size_t threads) {
  Codebook codebook;
  std::vector<CodedPoint> points;
  std::vector<double> errors;
  for (const std::size_t i : fold.learned) {
    points.push_back(codebook.add(lessons[i].point));
    errors.push_back(lessons[i].error);
  }
  TACHO_TRY(neighbours, Neighbours::learn(std::move(points), errors, threads));
  FoldBeliefs made;
  for (const std::size_t i : fold.predicted) {
    made.asked.push_back(codebook.look_up(lessons[i].point));
  }
  made.beliefs = neighbours.believe(made.asked, threads);
  return made;
}

}  // namespace tacho
