// agent: boss
!go.
+!go <- .print("asking"); .send([ann, bob], achieve, paint(wall)); .print("asked").
+done(W, X)[source(W)] <- .print(W, "is done with", X).
// agent: ann
+!paint(X)[source(S)] <- .print("painting", X); .my_name(Me); .send(S, tell, done(Me, X)).
// agent: bob
colour(red).
+!paint(X)[source(S)] : colour(blue) <- .print("never").
+!paint(X)[source(S)] : colour(C) <- .print("painting", X, C); !dry; .my_name(Me); .send(S, tell, done(Me, X)).
+!dry <- .print("drying").
