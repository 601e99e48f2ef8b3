
  // What memories show right behind a reset counts for nothing: the execute stage is empty then, and every later cycle reads anew. What would have been written into the others
  // counts if it is read.
  (* hierconn *) wire [4:0] \arrival.barriers.kinds.read_data ;
  (* hierconn *) wire [47:0] \arrival.barriers.configurations.read_data ;
  (* hierconn *) wire [21:0] \arrival.barriers.tags.read_data ;
  (* hierconn *) wire [21:0] \arrival.barriers.afters.read_data ;
  (* hierconn *) wire [7:0] \arrival.barriers.states.read_data ;
  (* hierconn *) wire [3:0] \arrival.barriers.counts.read_data ;
  (* hierconn *) wire [3:0] \arrival.barriers.asleep.read_data ;
  (* hierconn *) wire [3:0] \arrival.bits.arrivals.read_data ;
  (* hierconn *) wire [3:0] \arrival.bits.visits.read_data ;
  (* hierconn *) wire [1:0] \arrival.ctas.used.read_data ;
  (* hierconn *) wire [3:0] \arrival.ctas.living.read_data ;
  (* hierconn *) wire [13:0] \arrival.transactions.counts.read_data ;
  (* hierconn *) wire [1:0] \arrival.scanner.attention.read_data ;
  (* hierconn *) wire [16:0] \arrival.scanner.deadline.read_data ;
  (* hierconn *) wire [16:0] \arrival.scanner.saved.read_data ;
  wire [60:0] reads = {\arrival.barriers.kinds.read_data , \arrival.barriers.fills.read_data , \arrival.ctas.living.read_data , \arrival.transactions.counts.read_data ,
    \arrival.scanner.attention.read_data , \arrival.scanner.deadline.read_data , \arrival.scanner.saved.read_data };
  wire [117:0] other_reads = {\arrival.barriers.configurations.read_data , \arrival.barriers.tags.read_data , \arrival.barriers.afters.read_data , \arrival.barriers.states.read_data ,
    \arrival.barriers.counts.read_data , \arrival.barriers.asleep.read_data , \arrival.bits.arrivals.read_data , \arrival.bits.visits.read_data , \arrival.ctas.used.read_data };
  (* keep *) wire [178:0] heddle_alike_reads = {first ? 61'd0 : reads, other_reads};

  // The kind of no request counts for nobody.
  (* keep *) wire [4:0] heddle_alike_flags = asked ? \arrival.stage.flags : 5'd0;

  // The same of the queue of releases, which is empty then.
  (* hierconn *) wire [24:0] \execution.walker.queue.memory_part.read_data ;
  (* keep *) wire [24:0] heddle_alike_releases = first ? 25'd0 : \execution.walker.queue.memory_part.read_data ;
