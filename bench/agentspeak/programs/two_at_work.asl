// agent: ann
!go.
+!go <- .print(1); .print(2); +b(1); .print(3); !sub; .print(4).
+!sub <- .print("sub").
// agent: bob
!go.
+!go <- +c(1); +c(2); +c(3); .print("a"); -+c(4); .print("b"); .print("c"); .print("d"); .print("e").
