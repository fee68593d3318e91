// agent: manager
!call.
+!call <- .print("call"); .broadcast(achieve, bid(job)); .wait(80); !award.
+offer(W, P) <- .print("offer", W, P).
best(W, P) :- offer(W, P) & not better(P).
better(P) :- offer(_, Q) & Q < P.
+!award : best(W, P) <- .print("award", W, P); .send(W, achieve, job); .wait("+done(_)"); .print("closed").
// agent: ann
cost(30).
+!bid(J)[source(S)] : cost(C) <- .my_name(M); .send(S, tell, offer(M, C)).
+!job[source(S)] <- .print("ann works"); .send(S, tell, done(ann)).
// agent: bob
cost(20).
+!bid(J)[source(S)] : cost(C) <- .my_name(M); .send(S, tell, offer(M, C)).
+!job[source(S)] <- .print("bob works"); .send(S, tell, done(bob)).
// agent: cid
+!bid(J) <- .print("refused", J).
