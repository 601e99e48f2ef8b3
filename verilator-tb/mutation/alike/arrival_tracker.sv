
  // What memories show right behind a reset, and whether that was written just before, counts for nothing: the execute stage is empty then, and no CTA is launched; every
  // later cycle reads anew.
  reg settled;
  always @(posedge clock) settled <= !reset;
  (* hierconn *) wire [4:0] \barriers.kinds.read_data ;
  (* hierconn *) wire [3:0] \ctas.living.read_data ;
  (* hierconn *) wire [13:0] \transactions.counts.read_data ;
  (* hierconn *) wire [1:0] \scanner.attention.read_data ;
  (* hierconn *) wire [16:0] \scanner.deadline.read_data ;
  (* hierconn *) wire [16:0] \scanner.saved.read_data ;
  (* hierconn *) wire [47:0] \barriers.configurations.read_data ;
  (* hierconn *) wire [21:0] \barriers.tags.read_data ;
  (* hierconn *) wire [21:0] \barriers.afters.read_data ;
  (* hierconn *) wire [7:0] \barriers.states.read_data ;
  (* hierconn *) wire [3:0] \barriers.asleep.read_data ;
  (* hierconn *) wire [3:0] \bits.visits.read_data ;
  (* hierconn *) wire [1:0] \ctas.used.read_data ;
  wire [60:0] reads = {\barriers.kinds.read_data , \barriers.fills.read_data , \ctas.living.read_data , \transactions.counts.read_data , \scanner.attention.read_data ,
    \scanner.deadline.read_data , \scanner.saved.read_data };
  // What would have been written into the others counts if it is read.
  wire [117:0] other_reads = {\barriers.configurations.read_data , \barriers.tags.read_data , \barriers.afters.read_data , \barriers.states.read_data , \barriers.counts.read_data ,
    \barriers.asleep.read_data , \bits.arrivals.read_data , \bits.visits.read_data , \ctas.used.read_data };
  (* keep *) wire [178:0] heddle_alike_reads = {settled ? reads : 61'd0, other_reads};
  (* keep *) wire heddle_invariant_settled = settled || (!execute_valid && ctas_launched_all == 0 && execute_operation == 0 && execute_mask == 0 && stage_execute_participants == 0);

  // The kind of no request counts for nobody.
  reg asked;
  always @(posedge clock) asked <= !reset && (asked || (request_valid && request_ready));
  (* keep *) wire [4:0] heddle_alike_flags = asked ? stage_execute_flags : 5'd0;
  (* keep *) wire heddle_invariant_asked = asked || (ctas_launched_all == 0 && execute_mask == 0 && stage_execute_participants == 0 && !execute_request && (!execute_valid || execute_operation >= 14));
