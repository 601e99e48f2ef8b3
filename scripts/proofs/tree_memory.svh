  // Of the nodes of a tree that lie in memory: when there is none yet, when one is fetched, and for whom room is made. Whoever includes it says how wide a slot of
  // a leaf is (`SLOT_BITS`).
  (* hierconn *) wire \core.regions.overflow.began ;
  (* hierconn *) wire \core.instruction_acts ;
  (* hierconn *) wire \core.instruction_opened_here ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.free_first_node ;
  (* hierconn *) wire \core.free_none ;
  (* hierconn *) wire \core.launched ;
  (* hierconn *) wire \core.leaves.turns_pushes ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves.turns_ready_node ;
  (* hierconn *) wire [`{log2(DEPTH) - 1}:0] \core.leaves.selector.head ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \core.leaves.selector.count ;
`ifndef ARRAYS
  (* hierconn *) wire [`{DEPTH * log2(DEPTH) - 1}:0] \core.leaves.selector.ring.words ;
  (* hierconn *) wire [`{14 * DEPTH - 1}:0] \core.leaves.kept.links.words ;
  (* hierconn *) wire [`{14 * DEPTH - 1}:0] \core.regions.nodes.aboves.words ;
`endif
  (* hierconn *) wire [11:0] \core.regions.overflow.held_slot ;
  (* hierconn *) wire \core.regions.overflow_wanted_enable ;
  (* hierconn *) wire [11:0] \core.regions.focus_slot ;
  (* hierconn *) wire \core.regions_prepared ;
  (* hierconn *) wire [SLOT_BITS-1:0] \core.mover.ring.count ;
  (* hierconn *) wire [SLOT_BITS-1:0] \core.mover.ring.front ;
  // Which nodes were opened, and which were leaves that waited for their turn, since the launch: what tables hold of others is left over from before.
  reg [`{DEPTH - 1}:0] opened, kept;
  always @(posedge clock)
    if (\core.launched ) {opened, kept} <= `{2 * DEPTH}'d0;
    else begin
      if (\core.instruction_opened_here ) opened[\core.free_first_node ] <= 1'b1;
      if (\core.leaves.turns_pushes ) kept[\core.leaves.turns_ready_node ] <= 1'b1;
    end
  // A link of nobody, or to a node of the table that was opened.
  function on_chip(input [13:0] link);
    on_chip = !link[13] || (!link[12] && opened[link[`{log2(DEPTH) - 1}:0]]);
  endfunction

  // Memory answers what it was asked, with what was written there last, which is known of any one slot for leaves. What was proven of the watched one up to now
  // holds of the others.
  (* anyconst *) reg [SLOT_BITS-1:0] watched;
  wire [11:0] slot = memory_request_address[11:0];
  wire at_watched = slot == watched;
  reg asked, answers_watched, filled;
  reg [13:0] cell_link;
  always @(posedge clock) begin
    asked <= !reset && ((memory_request_valid && memory_request_ready && !memory_request_write) || (asked && !(memory_response_valid && memory_response_ready)));
    if (memory_request_valid && memory_request_ready && !memory_request_write) answers_watched <= at_watched;
    filled <= !\core.launched && (filled || (memory_request_valid && memory_request_ready && memory_request_write && at_watched));
    if (memory_request_valid && memory_request_ready && memory_request_write && at_watched) cell_link <= memory_request_data[13:0];
  end
  always @(*) if (checking && memory_response_valid) memory_answers: assume (asked && (!answers_watched || memory_response_data[13:0] == cell_link));
  always @(*) if (checking && memory_response_valid && asked && !answers_watched && !held) others_are_alike: assume (on_chip(memory_response_data[13:0]));

  // `tree_core` 4. Until a node is opened in memory none is looked for there, and no slot of one was given back (TD-09).
  always @(*) if (runs && !held) none_is_there_before: assert (!\core.regions.overflow_wanted_enable && !\core.regions.overflow.vacated_read_data [13] && !blank
    && !unsaved && !fetching);
`ifndef ARRAYS
  // `tree_core` 4. While one is fetched it is not the one that is there (TD-09).
  always @(*) if (checking && fetching && \core.regions.overflow_wanted_enable ) fetches_another: assert (held && !blank && \core.regions.overflow.held_slot != \core.regions.focus_slot );
  // `tree_core` 4. Room that was made in memory is that of the next instruction that acts, which opens a node there; until then no other is looked for (TD-11).
  always @(*) if (checking && blank) room_is_used: assert (held && !fetching && runs && !\core.launched && !\core.regions.overflow_wanted_enable && \core.regions_prepared
    && (!\core.instruction_acts || event_push));
`endif
  // Room for a node is made.
  makes_room: cover property (runs && \core.regions_prepared && event_push);

  // A warp that runs was launched.
  always @(*) if (runs) helper_began: assert (\core.regions.overflow.began );
`ifndef ARRAYS
  // No link that counts leads to memory before.
  wire before = runs && !held;
  reg ring_links, kept_links, region_links;
  integer i;
  always @(*) begin
    {ring_links, kept_links, region_links} = 3'd7;
    for (i = 0; i < `{DEPTH}; i = i + 1) begin : links_are_right
      reg [`{log2(DEPTH) - 1}:0] age;
      age = i[`{log2(DEPTH) - 1}:0] - \core.leaves.selector.head ;
      if (age < \core.leaves.selector.count && !kept[\core.leaves.selector.ring.words [`{log2(DEPTH)}*i+:`{log2(DEPTH)}]]) ring_links = 1'b0;
      if (kept[i] && !on_chip(\core.leaves.kept.links.words [14*i+:14])) kept_links = 1'b0;
      if (opened[i] && !on_chip(\core.regions.nodes.aboves.words [14*i+:14])) region_links = 1'b0;
    end
  end
  always @(*) if (before) helper_ring_links: assert (ring_links);
  always @(*) if (before) helper_kept_links: assert (kept_links);
  always @(*) if (before) helper_region_links: assert (region_links);
  always @(*) if (before) helper_links: assert ((!present || on_chip(\core.leaves_link )) && ((state != SEARCH && state != CLIMB && state != COUNT && state != DEFER) || on_chip(cursor)));
  wire [SLOT_BITS-1:0] age_of_watched = watched - \core.mover.ring.front ;
  always @(*) if (before) helper_deferred: assert ((age_of_watched >= \core.mover.ring.count || filled) && (!filled || on_chip(cell_link)) && (state != EVICT || \core.leaves.selector.count != 0)
    && (state != SWAP || (present && \core.mover.ring.count != 0)) && ((state != TAKE && state != ANSWER) || \core.mover.ring.count != 0 || filled) && (state != ANSWER || answers_watched == (watched == \core.mover.ring.front )));
`endif
