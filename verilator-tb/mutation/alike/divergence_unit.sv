
  // Whether a search is over counts once a launch has cleared the queue: that forgets it, and nothing else is asked before.
  (* hierconn *) wire \queue.sequencer.searched ;
  (* keep *) wire heddle_alike_searched = (begun || (\queue.sequencer.sweeps && \queue.sequencer.swept_once )) && \queue.sequencer.searched ;
  // What an engine or software was asked for counts while it works; so does what a search was.
  (* hierconn *) wire [4:0] \queue.sequencer.command ;
  (* hierconn *) wire [1:0] \queue.sequencer.cause ;
  (* keep *) wire [4:0] heddle_alike_command = \queue.sequencer.seeks || \queue.sequencer.spills || \queue.sequencer.scans ? \queue.sequencer.command : 5'd0;
  (* keep *) wire [1:0] heddle_alike_cause = \queue.sequencer.stops ? \queue.sequencer.cause : 2'd0;

  // A pop that brings a token is done, and nothing goes to memory behind it.
  (* hierconn *) wire \queue.answer.answer_popped ;
  (* keep *) wire heddle_invariant_pops = !\queue.answer.answer_popped || (popped && !\queue.sequencer.spills );
