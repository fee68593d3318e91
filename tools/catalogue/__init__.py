"""Operations made from functions.

Read `declaration.py` first: one typed function gives a tool its name, summary, arguments and JSON schema.
`arguments.py` turns the function's parameters into that schema and into messages that a caller can act on. `naming.py`
makes errors use the caller's argument names. `registry.py` lists every module that declares tools and finds a tool by
name.
"""
