// The tree divergence table as a whole (TD-01 to TD-09): where each thread is, what each node is used for, who is whose child.

  // One warp, of which an observer looks at the selected leaf.
  always @(*) one_warp: assume (!request_warp && !launch_warp && !query_warp);
  // Who sleeps at a barrier is in no region, so none of that kind is opened.
  always @(*) if (checking) no_region_of_sleepers: assume (!request_valid || request_operation != 1 || request_kind != 9);
  // Memory answers what it was asked, once, with what was written there last. Of each eight words eight apart the one that was written last is known.
  wire writes = memory_request_valid && memory_request_ready && memory_request_write;
  wire asks = memory_request_valid && memory_request_ready && !memory_request_write;
  reg asked;
  reg [11:0] asked_slot;
  reg [247:0] cells;
  wire [30:0] answer_cell = cells[31*asked_slot[2:0]+:31];
  always @(posedge clock) begin
    asked <= !reset && (asks || (asked && !(memory_response_valid && memory_response_ready)));
    if (asks) asked_slot <= memory_request_address[11:0];
    if (writes) cells[31*memory_request_address[2:0]+:31] <= {memory_request_address[11:3], memory_request_data[61:54], memory_request_data[13:0]};
  end
  always @(*) if (checking) memory_answers: assume (!memory_response_valid || (asked
    && (answer_cell[30:22] != asked_slot[11:3] || answer_cell[21:0] == {memory_response_data[61:54], memory_response_data[13:0]})));

  // Who is here: launched, and neither exited nor shown as one that leaves.
  reg [7:0] here;
  always @(posedge clock)
    if (launch_valid && launch_ready) here <= launch_mask;
    else here <= here & ~(request_valid && request_ready && request_operation == 7 ? query_active & request_mask : 8'd0) & ~(saved_valid ? saved_mask : 8'd0);

  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.instruction.sequencer.leaving ;
  (* hierconn *) wire \core.instruction.sequencer.leaving_valid ;
  (* hierconn *) wire \core.instruction.sequencer.homeless ;
  (* hierconn *) wire [7:0] \core.instruction_held_mask ;
  (* hierconn *) wire \core.instruction_opened_here ;
  (* hierconn *) wire \core.instruction_swap ;
  (* hierconn *) wire \core.mover_returned ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.free_first_node ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.free_second_node ;
  (* hierconn *) wire \core.free.single ;
  (* hierconn *) wire \core.free_none ;
  (* hierconn *) wire \core.free_take_first ;
  (* hierconn *) wire \core.free_take_second ;
  (* hierconn *) wire \core.free_release_enable ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.free_release_node ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.regions_node ;
  (* hierconn *) wire \core.regions_memory ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves_node ;
  (* hierconn *) wire \core.leaves.turns_pushes ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves.turns_ready_node ;
  (* hierconn *) wire [13:0] \core.leaves.turns_ready_link ;
  (* hierconn *) wire [7:0] \core.leaves.turns_ready_mask ;
  (* hierconn *) wire [7:0] \core.leaves_front_mask ;
  (* hierconn *) wire [7:0] \core.mover.moving_mask ;
  (* hierconn *) wire [7:0] \core.mover_return_mask ;
  (* hierconn *) wire [13:0] \core.leaves_front_link ;
  (* hierconn *) wire \core.mover_sent ;
  (* hierconn *) wire [13:0] \core.mover.moving_link ;
  (* hierconn *) wire [13:0] \core.mover_return_link ;
  (* hierconn *) wire [13:0] \core.regions_above ;
  (* hierconn *) wire \core.leaves.selector_pop_enable ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves_front_node ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves.selector.ring_write_address ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves.selector.head ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \core.leaves.selector.count ;
  (* hierconn *) wire [`{DEPTH * log2(DEPTH) - 1}:0] \core.leaves.selector.ring.words ;
  (* hierconn *) wire [`{8 * DEPTH - 1}:0] \core.leaves.kept.masks.words ;
  (* hierconn *) wire [`{14 * DEPTH - 1}:0] \core.leaves.kept.links.words ;
  (* hierconn *) wire [`{8 * DEPTH - 1}:0] \core.regions.nodes.arrivals.words ;
  (* hierconn *) wire [`{14 * DEPTH - 1}:0] \core.regions.nodes.aboves.words ;
  (* hierconn *) wire [`{4 * DEPTH - 1}:0] \core.regions.nodes.kinds.words ;
  (* hierconn *) wire [`{9 * DEPTH - 1}:0] \core.regions.nodes.counts.words ;
  (* hierconn *) wire [`{DEPTH - 1}:0] \core.free.live ;
  (* hierconn *) wire \core.free.began ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.free.upper_write_address ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \core.free.count ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \core.free.mark ;
  (* hierconn *) wire [`{DEPTH * log2(DEPTH) - 1}:0] \core.free.upper.words ;
  (* hierconn *) wire [`{DEPTH * log2(DEPTH) - 1}:0] \core.free.lower.words ;
  (* hierconn *) wire [5:0] \core.mover.ring.count ;
  (* hierconn *) wire [5:0] \core.mover.ring.front ;
  (* hierconn *) wire [255:0] \reasons.sets.words ;
  (* hierconn *) wire [15:0] \reasons.used_read_data ;
  // include tree_ports
  // include tree_rest
  wire [13:0] position = cursor;

  // The nodes of the table: those that are regions, those that are leaves of the ring, and where in it they are; where in the stack of free nodes one is that
  // was given back. The selected leaf has gone to memory if it was exchanged and the other one has not come.
  reg [`{DEPTH - 1}:0] regions, waiting;
  reg [`{DEPTH * log2(DEPTH) - 1}:0] ring_places, free_places;
  reg swapped;
  integer i, j;
  always @(posedge clock) begin
    if (core_launched) {regions, waiting} <= `{2 * DEPTH}'d0;
    else begin
      if (\core.instruction_opened_here ) regions[\core.free_first_node ] <= 1'b1;
      if (event_pop && !\core.regions_memory ) regions[\core.regions_node ] <= 1'b0;
      if (\core.leaves.selector_pop_enable ) waiting[\core.leaves_front_node ] <= 1'b0;
      if (\core.leaves.turns_pushes ) waiting[\core.leaves.turns_ready_node ] <= 1'b1;
    end
    if (\core.leaves.turns_pushes ) ring_places[`{log2(DEPTH)}*\core.leaves.turns_ready_node +:`{log2(DEPTH)}] <= \core.leaves.selector.ring_write_address ;
    if (\core.free_release_enable ) free_places[`{log2(DEPTH)}*\core.free_release_node +:`{log2(DEPTH)}] <= \core.free.upper_write_address ;
    swapped <= !reset && !core_launched && (\core.instruction_swap ? memory_request_ready : swapped && !\core.mover_returned );
  end
  // The tables mean something while the warp runs; in the cycle in which it is stopped its trees are given up. What is said here is said of trees of which no node has
  // come to lie in memory yet, though leaves may.
  wire stands = runs && state != STOP && !held;

  // Leaves: the selected one, those of the ring by their nodes, the one that found no node, those in memory by the last digits of their slots.
  wire selected = present && !swapped;
  wire homeless = state == DEFER || (state == COUNT && \core.instruction.sequencer.homeless );
  wire [7:0] asleep = \reasons.used_read_data [9] ? \reasons.sets.words [79:72] : 8'd0;
  reg [`{DEPTH - 1}:0] away;
  always @(*) for (i = 0; i < `{DEPTH}; i = i + 1) begin : in_memory
    reg [2:0] age;
    age = i[2:0] - \core.mover.ring.front [2:0];
`ifdef SMALLEST
    away[i] = age < \core.mover.ring.count ;
`else
    away[i] = i < 8 && age < \core.mover.ring.count ;
`endif
  end

  // Where threads are: `once` holds those that are anywhere, `twice` those that are in two places. The others are of the leaves of the ring, of those that have
  // arrived, and of the leaves in memory; beside each set is what has come there and has not gone.
  reg [7:0] once, twice, ring_once, ring_twice, arrived_once, arrived_twice, away_once, away_twice, ring_threads, arrived_threads, away_threads;
  wire [7:0] at_work = selected ? core_leaf_mask : 8'd0;
  wire [7:0] without_node = homeless ? \core.instruction_held_mask : 8'd0;
  always @(posedge clock)
    if (core_launched) {ring_threads, arrived_threads, away_threads} <= 24'd0;
    else begin
      ring_threads <= (ring_threads & ~(\core.leaves.selector_pop_enable ? \core.leaves_front_mask : 8'd0)) | (\core.leaves.turns_pushes ? \core.leaves.turns_ready_mask : 8'd0);
      arrived_threads <= (arrived_threads | (core_joins ? named : 8'd0)) & ~(event_pop ? core_arrived_next : 8'd0);
      away_threads <= (away_threads & ~(\core.mover_returned ? \core.mover_return_mask : 8'd0)) | (\core.mover_sent ? \core.mover.moving_mask : 8'd0);
    end
  always @(*) begin : places
    reg [7:0] there;
    {ring_once, ring_twice, arrived_once, arrived_twice, away_once, away_twice} = 48'd0;
    for (i = 0; i < `{DEPTH}; i = i + 1) begin
      there = waiting[i] ? \core.leaves.kept.masks.words [8*i+:8] : 8'd0;
      ring_twice = ring_twice | (ring_once & there);
      ring_once = ring_once | there;
      there = regions[i] ? \core.regions.nodes.arrivals.words [8*i+:8] : 8'd0;
      arrived_twice = arrived_twice | (arrived_once & there);
      arrived_once = arrived_once | there;
      there = away[i] ? cells[31*i+14+:8] : 8'd0;
      away_twice = away_twice | (away_once & there);
      away_once = away_once | there;
    end
    once = at_work | without_node | asleep | ring_once | arrived_once | away_once;
    twice = ring_twice | arrived_twice | away_twice | (at_work & without_node) | ((at_work | without_node) & asleep) | ((at_work | without_node | asleep) & ring_once)
      | ((at_work | without_node | asleep | ring_once) & arrived_once) | ((at_work | without_node | asleep | ring_once | arrived_once) & away_once);
  end
  wire [7:0] sum = at_work ^ without_node ^ asleep ^ ring_threads ^ arrived_threads ^ away_threads;
  wire [7:0] overlap = (at_work & without_node) | ((at_work | without_node) & asleep) | ((at_work | without_node | asleep) & ring_threads)
    | ((at_work | without_node | asleep | ring_threads) & arrived_threads) | ((at_work | without_node | asleep | ring_threads | arrived_threads) & away_threads);
  // Which nodes' parents are there, and whose leaves have threads; how many children each node has.
  function exists(input [13:0] link);
    exists = !link[13] || (!link[12] && regions[link[`{log2(DEPTH) - 1}:0]]);
  endfunction
  function names(input [13:0] link, input [`{log2(DEPTH) - 1}:0] node);
    names = link[13] && !link[12] && link[`{log2(DEPTH) - 1}:0] == node;
  endfunction
  reg parents_in_ring, parents_of_regions, parents_in_memory, inhabited;
  wire parents_at_work = (!selected || exists(\core.leaves_link )) && (!homeless || exists(position));
  always @(*) begin
    {parents_in_ring, parents_of_regions, parents_in_memory} = 3'd7;
    inhabited = (!selected || core_leaf_mask != 0) && (!homeless || \core.instruction_held_mask != 0);
    for (i = 0; i < `{DEPTH}; i = i + 1) begin
      if (waiting[i] && !exists(\core.leaves.kept.links.words [14*i+:14])) parents_in_ring = 1'b0;
      if (regions[i] && !exists(\core.regions.nodes.aboves.words [14*i+:14])) parents_of_regions = 1'b0;
      if (away[i] && !exists(cells[31*i+:14])) parents_in_memory = 1'b0;
      if (waiting[i] && \core.leaves.kept.masks.words [8*i+:8] == 0) inhabited = 1'b0;
      if (away[i] && cells[31*i+14+:8] == 0) inhabited = 1'b0;
    end
  end
  // How many of its children have come to the ring, to the regions and to memory, and have not gone from there; and in all.
  reg [`{9 * DEPTH - 1}:0] ring_children, region_children, away_children, all_children;
  reg signed [8:0] to_ring, to_regions, to_memory;
  always @(posedge clock) for (j = 0; j < `{DEPTH}; j = j + 1) begin
    to_ring = (\core.leaves.turns_pushes && names(\core.leaves.turns_ready_link , j[`{log2(DEPTH) - 1}:0])) - (\core.leaves.selector_pop_enable && names(\core.leaves_front_link , j[`{log2(DEPTH) - 1}:0]));
    to_regions = (\core.instruction_opened_here && names(\core.leaves_link , j[`{log2(DEPTH) - 1}:0])) - (event_pop && !\core.regions_memory && names(\core.regions_above , j[`{log2(DEPTH) - 1}:0]));
    to_memory = (\core.mover_sent && names(\core.mover.moving_link , j[`{log2(DEPTH) - 1}:0])) - (\core.mover_returned && names(\core.mover_return_link , j[`{log2(DEPTH) - 1}:0]));
    ring_children[9*j+:9] <= core_launched ? 9'd0 : ring_children[9*j+:9] + to_ring;
    region_children[9*j+:9] <= core_launched ? 9'd0 : region_children[9*j+:9] + to_regions;
    away_children[9*j+:9] <= core_launched ? 9'd0 : away_children[9*j+:9] + to_memory;
    all_children[9*j+:9] <= core_launched ? 9'd0 : all_children[9*j+:9] + to_ring + to_regions + to_memory;
  end
  reg [`{DEPTH - 1}:0] counted, added, summed, barren, ring_is_counted, regions_are_counted, away_is_counted;
  always @(*) for (j = 0; j < `{DEPTH}; j = j + 1) begin : counts_of_children
    reg [`{log2(DEPTH)}:0] of_leaves, of_regions, of_memory;
    reg [8:0] of_others, number, children;
    of_leaves = 0;
    of_regions = 0;
    of_memory = 0;
    for (i = 0; i < `{DEPTH}; i = i + 1) begin
      of_leaves = of_leaves + (waiting[i] && names(\core.leaves.kept.links.words [14*i+:14], j[`{log2(DEPTH) - 1}:0]));
      of_regions = of_regions + (regions[i] && names(\core.regions.nodes.aboves.words [14*i+:14], j[`{log2(DEPTH) - 1}:0]));
      of_memory = of_memory + (away[i] && names(cells[31*i+:14], j[`{log2(DEPTH) - 1}:0]));
    end
    ring_is_counted[j] = of_leaves == ring_children[9*j+:9];
    regions_are_counted[j] = of_regions == region_children[9*j+:9];
    away_is_counted[j] = of_memory == away_children[9*j+:9];
    of_others = (selected && names(\core.leaves_link , j[`{log2(DEPTH) - 1}:0])) + (homeless && names(position, j[`{log2(DEPTH) - 1}:0]));
    number = \core.regions.nodes.counts.words [9*j+:9];
    children = of_others + of_leaves + of_regions + of_memory;
    added[j] = !regions[j] || number + (state == COUNT && names(position, j[`{log2(DEPTH) - 1}:0]))
      == of_others + all_children[9*j+:9] + (state == CLIMB && names(position, j[`{log2(DEPTH) - 1}:0]));
    summed[j] = all_children[9*j+:9] == ring_children[9*j+:9] + region_children[9*j+:9] + away_children[9*j+:9];
    counted[j] = !regions[j] || number + (state == COUNT && names(position, j[`{log2(DEPTH) - 1}:0])) == children + (state == CLIMB && names(position, j[`{log2(DEPTH) - 1}:0]));
    barren[j] = regions[j] && (number == 0 || (children == 0 && !(state == CLIMB && names(position, j[`{log2(DEPTH) - 1}:0]))));
  end
  wire [`{DEPTH - 1}:0] selected_node = present ? `{DEPTH}'d1 << \core.leaves_node : `{DEPTH}'d0;
  wire [`{DEPTH - 1}:0] leaving_node = state == CLIMB && \core.instruction.sequencer.leaving_valid ? `{DEPTH}'d1 << \core.instruction.sequencer.leaving : `{DEPTH}'d0;

  // What the instruction of several cycles is about.
  always @(*) if (checking) helper_rests: assert ((!swapped || state == TAKE || state == ANSWER) && (state != ANSWER || asked_slot == \core.mover.ring.front ));
  // Nothing of a node is in memory before room was made for one, and that is when the marks have come to the end.
  always @(*) if (runs) helper_memory: assert (\core.free.began && (held ? \core.free.mark == `{DEPTH} : !\core.regions.overflow.vacated_read_data [13] && !blank && !unsaved && !fetching));
  always @(*) if (stands) helper_states: assert ((state != SEARCH || (present && \core.instruction.held.hold_operation == 5)) && (state != COUNT || (position[13] && present))
    && (state != EVICT || \core.leaves.selector.count != 0) && (!swapped || (present && \core.free_none && (state == TAKE || state == ANSWER)))
    && (state != SWAP || (present && \core.free_none )) && (state != PREPARE || \core.free_none ) && ((state != TAKE && state != ANSWER) || swapped || !\core.free_none )
    && ((state != SWAP && state != TAKE && state != ANSWER) || \core.mover.ring.count != 0)
    && ((state != SEARCH && state != CLIMB && state != COUNT) || exists(position)));
  always @(*) if (runs) helper_live: assert (reasons_live == here && query_active == (present ? core_leaf_mask : 8'd0));
  // Positions in the stack of free nodes and nodes that were given back correspond, and there are as many.
  reg [`{DEPTH - 1}:0] stacked, copied;
  reg [`{log2(DEPTH)}:0] number_live;
  always @(*) begin
    number_live = 0;
    for (i = 0; i < `{DEPTH}; i = i + 1) begin
      stacked[i] = i < \core.free.mark || !\core.free.live [i];
      for (j = 0; j < `{DEPTH}; j = j + 1)
        if ((i < \core.free.count && \core.free.upper.words [`{log2(DEPTH)}*i+:`{log2(DEPTH)}] == j) != (j < \core.free.mark && !\core.free.live [j] && free_places[`{log2(DEPTH)}*j+:`{log2(DEPTH)}] == i)) stacked[i] = 1'b0;
      copied[i] = i >= \core.free.count || \core.free.lower.words [`{log2(DEPTH)}*i+:`{log2(DEPTH)}] == \core.free.upper.words [`{log2(DEPTH)}*i+:`{log2(DEPTH)}];
      number_live = number_live + \core.free.live [i];
    end
  end
  always @(*) if (stands) helper_stack_count: assert (number_live + \core.free.count == \core.free.mark && \core.free.mark <= `{DEPTH});
  always @(*) if (stands) helper_stack: assert (&stacked);
  always @(*) if (stands) helper_copies: assert (&copied);
  // The nodes that would be taken next are free.
  always @(*) if (stands) helper_fresh: assert ((\core.free_none || !\core.free.live [\core.free_first_node ])
    && (\core.free_none || \core.free.single || (!\core.free.live [\core.free_second_node ] && \core.free_first_node != \core.free_second_node )));
  // 4. A node is free, the selected leaf, a leaf of the ring, a region or about to be given back, and only one of these (TD-01, TD-08).
  always @(*) if (stands) one_use: assert ((selected_node | waiting | regions | leaving_node) == \core.free.live && (selected_node & waiting) == 0 && (selected_node & regions) == 0
    && (waiting & regions) == 0 && (leaving_node & (selected_node | waiting | regions)) == 0);
  // 4. Nodes are taken that are free, and given back that are used: what `free_list` assumes.
  always @(*) if (stands) frees_what_is_used: assert ((!\core.free_take_first || !\core.free_none ) && (!\core.free_take_second || (\core.free_take_first && !\core.free.single ))
    && (!\core.free_release_enable || \core.free.live [\core.free_release_node ]) && !(core_launched && (\core.free_take_first || \core.free_release_enable )));
  // Once nodes lie in memory nothing is stated of links there, so that nodes given back are used is assumed, as `free_list` does, and traffic is checked to keep it.
  always @(*) if (runs && held && \core.free_release_enable ) frees_what_is_used_there: assume (\core.free.live [\core.free_release_node ]);
  // A node is taken while another is given back only if it is one that was given back before, and no other is taken.
  always @(*) if (checking && (\core.free_take_first || \core.free_take_second ) && \core.free_release_enable ) helper_one_each: assert (!\core.free_take_second && \core.free.count != 0);
  // So do positions in the ring and nodes that are leaves.
  reg [`{DEPTH - 1}:0] ringed;
  reg [`{log2(DEPTH)}:0] number_waiting;
  always @(*) begin
    number_waiting = 0;
    for (i = 0; i < `{DEPTH}; i = i + 1) begin : ring_is_right
      reg [`{log2(DEPTH) - 1}:0] age;
      age = i[`{log2(DEPTH) - 1}:0] - \core.leaves.selector.head ;
      ringed[i] = 1'b1;
      for (j = 0; j < `{DEPTH}; j = j + 1)
        if ((age < \core.leaves.selector.count && \core.leaves.selector.ring.words [`{log2(DEPTH)}*i+:`{log2(DEPTH)}] == j) != (waiting[j] && ring_places[`{log2(DEPTH)}*j+:`{log2(DEPTH)}] == i)) ringed[i] = 1'b0;
      number_waiting = number_waiting + waiting[i];
    end
  end
  always @(*) if (stands) helper_ring_count: assert (number_waiting == \core.leaves.selector.count && (present || number_waiting == 0));
  always @(*) if (stands) helper_ring: assert (&ringed);
  // The slots of leaves in memory.
  reg slots;
  always @(*) begin : slots_are_right
    reg [2:0] age;
    reg [5:0] slot;
    slots = \core.mover.ring.count <= 8;
    for (i = 0; i < 8; i = i + 1) begin
      age = i[2:0] - \core.mover.ring.front [2:0];
      slot = \core.mover.ring.front + age;
      if (away[i] && cells[31*i+22+:9] != slot[5:3]) slots = 1'b0;
    end
  end
  always @(*) if (stands) helper_slots: assert (slots);
  reg [`{DEPTH - 1}:0] kinds;
  always @(*) for (i = 0; i < `{DEPTH}; i = i + 1) kinds[i] = !regions[i] || \core.regions.nodes.kinds.words [4*i+:4] != 9;
  always @(*) if (stands) helper_kinds: assert (&kinds);
  // 5. No leaf is without a thread (TD-05).
  always @(*) if (stands) no_empty_leaf: assert (inhabited);
  always @(*) if (stands) helper_parents_at_work: assert (parents_at_work);
  always @(*) if (stands) helper_parents_in_ring: assert (parents_in_ring);
  always @(*) if (stands) helper_parents_of_regions: assert (parents_of_regions);
  always @(*) if (stands) helper_parents_in_memory: assert (parents_in_memory);
  // 5. Each leaf and each region has no parent, or one that waits (TD-01, TD-05): there is no orphan.
  always @(*) if (stands) no_orphan: assert (parents_at_work && parents_in_ring && parents_of_regions && parents_in_memory);
  // What goes into the ring is not there, what leaves it is; what is opened is no region, what is closed is one.
  always @(*) if (stands) helper_moves: assert ((!\core.leaves.turns_pushes || !waiting[\core.leaves.turns_ready_node ]) && (!\core.leaves.selector_pop_enable || waiting[\core.leaves_front_node ])
    && (!\core.instruction_opened_here || !regions[\core.free_first_node ]) && (!event_pop || \core.regions_memory || regions[\core.regions_node ]));
  // 2. A region's count is that of the leaves and regions whose parent it is, wherever they lie; only while an instruction of several cycles is at it it is one behind
  // (TD-05).
  always @(*) if (stands) helper_ring_children: assert (&ring_is_counted);
  always @(*) if (stands) helper_region_children: assert (&regions_are_counted);
  always @(*) if (stands) helper_away_children: assert (&away_is_counted);
  always @(*) if (stands) helper_summed: assert (&summed);
  always @(*) if (stands) helper_added_0: assert (added[0]);
  always @(*) if (stands) helper_added_1: assert (added[1]);
  always @(*) if (stands) helper_added_2: assert (added[2]);
  always @(*) if (stands) helper_added_3: assert (added[3]);
  always @(*) if (stands) helper_added_4: assert (added[4]);
  always @(*) if (stands) helper_added_5: assert (added[5]);
  always @(*) if (stands) helper_added_6: assert (added[6]);
  always @(*) if (stands) helper_added_7: assert (added[7]);
  always @(*) if (stands) children_are_counted: assert (&counted);
  // A region ends with its last child: nobody else's parent is it.
  reg last;
  always @(*) begin
    last = !(homeless && names(position, \core.regions_node )) && !(state == CLIMB && selected && names(\core.leaves_link , \core.regions_node ));
    for (i = 0; i < `{DEPTH}; i = i + 1) begin
      if (waiting[i] && names(\core.leaves.kept.links.words [14*i+:14], \core.regions_node )) last = 1'b0;
      if (regions[i] && names(\core.regions.nodes.aboves.words [14*i+:14], \core.regions_node )) last = 1'b0;
      if (away[i] && names(cells[31*i+:14], \core.regions_node )) last = 1'b0;
    end
  end
  always @(*) if (stands && event_pop && !\core.regions_memory ) helper_last_child: assert (last);
  // 2. and `tree_core` 1. A waiting node has a child, unless it has just lost the last one (TD-05).
  always @(*) if (stands) waits_for_a_child: assert (barren == 0);
  always @(*) if (stands) helper_ring_threads: assert (ring_once == ring_threads && ring_twice == 0);
  always @(*) if (stands) helper_arrived_threads: assert (arrived_once == arrived_threads && arrived_twice == 0);
  always @(*) if (stands) helper_away_threads: assert (away_once == away_threads && away_twice == 0);
  always @(*) if (stands) helper_places: assert (sum == here && overlap == 0);
  // 1. Each thread of the warp that has not exited is in one place: in a leaf, arrived at a region, or asleep; and nobody else is (TD-01).
  always @(*) if (stands) threads_are_parted: assert (once == here && twice == 0);
  // 3. A warp halts only if every thread has exited.
  always @(*) if (checking && done_valid) halts_with_nobody: assert (here == 0);

  // All threads of a region go on where it ends, after they have arrived one by one.
  all_resume: cover property (stands && regions[1] && \core.regions.nodes.arrivals.words [15:8] == 8'h7f && event_pop && core_arrived_next == 8'hff);
  // The selected leaf goes to memory, in exchange for one that found no node and comes back.
  comes_back: cover property (stands && swapped && \core.mover_returned );
`ifdef GUIDED
  // On the way there: a region is opened, then one branch after the other parts the leaf, until there are more leaves than nodes; memory answers at once.
  reg opened;
  always @(posedge clock) opened <= !reset && (opened || event_push);
  always @(*) if (started) all_the_way: assume (!reset && launch_valid == !warp_running && request_valid && request_operation == (opened ? 2 : 1) && request_kind == 1 && path_policy == 0
    && (refused || request_mask == (query_active & (query_active - 1'b1))) && spill_limit == 64 && exchange_interval == 1 && memory_request_ready && memory_response_valid == asked);
`endif
