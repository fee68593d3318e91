!open(door). !open(window).
+!open(X) : locked(X) <- .print("locked", X).
+!open(X) : not stuck(X) <- .print("open", X); +stuck(X); !open(X).
+!open(X) <- .print("stuck", X).
