INTEGRATION_TO_CALLBACK = {}


def get_reporting_integration_callbacks(report_to):
    names = [] if report_to == "none" else [report_to]
    for name in names:
        if name not in INTEGRATION_TO_CALLBACK:
            raise ValueError(f"{name} is not supported")
    return [INTEGRATION_TO_CALLBACK[name] for name in names]


def rewrite_logs(d):
    def renamed(name):
        kind, _, rest = name.partition("_")
        return f"{kind}/{rest}" if rest and kind in ("eval", "test") else f"train/{name}"
    return {renamed(name): value for name, value in d.items()}
