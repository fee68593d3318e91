count(0).
!count.
+!count : count(N) & N < 4 <- -+count(N + 1); .print("now", N + 1); !count.
+!count <- ?count(N); .print("through", N).
+count(N) : N mod 2 == 0 <- .print("even", N).
