!go.
+!go <- .print(7 / 2, 7 div 2, 7 mod 2, 2 ** 3, -4 + 1, 2 * (3 + 4), 1.5 + 1.5); X = 3 * 3; !cmp(X).
+!cmp(X) : X >= 9 & X \== 10 & X == 9 <- .print("nine", X).
