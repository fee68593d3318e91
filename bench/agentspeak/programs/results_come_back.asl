!go.
+!go <- !total([4, 5, 6], T); .print("total", T); !fact(6, F); .print("6! =", F).
+!total([], 0).
+!total([H | R], T) <- !total(R, S); T = S + H.
+!fact(0, 1).
+!fact(N, F) : N > 0 <- !fact(N - 1, G); F = N * G.
