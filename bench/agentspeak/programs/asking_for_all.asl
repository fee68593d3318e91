bid(ann, 30). bid(bob, 20). bid(cid, 25). single(x).
!go.
+!go : .member(Z, [a, b]) & Z \== a <- .print(Z); .findall(P, single(P), L); .member(x, L); .count(bid(_, _), N); .print("bids", N); .findall(Y, single(Y), S);
  .print(S); .concat([1, 2], [3], T); .print(T); .concat("a", "b", U); .print(U); .my_name(Me); .print(Me).
