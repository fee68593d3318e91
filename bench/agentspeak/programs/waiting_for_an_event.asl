!wait. !work.
+!wait <- .print("waiting"); .wait("+ready(_)"); ?ready(X); .print("ready", X).
+!work <- .print("working"); .print("still"); +ready(7); .print("after"); .print("end").
