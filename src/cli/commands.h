#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace tacho {

// Each adds one command, with its options and help, to `app`.
void add_train_command(CLI::App& app, Context& context);
void add_run_command(CLI::App& app, Context& context);
void add_runs_command(CLI::App& app, Context& context);
void add_sweep_command(CLI::App& app, Context& context);
void add_study_command(CLI::App& app, Context& context);
void add_report_command(CLI::App& app, Context& context);
void add_compare_command(CLI::App& app, Context& context);
void add_try_command(CLI::App& app, Context& context);
void add_diff_command(CLI::App& app, Context& context);
void add_data_command(CLI::App& app, Context& context);
void add_describe_command(CLI::App& app, Context& context);
void add_predict_command(CLI::App& app, Context& context);
void add_fit_command(CLI::App& app, Context& context);
void add_evaluate_command(CLI::App& app, Context& context);
void add_env_command(CLI::App& app, Context& context);
void add_curve_command(CLI::App& app, Context& context);
void add_recommend_command(CLI::App& app, Context& context);
void add_catalog_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_ledger_command(CLI::App& app, Context& context);
void add_serve_command(CLI::App& app, Context& context);
void add_generate_command(CLI::App& app, Context& context);
void add_infer_command(CLI::App& app, Context& context);
void add_load_command(CLI::App& app, Context& context);
void add_doctor_command(CLI::App& app, Context& context);
void add_attach_command(CLI::App& app, Context& context);
void add_take_task_command(CLI::App& app, Context& context);
void add_help_command(CLI::App& app, Context& context);
void add_completion_command(CLI::App& app, Context& context);

// `tacho runs import`.
void add_import_command(CLI::App& runs, Context& context);

// Commands of `tacho bench`.
void add_bench_memory_command(CLI::App& bench, Context& context);
void add_bench_comms_command(CLI::App& bench, Context& context);
void add_bench_records_commands(CLI::App& bench, Context& context);

// `tacho runs history`.
void add_history_command(CLI::App& runs, Context& context);
// `tacho runs edit`.
void add_runs_edit_command(CLI::App& runs, Context& context);

// `tacho sweep next`.
void add_sweep_next_command(CLI::App& sweep, Context& context);

}  // namespace tacho
