"""Workflows in BPMN 2.0: files that people's own modellers open, and that run (S3 section 14).

`model.py` is the content of a file and `document.py` the file itself, read by `reading.py` and changed by `editing.py`.

    document = blank("Onboarding")
    document = add_node(document, "Start_1", "startEvent")
    document = add_node(document, "Call", "userTask", "Call the customer")
    document = connect(document, "Flow_1", "Start_1", "Call")
"""
