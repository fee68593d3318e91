!go.
+!go <- .print("ask"); ?known(X); .print("never", X).
