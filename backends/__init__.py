"""External services, each behind a small protocol with a null and a real version.

Read `chat.py` first (the protocol, and the models that are absent, scripted or forbidden), then `structured.py` (an
answer as a validated object) and `shown.py` (outside text, fenced for the model), `metering.py` and `daily.py`
(budgets), `langchain_model.py` and `turns.py` (any LangChain chat model), `providers.py` (the one that a profile
names), `endpoint.py` (why one does not answer), `recording.py` and `tape.py` (replay of a run without the model),
`embed.py`, `minilm.py` and `embed_endpoint.py` (texts as vectors), `vectors.py`, `chroma.py` and `cached.py` (storage
and search of vectors), and `choice.py` (the choice for a workspace). `mail.py` and `slack.py` reach people and
`stripe.py` a server of prices, sending their secrets only through `one_address.py`; `graph/` is a business as a graph.

    from mabos.backends.chat import ChatMessage, ScriptedModel
    model = ScriptedModel(["Nine months."])
    model.complete([ChatMessage("user", "How long will the money last?")]).text    # "Nine months."
"""
