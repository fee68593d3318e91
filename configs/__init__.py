"""Errors, settings, and the data files of roles, plans and business templates.

Read `errors.py` first (all errors derive from it), then `settings.py` with its `defaults.yaml`. `roles/`, `plans/`,
`templates/` and `scenarios/` are data, checked by the layer that uses them.

    from mabos.configs.settings import environment, load_settings
    settings = load_settings(None, environment())
    settings.memory.working_capacity    # 7
"""
