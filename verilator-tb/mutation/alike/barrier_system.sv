
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

  // Who sleeps counts of the blocks of a CTA that was launched: each step of a launch wakes a block, and whoever is in a queue, in a slot or in the execute stage is of such a CTA.
  reg [3:0] cleared;
  (* hierconn *) wire \execution.launch ;
  (* hierconn *) wire [1:0] \execution.execute_row ;
  always @(posedge clock)
    if (reset) cleared <= 4'd0;
    else if (\execution.launch ) cleared[\execution.execute_row ] <= 1'b1;
  wire [1:0] was_there = {cleared[3:2] == 3, cleared[1:0] == 3};
  (* hierconn *) wire [15:0] \execution.threads.slept.own.words ;
  (* hierconn *) wire [15:0] \execution.threads.slept.walk.words ;
  (* hierconn *) wire [15:0] \execution.threads.slept.select.words ;
  wire [15:0] of_cleared = {{4{cleared[3]}}, {4{cleared[2]}}, {4{cleared[1]}}, {4{cleared[0]}}};
  (* keep *) wire [47:0] heddle_alike_slept = {\execution.threads.slept.own.words & of_cleared, \execution.threads.slept.walk.words & of_cleared,
    \execution.threads.slept.select.words & of_cleared};
  function of_those(input [3:0] ctas, input [1:0] first, input [2:0] stored, input [1:0] there);
    integer entry;
    reg [1:0] place;
    begin
      of_those = 1'b1;
      for (entry = 0; entry < 4; entry = entry + 1) begin
        place = entry[1:0] - first;
        if (place < stored && !there[ctas[entry]]) of_those = 1'b0;
      end
    end
  endfunction
  (* hierconn *) wire [123:0] \execution.fifo.common.memory_part.words ;
  (* hierconn *) wire [1:0] \execution.fifo.common.first ;
  (* hierconn *) wire [1:0] \execution.fifo.common.back ;
  (* hierconn *) wire [30:0] \execution.fifo.common.head_data ;
  (* hierconn *) wire [123:0] \execution.fifo.own.memory_part.words ;
  (* hierconn *) wire [1:0] \execution.fifo.own.first ;
  (* hierconn *) wire [1:0] \execution.fifo.own.back ;
  (* hierconn *) wire [30:0] \execution.fifo.own.head_data ;
  (* hierconn *) wire [99:0] \execution.walker.queue.memory_part.words ;
  (* hierconn *) wire [1:0] \execution.walker.queue.first ;
  (* hierconn *) wire [1:0] \execution.walker.queue.back ;
  (* hierconn *) wire [24:0] \execution.walker.queue.head_data ;
  wire [123:0] common = \execution.fifo.common.memory_part.words , own = \execution.fifo.own.memory_part.words ;
  wire [99:0] released = \execution.walker.queue.memory_part.words ;
  wire [2:0] common_stored = \execution.fifo.common.stored , own_stored = \execution.fifo.own.stored , released_stored = \execution.walker.queue_count ;
  (* keep *) wire heddle_invariant_queues = of_those({common[123], common[92], common[61], common[30]}, \execution.fifo.common.first , common_stored, was_there)
    && of_those({own[123], own[92], own[61], own[30]}, \execution.fifo.own.first , own_stored, was_there)
    && of_those({released[99], released[74], released[49], released[24]}, \execution.walker.queue.first , released_stored, was_there);
  (* keep *) wire heddle_invariant_heads = (common_stored == 0 || was_there[\execution.fifo.common.head_data [30]]) && (own_stored == 0 || was_there[\execution.fifo.own.head_data [30]])
    && (released_stored == 0 || was_there[\execution.walker.queue.head_data [24]]);
  wire [1:0] common_places = \execution.fifo.common.back - \execution.fifo.common.first , own_places = \execution.fifo.own.back - \execution.fifo.own.first ;
  wire [1:0] released_places = \execution.walker.queue.back - \execution.walker.queue.first ;
  (* keep *) wire heddle_invariant_places = common_places == common_stored[1:0] && own_places == own_stored[1:0] && released_places == released_stored[1:0];
  (* hierconn *) wire [1:0] \execution.slots.held ;
  (* hierconn *) wire \execution.slots.offer_slot ;
  (* hierconn *) wire [3:0] \execution.slots.serve_keys.words ;
  (* hierconn *) wire [3:0] \execution.slots.finish_keys.words ;
  wire [3:0] serve_of = \execution.slots.serve_keys.words , finish_of = \execution.slots.finish_keys.words  ;
  (* keep *) wire heddle_invariant_slots = (!\execution.slots.held [0] || (was_there[serve_of[1]] && was_there[finish_of[1]]))
    && (!\execution.slots.held [1] || (was_there[serve_of[3]] && was_there[finish_of[3]]))
    && (!\execution.slots.offered || was_there[finish_of[2*\execution.slots.offer_slot +1]]);
  (* hierconn *) wire \arrival.stage.request ;
  (* hierconn *) wire \arrival.stage.cta ;
  (* keep *) wire heddle_invariant_launched = (!\arrival.ctas.known [0] || was_there[0]) && (!\arrival.ctas.known [1] || was_there[1]);
  (* hierconn *) wire \arrival.stage.barrier ;
  (* keep *) wire heddle_invariant_executes = !arrival_execute_valid || (\arrival.stage.request ? arrival_execute_operation != 0 || !\arrival.stage.barrier
    : arrival_execute_operation == 0 ? cleared[{\arrival.stage.cta , 1'b0}] : was_there[\arrival.stage.cta ]);
  (* hierconn *) wire \execution.threads.swept ;
  (* keep *) wire heddle_invariant_swept = \execution.threads.swept || (!asked && cleared == 0);
  // What is no request is a later step of a launch or an exit, attention, or the end of a section.
  (* keep *) wire heddle_invariant_steps = arrival_execute_valid
    ? \arrival.stage.request || arrival_execute_operation == 0 || arrival_execute_operation == 5 || arrival_execute_operation >= 14 : !\arrival.stage.request ;
  // What leaves a queue to come back is there.
  (* hierconn *) wire \execution.saver.from_slots ;
  (* hierconn *) wire \execution.saver.from_common ;
  (* hierconn *) wire [2:0] \execution.saver.left ;
  (* keep *) wire heddle_invariant_turns = !\execution.saver.draining || \execution.saver.from_slots
    || (\execution.saver.left <= (\execution.saver.from_common ? common_stored : own_stored));
  (* keep *) wire heddle_invariant_turns_alone = !\execution.saver.draining || \execution.saver.from_slots || !arrival_execute_valid;

  // Of a CTA that leaves, each slot and each entry is taken out once: so each has a byte of its own, which is 0 until then.
  (* hierconn *) wire \execution.saver.held ;
  (* hierconn *) wire \execution.saver.drained ;
  (* hierconn *) wire \execution.saver.closed ;
  (* hierconn *) wire [63:0] \execution.saver.taken ;
  (* hierconn *) wire [7:0] \execution.saver.place ;
  (* hierconn *) wire [1:0] \execution.slots_frozen ;
  wire [7:0] taken_out = \execution.saver.place >> 3;
  wire [7:0] taken_or_left = taken_out + (\execution.saver.from_slots ? \execution.slots_frozen [0] + \execution.slots_frozen [1] : {5'd0, \execution.saver.left });
  (* keep *) wire heddle_invariant_taken = \execution.saver.place [2:0] == 0 && \execution.saver.taken >> \execution.saver.place == 0;
  (* keep *) wire heddle_invariant_taken_out = \execution.saver.draining
    ? !\execution.saver.drained && \execution.saver.held && \execution.saver.closed && taken_or_left <= (\execution.saver.from_slots ? 8'd2 : \execution.saver.from_common ? 8'd9 : 8'd16)
    : taken_out <= (\execution.saver.drained || !\execution.saver.held ? 8'd16 : 8'd0);
  (* keep *) wire heddle_invariant_finishes = !\execution.slots.finishing || (arrival_execute_valid && arrival_execute_operation == 15);

  // The row of the lag of a CTA that is held counts for nobody: a register has its lag, and is put there when it is let go.
  (* hierconn *) wire [1:0] \arrival.scanner.examined ;
  (* hierconn *) wire \arrival.scanner.held ;
  (* hierconn *) wire \arrival.scanner.held_cta ;
  (* hierconn *) wire [16:0] \arrival.scanner.held_lag ;
  (* hierconn *) wire [67:0] \arrival.scanner.deadline.memory_part.words ;
  (* hierconn *) wire [67:0] \arrival.scanner.saved.memory_part.words ;
  (* hierconn *) wire [33:0] \arrival.scanner.examined_lag.memory_part.words ;
  (* hierconn *) wire [33:0] \arrival.scanner.written_lag.memory_part.words ;
  (* hierconn *) wire [16:0] \arrival.scanner.examined_lag.read_data ;
  (* hierconn *) wire [16:0] \arrival.scanner.written_lag.read_data ;
  wire [1:0] of_held = \arrival.scanner.held ? 2'b01 << \arrival.scanner.held_cta : 2'b00;
  wire [16:0] examined_lag = of_held[\arrival.scanner.examined [1]] ? \arrival.scanner.held_lag : \arrival.scanner.examined_lag.read_data ;
  wire [16:0] written_lag = of_held[\arrival.stage.cta ] ? \arrival.scanner.held_lag : \arrival.scanner.written_lag.read_data ;
  wire [33:0] not_held = {{17{!of_held[1]}}, {17{!of_held[0]}}};
  (* keep *) wire [271:0] heddle_alike_rows = {\arrival.scanner.deadline.memory_part.words , \arrival.scanner.saved.memory_part.words , \arrival.scanner.deadline.read_data ,
    \arrival.scanner.saved.read_data , \arrival.scanner.examined_lag.memory_part.words & not_held, \arrival.scanner.written_lag.memory_part.words & not_held, examined_lag, written_lag};
