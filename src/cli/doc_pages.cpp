#include "cli/doc_pages.h"

#include <array>

#include "cli/doc_compare.h"
#include "cli/doc_curves.h"
#include "cli/doc_dashboard.h"
#include "cli/doc_distributed.h"
#include "cli/doc_environments.h"
#include "cli/doc_here.h"
#include "cli/doc_infer.h"
#include "cli/doc_launchers.h"
#include "cli/doc_load.h"
#include "cli/doc_memory.h"
#include "cli/doc_predict.h"
#include "cli/doc_report.h"
#include "cli/doc_studies.h"
#include "cli/doc_sweeps.h"

namespace tacho {

std::span<const DocPage> doc_pages() {
  static constexpr std::array kPages = {DocPage{"here", kDocHere, "here"},
                                        DocPage{"report", kDocReport, "why"},
                                        DocPage{"environments", kDocEnvironments, "environment"},
                                        DocPage{"predict", kDocPredict, "elsewhere"},
                                        DocPage{"curves", kDocCurves, "rent"},
                                        DocPage{"compare", kDocCompare, ""},
                                        DocPage{"dashboard", kDocDashboard, ""},
                                        DocPage{"distributed", kDocDistributed, ""},
                                        DocPage{"infer", kDocInfer, ""},
                                        DocPage{"launchers", kDocLaunchers, ""},
                                        DocPage{"load", kDocLoad, ""},
                                        DocPage{"memory", kDocMemory, ""},
                                        DocPage{"studies", kDocStudies, ""},
                                        DocPage{"sweeps", kDocSweeps, ""}};
  return kPages;
}

}  // namespace tacho
