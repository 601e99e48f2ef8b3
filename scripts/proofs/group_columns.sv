// Which columns of the table of masks a group uses (TD-10): the masks in use of a warp part its threads, so that a mask that is stored is never there already,
// and always has a column. The tree may do anything but what is assumed here.

  localparam MASK = `THREADS, WARP = `{log2(WARPS)}, COLUMN = `{log2(COLUMNS)};
  localparam [3:0] COLLECT = 4'd0, STORE_NAMED = 4'd1, STORE_REST = 4'd2, UNITE = 4'd3, STORE_UNION = 4'd4, STORE_WOKEN = 4'd5, WAKE = 4'd6, STORE_LAUNCH = 4'd7,
    LAUNCH = 4'd8;
  (* hierconn *) wire [3:0] \masks.state ;
  (* hierconn *) wire \masks.launching ;
  (* hierconn *) wire`{range(log2(WARPS))} \masks.warp ;
  (* hierconn *) wire [`{WARPS - 1}:0] \masks.place ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.first_mask ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.second_mask ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.second_index ;
  (* hierconn *) wire \masks.storing ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.masks_part_store_mask ;
  (* hierconn *) wire \masks.masks_part_stored_valid ;
  (* hierconn *) wire \masks.masks_part_stored_full ;
  (* hierconn *) wire \masks.masks_part_drop_enable ;
  (* hierconn *) wire`{range(log2(WARPS))} \masks.masks_part_read_row ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.masks_part_read_column ;
  (* hierconn *) wire \masks.masks_part.looking ;
  (* hierconn *) wire`{range(log2(WARPS))} \masks.masks_part.row ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.masks_part.mask ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.masks_part.cursor ;
  (* hierconn *) wire [`{log2(COLUMNS) - 1}:0] \masks.masks_part.vacant ;
  (* hierconn *) wire \masks.masks_part.beyond ;
  (* hierconn *) wire \masks.masks_part.idle_column ;
  (* hierconn *) wire [`{THREADS - 1}:0] \masks.masks_part.masks_look_read_data ;
  (* hierconn *) wire [`{WARPS - 1}:0] \threads.alive ;
`ifdef SMALLEST
  (* hierconn *) wire [255:0] \masks.masks_part.masks.words ;
  (* hierconn *) wire [255:0] \masks.masks_part.masks_look.words ;
  (* hierconn *) wire [31:0] \masks.masks_part.users.words ;
  (* hierconn *) wire [31:0] \masks.masks_part.users_look.words ;
  (* hierconn *) wire [7:0] \masks.masks_part.marks.words ;
  (* hierconn *) wire [1:0] \threads.mapping.words ;
  (* hierconn *) wire [1:0] \threads.turn_mapping.words ;
  (* hierconn *) wire [15:0] \threads.sleepers.words ;
`else
  // Of tables that are large eight entries are seen: those of all positions, and the first eight columns of a row, as there is no time for more (`helper_few`).
  (* hierconn *) wire [2:0] \threads.mapping.look ;
  (* hierconn *) wire [2:0] \threads.sleepers.look ;
  (* hierconn *) wire [8:0] \masks.masks_part.masks.look ;
  (* hierconn *) wire [23:0] \threads.mapping.looked_at ;
  (* hierconn *) wire [255:0] \threads.sleepers.looked_at ;
  (* hierconn *) wire [255:0] \masks.masks_part.masks.looked_at ;
`endif
  wire [3:0] state = \masks.state ;
  wire starts = \masks.launching || state == LAUNCH;
  wire looking = \masks.masks_part.looking ;
  wire stored = \masks.masks_part_stored_valid ;
  wire drops = \masks.masks_part_drop_enable ;
  wire [WARP+COLUMN-1:0] stored_entry = {\masks.warp , masks_put_index};
  wire [WARP+COLUMN-1:0] dropped_entry = {\masks.masks_part_read_row , \masks.masks_part_read_column };

  // The positions of the group that have a warp, the warps that have a position, and the columns that have a user, as the table was told: a row of them a warp.
  localparam [`{WARPS - 1}:0] NONE = 0, FIRST = 1;
  reg [`{WARPS - 1}:0] placed, taken_warps;
  reg [`{WARPS * COLUMNS - 1}:0] in_use;
  always @(posedge clock)
    if (reset) {placed, taken_warps} <= {NONE, NONE};
    else if (launches) begin
      placed <= (masks_first ? NONE : placed) | hot;
      taken_warps <= (masks_first ? NONE : taken_warps) | (FIRST << launch_warp);
    end
  always @(posedge clock)
    if (reset) in_use <= 0;
    else begin
      if (stored && !\masks.masks_part_stored_full && masks_put_index != 0) in_use[stored_entry] <= 1'b1;
      if (drops) in_use[dropped_entry] <= 1'b0;
      if (launches) in_use[`COLUMNS*launch_warp+:`COLUMNS] <= 0;
    end
  // A warp stands at one position of its group.
  always @(*) if (checking && launches && !masks_first) launched_once: assume (!placed[launch_position] && !taken_warps[launch_warp]);
  // The tree takes an instruction that it is offered, works at none else, and at none before it has been started; it shows no further leaf while one joins.
  always @(*) if (checking) tree_takes: assume ((!core_request_ready || core_request_valid) && (!core_joining || (running && (collector_complete || !core_idle)))
    && (!core_warp_ready || (running && core_idle)) && (!running || !starts));
  // It names columns that are in use, of positions that have a warp: those of a leaf, and of two sets that have no thread in common where one joins the other.
  always @(*) if (checking && reports) leaf_is_in_use: assume (placed[turn_position] && in_use[{turn_warp, turn_index}]);
  always @(*) if (checking && uniting) joins_what_is_in_use: assume (placed[joiner_position] && in_use[{threads_warp, joiner_arrived_index}]
    && in_use[{threads_warp, joiner_named_index}] && joiner_arrived_index != joiner_named_index);

  // Any one position is watched, with its warp's row.
  (* anyconst *) reg `{range(log2(WARPS))} watched;
  wire in_group = placed[watched];
  wire of_watched = \masks.place [watched];
`ifdef SMALLEST
  localparam SEEN = `COLUMNS;
  wire [WARP-1:0] row = \threads.mapping.words [watched];
  wire [MASK-1:0] sleepers = \threads.sleepers.words [watched*MASK+:MASK];
  wire [SEEN*MASK-1:0] masks_of_row = \masks.masks_part.masks.words [128*row+:128];
  wire [3:0] mark = \masks.masks_part.marks.words [4*row+:4];
`else
  localparam SEEN = 8;
  assign \threads.mapping.look = 0;
  assign \threads.sleepers.look = 0;
  assign \masks.masks_part.masks.look = {row, 6'd0};
  wire [WARP-1:0] row = \threads.mapping.looked_at [watched*WARP+:WARP];
  wire [MASK-1:0] sleepers = \threads.sleepers.looked_at [watched*MASK+:MASK];
  wire [SEEN*MASK-1:0] masks_of_row = \masks.masks_part.masks.looked_at ;
`endif
  wire [`{COLUMNS - 1}:0] columns = in_use[`COLUMNS*row+:`COLUMNS];
  // Threads of the warp that are in no column, but will be: they are being stored, or about to be.
  reg [MASK-1:0] pending;
  always @(*) begin
    pending = 0;
    if (of_watched)
      case (state)
        STORE_NAMED: pending = \masks.first_mask | \masks.second_mask ;
        STORE_REST: pending = \masks.second_mask ;
        UNITE, STORE_UNION, STORE_WOKEN, STORE_LAUNCH: pending = \masks.first_mask ;
        default: pending = 0;
      endcase
  end
  reg disjoint, inhabited;
  reg [MASK-1:0] together;
  integer i, j;
  always @(*) begin
    disjoint = 1'b1;
    inhabited = 1'b1;
    together = 0;
    for (i = 0; i < SEEN; i = i + 1)
      if (columns[i]) begin
        if (masks_of_row[MASK*i+:MASK] == 0) inhabited = 1'b0;
        for (j = 0; j < i; j = j + 1) if (columns[j] && (masks_of_row[MASK*i+:MASK] & masks_of_row[MASK*j+:MASK]) != 0) disjoint = 1'b0;
        together = together | masks_of_row[MASK*i+:MASK];
      end
  end

  // 4. A thread of a warp is in one mask in use at most, and in none while it sleeps; no mask in use is empty.
  always @(*) if (checking && in_group) masks_part_the_threads: assert (disjoint && inhabited && (together & sleepers) == 0);
  // 4. A column is given up only if it is in use.
  always @(*) if (checking && drops) drops_what_is_in_use: assert (in_use[dropped_entry]);
  // 4. A mask that is stored has no thread in common with those in use that are looked at, so it is never there already.
  always @(*) if (checking && looking && of_watched && !\masks.masks_part.beyond && !\masks.masks_part.idle_column ) stored_is_new: assert (
    \masks.masks_part.masks_look_read_data != 0 && (\masks.masks_part.masks_look_read_data & \masks.masks_part.mask ) == 0);
  // 4. It goes to a column that has no user, of which there is always one, or to column 0 if it is that of nobody.
  always @(*) if (checking && stored && of_watched) finds_a_column: assert (!\masks.masks_part_stored_full && (masks_put_index == 0 ? \masks.masks_part.mask == 0 : !in_use[stored_entry]));
  // 4. The mask of nobody is stored at a launch only, when nothing is in its row yet.
  always @(*) if (checking && looking && of_watched && \masks.masks_part.mask == 0) nobody_at_a_launch: assert (state == STORE_LAUNCH && \masks.masks_part.beyond );

  // A warp parts into a column that was in use before and a new one.
  used_again: cover property (checking && stored && state == STORE_NAMED && \masks.masks_part.vacant != 0 && masks_put_index == 1);
  // The launched warp has no thread.
  nobody: cover property (checking && stored && state == STORE_LAUNCH && \masks.masks_part.mask == 0);
  // Two masks have become one.
  united: cover property (checking && stored && state == STORE_UNION && of_watched);
`ifdef GUIDED
  // On the way there: one warp, which opens a region and leaves it, some threads after the others. Memory is not needed.
  reg opened;
  always @(posedge clock) opened <= !reset && (opened || event_push);
  always @(*) if (started) all_the_way: assume (!reset && path_policy == 0 && exchange_interval == 0 && launch_last && launch_mask == {MASK{1'b1}} && launch_position == watched
    && launch_warp == watched && request_position == watched && request_valid && request_kind == 1 && request_target == 1 && !request_targeted && !request_again
    && request_operation == (opened ? 5 : 1) && !memory_request_ready && !memory_response_valid);
`endif

`ifdef SMALLEST
  // What is being stored is of a position, of whose warp it is, and is held until it is.
  always @(*) if (checking) helper_tables: assert ((!placed[0] || (\threads.turn_mapping.words [0] == \threads.mapping.words [0] && taken_warps[\threads.mapping.words [0]]))
    && (!placed[1] || (\threads.turn_mapping.words [1] == \threads.mapping.words [1] && taken_warps[\threads.mapping.words [1]])) && (!(&placed) || ^\threads.mapping.words ));
  always @(*) if (checking) helper_group: assert ((\threads.alive & ~placed) == 0 && (&taken_warps || !(&placed)) && (!\masks.launching || placed != 0) && (!running || !\masks.launching ));
  always @(*) if (checking) helper_place: assert (state <= LAUNCH && (state == COLLECT || ((^\masks.place ) && (\masks.place & ~placed) == 0))
    && (state == STORE_LAUNCH ? \masks.launching : state == COLLECT || state == LAUNCH || !\masks.launching ));
  always @(*) if (checking && state != COLLECT && state != WAKE && state != LAUNCH) helper_row: assert (\masks.warp == \threads.mapping.words [\masks.place [1]]);
  always @(*) if (checking && looking) helper_asked: assert (\masks.storing && \masks.masks_part.row == \masks.warp && \masks.masks_part.mask == \masks.masks_part_store_mask );
  // Both copies of the table hold what is in use, and nothing is in use from the mark on.
  reg counted, copied;
  always @(*) begin
    counted = !columns[0];
    copied = 1'b1;
    for (i = 1; i < 16; i = i + 1) begin
      if (i < mark ? \masks.masks_part.users.words [16*row+i] != columns[i] || \masks.masks_part.users_look.words [16*row+i] != columns[i] : columns[i]) counted = 1'b0;
      if (columns[i] && \masks.masks_part.masks_look.words [128*row+8*i+:8] != masks_of_row[8*i+:8]) copied = 1'b0;
    end
  end
  always @(*) if (checking && in_group) helper_counted: assert (counted && copied);
  // There are as many columns as threads, at most.
  always @(*) if (checking && in_group) helper_mark: assert (mark != 0 && mark <= 9 && (!(of_watched && state == STORE_LAUNCH) || mark == 1));
  // The search has not passed the mark, and knows the first column that is vacant.
  reg none_vacant;
  always @(*) begin
    none_vacant = 1'b1;
    for (i = 1; i < 16; i = i + 1) if (i < \masks.masks_part.cursor && !columns[i]) none_vacant = 1'b0;
  end
  always @(*) if (checking && looking && of_watched) helper_search: assert (\masks.masks_part.cursor <= mark
    && (\masks.masks_part.vacant == 0 ? none_vacant : \masks.masks_part.vacant < \masks.masks_part.cursor && !columns[\masks.masks_part.vacant ]));
  always @(*) if (checking && looking && of_watched) helper_cursor: assert (\masks.masks_part.cursor != 0);
  // What a woken warp has at the table before its search begins is nothing.
  always @(*) if (checking && state == STORE_WOKEN && !looking) helper_woken: assert (\masks.masks_part.vacant == 0);
  // What is about to be stored is in no column and does not sleep; parts have nothing in common, and are not empty.
  always @(*) if (checking && in_group) helper_pending: assert ((pending & (together | sleepers)) == 0
    && (!of_watched || state != STORE_NAMED || (\masks.first_mask != 0 && (\masks.first_mask & \masks.second_mask ) == 0))
    && (!of_watched || (state != STORE_NAMED && state != STORE_REST) || \masks.second_mask != 0)
    && (!of_watched || (state != UNITE && state != STORE_UNION && state != STORE_WOKEN) || \masks.first_mask != 0));
  // Of a union the second column is still in use when it is read.
  always @(*) if (checking && state == UNITE) helper_unite: assert (in_use[{\masks.warp , \masks.second_index }]);
`else
  // So many columns of a row are not in use in so few cycles that one is not seen.
  always @(*) if (checking && in_group) helper_few: assert ((columns >> SEEN) == 0);
`endif
