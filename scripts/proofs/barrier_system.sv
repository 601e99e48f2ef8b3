// The barrier scheduler as a whole, from its reset on: nothing happens that nobody has asked for.

  // A request has been taken since the reset, and the first cycle behind that.
  reg asked, first;
  always @(posedge clock) {asked, first} <= {!reset && (asked || (request_valid && request_ready)), reset};

  // 8. Before a request has been taken nobody is answered or woken, no phase ends, no barrier waits or runs, and no CTA is launched.
  always @(*) if (checking && !asked) nothing_is_unasked: assert (!(response_valid || release_valid || wake_valid || dynamic_valid || handed_valid || idle_valid
    || timeout_valid || launched_valid) && slot_occupied == 0 && fifo_count == 0);

  // A request is answered.
  answered: cover property (checking && response_valid && !response_error);
  // A CTA is launched.
  launched: cover property (checking && launched_valid);

`ifdef SMALLEST
  (* hierconn *) wire [1:0] \arrival.ctas.known ;
  (* hierconn *) wire [2:0] \execution.walker.queue_count ;
  (* hierconn *) wire [2:0] \execution.fifo.common.stored ;
  (* hierconn *) wire [2:0] \execution.fifo.own.stored ;
  (* hierconn *) wire \execution.slots.offered ;
  (* hierconn *) wire \execution.slots.finishing ;
  (* hierconn *) wire \execution.saver.draining ;
  (* hierconn *) wire [3:0] \arrival.stage.mask ;
  (* hierconn *) wire [3:0] \arrival.stage.participants ;
  (* hierconn *) wire [1:0] \arrival.barriers.fills.read_data ;
  // Until then nothing is in the execute stage, and nothing comes there.
  always @(*) if (checking && !asked) helper_unasked: assert (!arrival_execute_valid && \arrival.ctas.known == 0 && \execution.walker.queue_count == 0
    && \execution.fifo.common.stored == 0 && \execution.fifo.own.stored == 0 && !\execution.slots.offered && !\execution.slots.finishing && !\execution.saver.draining );
  // In the first cycle the stage holds nothing at all, and no row of arrivals is read.
  always @(*) if (checking && first) helper_first: assert (!asked && arrival_execute_operation == 0 && \arrival.stage.mask == 0 && \arrival.stage.participants == 0
    && \arrival.barriers.fills.read_data == 0);
  // Flags are those of a request, or none.
  (* hierconn *) wire [4:0] \arrival.stage.flags ;
  wire [4:0] asked_for = asked ? \arrival.stage.flags : 5'd0;
  always @(*) if (checking) helper_flags: assert (\arrival.stage.flags == asked_for && (asked || !arrival_execute_valid));
`endif
