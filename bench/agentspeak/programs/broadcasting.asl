// agent: ann
!go.
+!go <- .print("calling"); .broadcast(tell, hungry); .broadcast(achieve, cook(soup)).
// agent: bob
+hungry[source(S)] <- .print(S, "is hungry").
+!cook(X) <- .print("cooking", X).
// agent: cid
+hungry <- .print("so am I").
+!cook(X) <- .print("burning", X).
