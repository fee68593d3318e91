!slow. !fast. !middle.
+!slow <- .print("slow begins"); .wait(160); .print("slow ends").
+!fast <- .print("fast begins"); .wait(40); .print("fast ends"); !!again.
+!middle <- .print("middle begins"); .wait(100); .print("middle ends").
+!again <- .print("again").
