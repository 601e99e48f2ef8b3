// What becomes of the threads of a group of warps between the tree and the table of masks (TD-10): who sleeps and who lives, which threads an index
// stands for. The tree and the table may do anything but what is assumed here: `mask_table` has proofs of its own.

  localparam [3:0] COLLECT = 4'd0, STORE_NAMED = 4'd1, STORE_REST = 4'd2, UNITE = 4'd3, STORE_UNION = 4'd4, STORE_WOKEN = 4'd5, WAKE = 4'd6, STORE_LAUNCH = 4'd7,
    LAUNCH = 4'd8;
  localparam MASK = `THREADS, WARP = `{log2(WARPS)}, COLUMN = `{log2(COLUMNS)};
  localparam [`{WARPS * log2(COLUMNS) - 1}:0] COLUMN_OF_ONE = `{2 ** log2(COLUMNS) - 1};
  localparam [3:0] EXIT = 4'd7, SLEEP = 4'd8;
  (* hierconn *) wire [3:0] \masks.state ;
  (* hierconn *) wire \masks.launching ;
  (* hierconn *) wire `{range(log2(WARPS))} \masks.warp ;
  (* hierconn *) wire [`{WARPS - 1}:0] \masks.place ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.first_mask ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.second_mask ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.second_index ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.index ;
  (* hierconn *) wire \masks.storing ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.masks_part_store_mask ;
  (* hierconn *) wire \masks.masks_part_store_ready ;
  (* hierconn *) wire \masks.masks_part_stored_valid ;
  (* hierconn *) wire \masks.masks_part_drop_enable ;
  (* hierconn *) wire `{range(log2(WARPS))} \masks.masks_part_read_row ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.masks_part_read_column ;
  (* hierconn *) wire [`{WARPS - 1}:0] \threads.alive ;
  (* hierconn *) wire [`{WARPS - 1}:0] \collector.reported ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_0 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_1 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_0 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_1 ;
`ifdef SMALLEST
  (* hierconn *) wire [1:0] \threads.mapping.words ;
  (* hierconn *) wire [1:0] \threads.turn_mapping.words ;
  (* hierconn *) wire [15:0] \threads.sleepers.words ;
  (* hierconn *) wire [15:0] \threads.lives.words ;
  wire [2*COLUMN-1:0] named_indices = {\collector.named_index_1 , \collector.named_index_0 };
  wire [2*COLUMN-1:0] rest_indices = {\collector.rest_index_1 , \collector.rest_index_0 };
`else
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_2 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_3 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_4 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_5 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_6 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.named_index_7 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_2 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_3 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_4 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_5 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_6 ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \collector.rest_index_7 ;
  wire [8*COLUMN-1:0] named_indices = {\collector.named_index_7 , \collector.named_index_6 , \collector.named_index_5 , \collector.named_index_4 , \collector.named_index_3 , \collector.named_index_2 , \collector.named_index_1 , \collector.named_index_0 };
  wire [8*COLUMN-1:0] rest_indices = {\collector.rest_index_7 , \collector.rest_index_6 , \collector.rest_index_5 , \collector.rest_index_4 , \collector.rest_index_3 , \collector.rest_index_2 , \collector.rest_index_1 , \collector.rest_index_0 };
`endif
  wire [3:0] state = \masks.state ;
  wire starts = \masks.launching || state == LAUNCH;

  // Any one position is watched: its warp, who of its threads lives and who sleeps.
  (* anyconst *) reg `{range(log2(WARPS))} watched;
  wire at_turn = turn_position == watched;
  wire at = position == watched;
  reg [WARP-1:0] row;
  reg [MASK-1:0] lives, sleeps;
  reg in_group;
  wire exits_now = reports && at_turn && request_operation == EXIT;
  always @(posedge clock)
    if (reset) begin
      in_group <= 1'b0;
    end else begin
      if (launches && masks_first) in_group <= 1'b0;
      if (launches && at) begin
        in_group <= 1'b1;
        {row, lives, sleeps} <= {launch_warp, launch_mask, {MASK{1'b0}}};
      end
      if (exits_now) lives <= lives & ~collector_named_mask;
      if (reports && at_turn && request_operation == SLEEP) sleeps <= sleeps | collector_named_mask;
      if (wakes && at) sleeps <= sleeps & ~request_mask;
    end
  // What the table of masks was asked to store, and has not answered.
  reg asked;
  reg [WARP-1:0] asked_row;
  reg [MASK-1:0] asked_mask;
  wire stored = \masks.masks_part_stored_valid ;
  always @(posedge clock) begin
    asked <= !reset && !stored && (asked || (\masks.storing && \masks.masks_part_store_ready ));
    if (!asked && \masks.storing && \masks.masks_part_store_ready ) {asked_row, asked_mask} <= {\masks.warp , \masks.masks_part_store_mask };
  end
  // The table of masks answers a store once, and takes no other before (`stores_what_was_asked` of `mask_table`).
  always @(*) if (checking) table_answers: assume ((!stored || asked) && (!asked || !\masks.masks_part_store_ready ));
  // The tree takes an instruction that it is offered, works at none else, and at none before it has been started; it shows no further leaf while one joins. A
  // leaf holds threads that live and are awake, of warps of the group.
  always @(*) if (checking) tree_takes: assume ((!core_request_ready || core_request_valid) && (!core_joins || (core_joining && core_joined_ready))
    && (!core_joining || (running && (collector_complete || !core_warp_ready))) && (!core_warp_ready || running) && (!running || !starts));
  always @(*) if (checking && reports && at_turn) leaf_is_awake: assume (in_group && (masks_active & ~(lives & ~sleeps)) == 0);
  // It ends while nobody reports and nothing is being stored.
  always @(*) if (checking && ends) ends_between: assume ((state == COLLECT || state == WAKE) && !reports && !uniting);
  // What joins is of the group.
  always @(*) if (checking && uniting && at) all_of_the_group: assume (in_group);

  // 3. Who sleeps lives (TD-10).
  always @(*) if (checking && in_group) sleepers_live: assert ((sleeps & ~lives) == 0);
  // 3. Only who sleeps is woken, nobody where the group has no warp (TD-10).
  always @(*) if (checking && wakes && at) wakes_who_sleeps: assert (threads_woken == (in_group ? sleeps & request_mask : {MASK{1'b0}}));
  // 3. A report parts the threads of the leaf's warp: those that it names, and the others.
  always @(*) if (checking && reports) parts_the_leaf: assert ((collector_named_mask | collector_rest_mask) == masks_active && (collector_named_mask & collector_rest_mask) == 0
    && (collector_named_mask == (masks_active & request_mask) || (collector_named_mask == 0 && !request_along)));
  // 3. The group outlives an instruction if a thread of any warp lives.
  always @(*) if (checking && in_group && lives != 0) outlives_if_one_lives: assert (threads_outlives);
  // 3. Otherwise it does not: what says so names the positions with a thread that lives, and no other.
  always @(*) if (checking) ends_with_the_last: assert (threads_outlives == |\threads.alive && \threads.alive [watched] == (in_group && lives != 0));

  // What the watched position's warp has reported of the present instruction, and the columns that the parts went to.
  reg reported, parted, gone;
  reg [MASK-1:0] named, rest;
  reg [COLUMN-1:0] leaf_column, named_column, rest_column;
  wire [COLUMN-1:0] index_named = named_indices[watched*COLUMN+:COLUMN];
  wire [COLUMN-1:0] index_rest = rest_indices[watched*COLUMN+:COLUMN];
  always @(posedge clock)
    if (reset || collector_clear) reported <= 1'b0;
    else if (reports && at_turn) reported <= 1'b1;
  always @(posedge clock) begin
    if (reports && at_turn) {parted, gone, named, rest, leaf_column} <= {collector_parted, collector_gone, collector_named_mask, collector_rest_mask, turn_index};
    if (stored && state == STORE_NAMED && \masks.place [watched]) named_column <= masks_put_index;
    if (stored && state == STORE_REST && \masks.place [watched]) rest_column <= masks_put_index;
  end
  // 2. What is stored is a part that was reported, of the warp that stands there: the named threads, unless they are in no node afterwards, or the others.
  always @(*) if (checking && stored && (state == STORE_NAMED || state == STORE_REST) && \masks.place [watched]) stores_the_parts: assert (reported && parted
    && asked_row == row && asked_mask == (state == STORE_NAMED ? named : rest) && (state == STORE_REST || !gone));
  // 2. The indices that the tree gets are those of the parts: what the table answered if they parted, the leaf's own where all go one way, none for nobody.
  always @(*) if (checking && changed && state == COLLECT && reported) index_is_of_its_threads: assert (parted
    ? index_rest == rest_column && (gone || index_named == named_column)
    : index_named == (named != 0 ? leaf_column : 0) && index_rest == (named != 0 ? 0 : leaf_column));
  // 2. A warp that has not reported has no part in the instruction.
  always @(*) if (checking && changed && state == COLLECT && !reported) index_of_nobody: assert (index_named == 0 && index_rest == 0);
  // 2. An index is given up when its threads part or leave, and only then: by the report, once.
  always @(*) if (checking && reports) drops_what_parts: assert (\masks.masks_part_drop_enable == (collector_parted || collector_gone)
    && \masks.masks_part_read_row == turn_warp && \masks.masks_part_read_column == turn_index);

  // A join unites what has arrived with what arrives: both masks are read, of one warp, and given up, and what is stored is both.
  reg [MASK-1:0] first, second;
  reg [COLUMN-1:0] arrived_column, second_column;
  always @(posedge clock) begin
    if (uniting && at) {first, arrived_column, second_column} <= {masks_active, joiner_arrived_index, joiner_named_index};
    if (state == UNITE && \masks.place [watched]) second <= masks_active;
  end
  // 2. A join unites what has arrived with what arrives: first the mask that has arrived is read, of the warp at that position, and given up.
  always @(*) if (checking && uniting) reads_what_arrived: assert (\masks.masks_part_read_row == threads_warp && \masks.masks_part_read_column == joiner_arrived_index
    && \masks.masks_part_drop_enable );
  // 2. Then that of those that arrive, of the same warp.
  always @(*) if (checking && state == UNITE && \masks.place [watched]) reads_what_arrives: assert (\masks.masks_part_read_row == row && \masks.masks_part_read_column == second_column
    && \masks.masks_part_drop_enable );
  // 2. What is stored is both.
  always @(*) if (checking && stored && state == STORE_UNION && \masks.place [watched]) stores_the_union: assert (asked_row == row && asked_mask == (first | second));

  // Those that are woken, or launched, are stored as such, and the tree gets their index.
  reg [MASK-1:0] woken;
  reg [COLUMN-1:0] woken_column, launch_column;
  reg launched;
  always @(posedge clock) begin
    if (wakes) woken <= threads_woken;
    if (stored && state == STORE_WOKEN && \masks.place [watched]) woken_column <= masks_put_index;
    if (stored && state == STORE_LAUNCH && \masks.place [watched]) launch_column <= masks_put_index;
    if (launches) launched <= at || (launched && !masks_first);
  end
  // 2. Those that are woken are stored as such.
  always @(*) if (checking && stored && state == STORE_WOKEN && \masks.place [watched]) stores_the_woken: assert (asked_row == row && asked_mask == woken);
  // 2. The tree is asked to wake them by the index under which they were stored, and nobody at another position.
  always @(*) if (checking && state == WAKE && \masks.place [watched]) wakes_by_their_index: assert (core_request_valid && core_request_operation == 9
    && core_named[watched*COLUMN+:COLUMN] == woken_column && (core_named & ~(COLUMN_OF_ONE << watched*COLUMN)) == 0);
  // 2. Those that are launched are stored as such: all that live, and nobody sleeps.
  always @(*) if (checking && stored && state == STORE_LAUNCH && \masks.place [watched]) stores_the_launched: assert (asked_row == row && asked_mask == lives && sleeps == 0);
  // 2. The tree gets the index under which they were stored.
  always @(*) if (checking && state == LAUNCH && launched) launches_by_their_index: assert (index_named == launch_column);

  // The warp's threads part, and all of it has been stored.
  parts: cover property (checking && changed && reported && parted && !gone && index_rest != index_named);
  // Two masks have become one.
  unites: cover property (checking && stored && state == STORE_UNION && first != 0 && second != 0);
  // Sleeping threads come back while others of the warp sleep on.
  wakes_some: cover property (checking && state == WAKE && \masks.place [watched] && sleeps != 0 && woken != 0);
`ifdef GUIDED
  // On the way there: one warp, which opens a region and leaves it, some threads after the others; or some sleep. Memory is not needed.
  reg opened;
  always @(posedge clock) opened <= !reset && (opened || event_push);
  always @(*) if (started) all_the_way: assume (!reset && path_policy == 0 && exchange_interval == 0 && launch_last && launch_mask == {MASK{1'b1}} && launch_position == watched
    && launch_warp == watched && request_position == watched && request_valid && request_kind == 1 && request_target == 1 && !request_targeted && !request_again
    && (opened ? request_operation == 5 : request_operation == 1 || request_operation >= EXIT) && !memory_request_ready && !memory_response_valid);
`endif

`ifdef SMALLEST
  // The tables hold what is known of the position.
  always @(*) if (checking && in_group) helper_tables: assert (\threads.mapping.words [watched] == row && \threads.turn_mapping.words [watched] == row
    && \threads.sleepers.words [watched*MASK+:MASK] == sleeps && \threads.lives.words [watched*MASK+:MASK] == lives);
`endif
  // What is being stored is of a position, and is held until it is.
  always @(*) if (checking) helper_asked: assert (state <= LAUNCH && (!asked || (\masks.storing && asked_row == \masks.warp && asked_mask == \masks.masks_part_store_mask )));
  wire of_watched = \masks.place [watched];
  always @(*) if (checking && of_watched && (state == STORE_NAMED || state == STORE_REST)) helper_parts: assert (reported && parted && in_group && \masks.warp == row && named != 0 && rest != 0
    && \masks.first_mask == named && \masks.second_mask == rest && (state != STORE_NAMED || !gone) && (state != STORE_REST || gone || index_named == named_column));
  always @(*) if (checking) helper_reported: assert (\collector.reported [watched] == reported && (reported || \collector.reported == 0 || (index_named == 0 && index_rest == 0)) && (!starts || \collector.reported == 0));
  always @(*) if (checking && of_watched && state == STORE_LAUNCH) helper_launch: assert (launched && in_group && \masks.warp == row && \masks.first_mask == lives && sleeps == 0);
  always @(*) if (checking && of_watched && state == STORE_WOKEN) helper_woken: assert (in_group && \masks.warp == row && \masks.first_mask == woken);
  always @(*) if (checking && of_watched && state == WAKE) helper_wake: assert (\masks.index == woken_column);
  always @(*) if (checking && of_watched && state == UNITE) helper_unite: assert (in_group && \masks.warp == row && \masks.first_mask == first && \masks.second_index == second_column);
  always @(*) if (checking && of_watched && state == STORE_UNION) helper_union: assert (in_group && \masks.warp == row && \masks.first_mask == (first | second));
  always @(*) if (checking && state != COLLECT) helper_place: assert (\masks.place != 0 && (\masks.place & (\masks.place - 1)) == 0 && (state == STORE_LAUNCH ? \masks.launching : state == LAUNCH || !\masks.launching ));
  always @(*) if (checking && starts && launched && state != STORE_LAUNCH) helper_launched: assert (index_named == launch_column);
  always @(*) if (checking && starts && launched && state == STORE_LAUNCH && !of_watched) helper_launching: assert (index_named == launch_column);
  always @(*) if (checking && reported && !(of_watched && (state == STORE_NAMED || state == STORE_REST))) helper_indices: assert (parted ? index_rest == rest_column && (gone || index_named == named_column)
    : index_named == (named != 0 ? leaf_column : 0) && index_rest == (named != 0 ? 0 : leaf_column));
