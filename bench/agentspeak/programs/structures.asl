order(1, item(book, 12.5), [gift, "red paper"]).
order(2, item(pen, 2), []).
!go.
+!go <- ?order(N, item(pen, P), L); .print(N, P, L, item(pen, P)); ?order(1, item(T, _), [First | Rest]);
  .print(T, First, Rest); pair(A, [B, C]) = pair(1, [2, x("y")]); .print(A, B, C); .print("as is", x("y", [a])).
