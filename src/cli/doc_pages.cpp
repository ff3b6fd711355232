#include "cli/doc_pages.h"

#include <array>

#include "cli/doc_compare.h"
#include "cli/doc_dashboard.h"
#include "cli/doc_data.h"
#include "cli/doc_decoders.h"
#include "cli/doc_distributed.h"
#include "cli/doc_environments.h"
#include "cli/doc_epochs.h"
#include "cli/doc_import_export.h"
#include "cli/doc_infer.h"
#include "cli/doc_language_models.h"
#include "cli/doc_launchers.h"
#include "cli/doc_load.h"
#include "cli/doc_memory.h"
#include "cli/doc_predict.h"
#include "cli/doc_python.h"
#include "cli/doc_python_query.h"
#include "cli/doc_recommend.h"
#include "cli/doc_report.h"
#include "cli/doc_runs.h"
#include "cli/doc_studies.h"
#include "cli/doc_sweeps.h"
#include "cli/doc_train.h"
#include "cli/doc_try.h"

namespace tacho {

std::span<const DocPage> doc_pages() {
  static constexpr std::array kPages = {DocPage{"train", kDocTrain, "here"},
                                        DocPage{"report", kDocReport, "why"},
                                        DocPage{"environments", kDocEnvironments, "environment"},
                                        DocPage{"predict", kDocPredict, "elsewhere"},
                                        DocPage{"recommend", kDocRecommend, "rent"},
                                        DocPage{"compare", kDocCompare, ""},
                                        DocPage{"dashboard", kDocDashboard, ""},
                                        DocPage{"data", kDocData, ""},
                                        DocPage{"decoders", kDocDecoders, ""},
                                        DocPage{"distributed", kDocDistributed, ""},
                                        DocPage{"epochs", kDocEpochs, ""},
                                        DocPage{"import-export", kDocImportExport, "import"},
                                        DocPage{"infer", kDocInfer, ""},
                                        DocPage{"language-models", kDocLanguageModels, ""},
                                        DocPage{"launchers", kDocLaunchers, ""},
                                        DocPage{"load", kDocLoad, ""},
                                        DocPage{"memory", kDocMemory, ""},
                                        DocPage{"python", kDocPython, ""},
                                        DocPage{"python-query", kDocPythonQuery, ""},
                                        DocPage{"runs", kDocRuns, ""},
                                        DocPage{"studies", kDocStudies, ""},
                                        DocPage{"sweeps", kDocSweeps, ""},
                                        DocPage{"try", kDocTry, ""}};
  return kPages;
}

}  // namespace tacho
