// agent: ann
!go.
+!go <- .send(bob, achieve, guard(gate)); .wait(60); .send(bob, unachieve, guard(gate)); .print("stood down").
// agent: bob
+!guard(X) <- .print("guarding", X); .wait(200); .print("never").
