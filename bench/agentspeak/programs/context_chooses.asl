temperature(12).
!dress.
+!dress : temperature(T) & T > 25 <- .print("shirt").
+!dress : temperature(T) & T > 10 <- .print("pullover at", T).
+!dress <- .print("coat").
