capital(france, paris). capital(spain, madrid).
!go.
+!go <- ?capital(spain, C); .print(C); ?distance(C, D); .print("distance", D); ?size(C, S); .print("size", S).
+?size(C, S) <- .print("looking up", C); S = 12.
distance(C, D) :- capital(_, C) & D = 7.
