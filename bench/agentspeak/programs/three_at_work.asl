// agent: ann
!n(4).
+!n(0) <- .print("end").
+!n(N) <- .print(N); !n(N - 1).
// agent: bob
count(0).
+count(N) : N < 5 <- .print("c", N); -count(N); +count(N + 1).
// agent: cid
!a. !b.
+!a <- .print("a1"); +x; +y; .print("a2").
+!b : x <- .print("b1"); !c; .print("b2").
+!b <- .print("no x yet").
+!c : y & z <- .print("never").
+!c <- .print("c").
