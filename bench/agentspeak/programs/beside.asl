!go.
+!go <- .print("first"); !!later(1); !!later(2); .print("second"); !now; .print("third").
+!later(N) <- .print("later", N); .print("later still", N).
+!now <- .print("now").
