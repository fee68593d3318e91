"""Workflows in BPMN 2.0: files that any modelling tool can open, and that run (S3 section 14).

`model.py` is the content of a file and `document.py` the file itself; `reading.py` reads it, `editing.py` changes it.

    document = blank("Onboarding")
    document = add_node(document, "Start_1", "startEvent")
    document = add_node(document, "Call", "userTask", "Call the customer")
    document = connect(document, "Flow_1", "Start_1", "Call")
"""
