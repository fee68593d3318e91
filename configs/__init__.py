"""What MABOS starts from: its errors, its settings, and the data of roles, plans and business templates.

Read `errors.py` first (everything raises from it), then `settings.py` with `defaults.yaml` beside it; `roles/`,
`plans/`, `templates/` and `scenarios/` are data, checked by the layer that uses them.

    from mabos.configs.settings import environment, load_settings
    settings = load_settings(None, environment())
    settings.memory.working_capacity    # 7
"""
