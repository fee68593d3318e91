stock(0).
!sell.
+!sell <- .print("selling"); !ship(2); .print("never").
+!ship(N) : stock(S) & S >= N <- .print("shipped").
