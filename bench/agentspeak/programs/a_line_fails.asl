!go.
+!go <- .print("before"); !risky(1); .print("never").
+!risky(X) <- .print("try", X); .fail; .print("never either").
