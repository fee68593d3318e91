// agent: ann
!serve.
+!serve <- .send(bob, achieve, ball(1)).
+!ball(N) : N < 8 <- .print("back", N); .send(bob, achieve, ball(N + 1)).
+!ball(N) <- .print("missed", N).
// agent: bob
+!ball(N) : N < 8 <- .print("back", N); .send(ann, achieve, ball(N + 1)).
+!ball(N) <- .print("missed", N).
