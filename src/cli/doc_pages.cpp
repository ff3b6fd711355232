#include "cli/doc_pages.h"

#include <array>

#include "cli/doc_compare.h"
#include "cli/doc_curves.h"
#include "cli/doc_dashboard.h"
#include "cli/doc_distributed.h"
#include "cli/doc_environments.h"
#include "cli/doc_infer.h"
#include "cli/doc_launchers.h"
#include "cli/doc_load.h"
#include "cli/doc_predict.h"
#include "cli/doc_report.h"
#include "cli/doc_studies.h"
#include "cli/doc_sweeps.h"

namespace tacho {

std::span<const DocPage> doc_pages() {
  static constexpr std::array kPages = {
      DocPage{"compare", kDocCompare},           DocPage{"curves", kDocCurves},
      DocPage{"dashboard", kDocDashboard},       DocPage{"distributed", kDocDistributed},
      DocPage{"environments", kDocEnvironments}, DocPage{"infer", kDocInfer},
      DocPage{"launchers", kDocLaunchers},       DocPage{"load", kDocLoad},
      DocPage{"predict", kDocPredict},           DocPage{"report", kDocReport},
      DocPage{"studies", kDocStudies},           DocPage{"sweeps", kDocSweeps}};
  return kPages;
}

}  // namespace tacho
