#include "predict/speed/fold_posteriors.h"

namespace tacho {

Result<std::vector<Posterior>> predict_fold(const std::vector<TrainingExample>& examples,
                                            const Fold& fold, std::size_t threads) {
  Codebook codebook;
  std::vector<CodedPoint> points;
  std::vector<double> errors;
  for (const std::size_t i : fold.learned) {
    points.push_back(codebook.add(examples[i].point));
    errors.push_back(examples[i].error);
  }
  TACHO_TRY(neighbours, Neighbours::learn(std::move(points), errors, threads));
  std::vector<CodedPoint> asked;
  for (const std::size_t i : fold.predicted) asked.push_back(codebook.look_up(examples[i].point));
  return neighbours.predict(asked, threads);
}

}  // namespace tacho
