parent(ann, bob). parent(bob, cid). parent(cid, dan).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Y) :- parent(X, Z) & ancestor(Z, Y).
rich(X) :- money(X, M) & M > 100 & not debt(X).
money(ann, 200). money(bob, 300). debt(bob).
!go.
+!go : ancestor(ann, dan) & not ancestor(dan, ann) <- .print("descends"); !who(ann); !who(bob); !who(cid).
+!who(X) : rich(X) <- .print(X, "is rich").
+!who(X) : debt(X) | not money(X, _) <- .print(X, "is not").
