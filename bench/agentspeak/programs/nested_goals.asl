!day.
+!day <- .print("morning"); !work(3); .print("evening").
+!work(N) <- !sit(N); !type(N); .print("worked", N).
+!sit(N) <- .print("sit").
+!type(N) <- .print("type", N * 2).
