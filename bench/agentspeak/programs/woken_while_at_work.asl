// agent: ann
!old. !young.
+!old <- .print("old waits"); .wait("+go"); .print("old goes on"); .print("old ends").
+!young <- .print("y1"); .print("y2"); .print("y3"); .print("y4"); .print("y5"); .print("y6").
// agent: bob
!tell.
+!tell <- +a; +b; +c; +d; +e; +f; +a; +b; +c; .send(ann, tell, go); .print("sent").
