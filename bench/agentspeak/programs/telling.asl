// agent: ann
!go.
+!go <- .send(bob, tell, price(apple, 3)); .print("told"); .send(bob, tell, price(pear, 4)); .send(bob, untell, price(apple, 3)); .print("untold").
// agent: bob
+price(X, P)[source(S)] <- .print("heard", X, P, "from", S).
-price(X, P)[source(S)] <- .print("no longer", X, P, "from", S).
