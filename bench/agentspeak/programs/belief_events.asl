alarm(low).
!go.
+alarm(L) <- .print("alarm", L).
-alarm(L) <- .print("quiet", L).
+!go <- .print("go"); +alarm(high); .print("middle"); -alarm(low); -alarm(none); .print("end").
