// The work distributor as a whole (WD-01 to WD-07, WD-10): grids wait, one is walked, flags are read and the blocks whose flags are set are launched.

  localparam PLACES = $bits(block_valid);
  wire asks = memory_request_valid && memory_request_ready;
  wire answered = memory_response_valid && memory_response_ready;
  integer i;

  // Any one index is watched. Memory answers in the order in which it was asked: `before` are the answers that come before that for the watched index.
  (* anyconst *) reg [47:0] watched;
  wire within = watched[15:0] < range_x && watched[31:16] < range_y && watched[47:32] < range_z;
  wire shows = walker_segment_valid && {walker_z, walker_y, walker_word} == watched[47:6] && walker_low <= watched[5:0] && watched[5:0] <= walker_high;
  wire [PLACES-1:0] each_valid = block_valid;
  reg is_watched;
  always @(*) begin
    is_watched = 1'b0;
    for (i = 0; i < PLACES; i = i + 1) if (each_valid[i] && {block_z, block_y, block_x[16*i+:16]} == watched) is_watched = 1'b1;
  end
  reg walked, read, flag, launched;
  reg [15:0] before, unanswered;
  always @(posedge clock) begin
    if (reset || start) begin
      {walked, launched} <= 0;
      {read, flag} <= {2{!reset && !queue_next_task[40]}};
    end else begin
      if (fetcher_segment_step && shows) walked <= 1'b1;
      if (predicated && answered && walked && !read && before == 0) {read, flag} <= {1'b1, memory_response_data[watched[5:0]]};
      if (taken && is_watched) launched <= 1'b1;
    end
    unanswered <= reset ? 0 : unanswered + asks - answered;
    if (asks && shows) before <= unanswered - answered;
    else if (answered && before != 0) before <= before - 1'b1;
  end
  // The walk shows each index within the ranges once, and in order, as `cluster_walker` proves: `at_most_once`, `none_is_left_out`, `x_goes_fastest`,
  // `clusters_in_order`. What it assumes for that is asserted here; that follows without the walk's properties.
  (* hierconn *) wire \walker.wraps ;
  (* hierconn *) wire \walker.y_last ;
  (* hierconn *) wire \walker.z_last ;
  (* hierconn *) wire \walker.some ;
  (* hierconn *) wire [41:0] \walker.last ;
  (* hierconn *) wire [47:0] \walker.opened ;
  wire last_segment = fetcher_segment_step && \walker.wraps && \walker.y_last && \walker.z_last ;
  always @(*) if (checking) walks_each_once: assume ((!shows || (!walked && within)) && (!last_segment || !within || walked || shows));
  always @(*) if (checking && walker_segment_valid) walks_in_order: assume ((walker_opens || {walker_z, walker_y, walker_word} > \walker.last )
    && (!walker_opens || !\walker.some || {walker_z, walker_y, walker_word, walker_low} > \walker.opened ) && walker_low <= walker_high);

  // 1. A block is launched at most once, only within the ranges, and if its grid has a table, only if its flag was set there (WD-07).
  always @(*) if (checking && is_watched) launched_at_most_once: assert (!launched && within && read && flag);
  // 1. When a grid is done, each block within the ranges has been launched, unless its flag was read and was not set (WD-03, WD-07).
  always @(*) if (checking && done_valid && within) launched_if_set: assert (read && launched == flag);
  // `cluster`: the first index of the cluster, or of the grid that is not cut, from which a set is.
  wire [47:0] cluster_now = walker_opens ? {walker_z, walker_y, walker_word, walker_low} : \walker.opened ;
`ifdef SMALLEST
  localparam PLACE_BITS = 2;
`else
  localparam PLACE_BITS = 4;
`endif
  reg [47:0] entry_clusters [0:2**PLACE_BITS-1];
  reg [47:0] scanned_cluster, set_cluster, last_cluster, last_block;
  reg [PLACE_BITS-1:0] entries_first, entries_last;
  reg any;
  wire [47:0] first_block = {block_z, block_y, block_x[15:0]};
  always @(posedge clock) begin
    if (reset) {entries_first, entries_last} <= 0;
    else begin
      entries_first <= entries_first + fetcher_load;
      entries_last <= entries_last + fetcher_segment_step;
    end
    if (fetcher_segment_step) entry_clusters[entries_last] <= cluster_now;
    if (fetcher_load) scanned_cluster <= entry_clusters[entries_first];
    if (advance) set_cluster <= scanned_cluster;
    if (reset || start) any <= 1'b0;
    else if (taken) any <= 1'b1;
    if (taken) {last_cluster, last_block} <= {set_cluster, first_block};
  end
  // 2. Blocks are launched cluster by cluster, these in the order of their first indices, and in each, as in a grid that is not cut, in index order: x
  // fastest, then y, then z (WD-02, WD-10).
  always @(*) if (checking && set_valid != 0 && any) in_order: assert ({set_cluster, first_block} > {last_cluster, last_block});
  // 7. The table of a grid that is not cut is read word after word, from its first on (WD-05).
  reg [31:0] next_word;
  always @(posedge clock)
    if (start) next_word <= queue_next_task[31:0];
    else if (fetcher_segment_step) next_word <= next_word + 1'b1;
  always @(*) if (checking && memory_request_valid && !clustered) asks_word_after_word: assert (memory_request_address == next_word);
  reg [63:0] task_now;
  reg serving;
  always @(posedge clock) begin
    if (start) task_now <= queue_next_task;
    serving <= !reset && (start || (serving && !done_valid));
  end
  // 6. A block that is offered, or a grid that is done, has the id of the grid that is walked, and its program; in that cycle no other grid begins, but behind one
  // that is done (WD-01, WD-06).
  always @(*) if (checking && (set_valid != 0 || done_valid)) carries_its_grid: assert (serving && block_grid == task_now[39:32] && done_grid == task_now[39:32] && block_program == task_now[63:42] && !(start && !done_valid));
  // 6. No grid is lost, or done twice: those that were accepted and are not done are in service or wait, and the block is busy as long as there are any.
  (* hierconn *) wire [2:0] \queue.count ;
  reg [15:0] accepted;
  always @(posedge clock) accepted <= reset ? 0 : accepted + (request_valid && request_ready) - done_valid;
  always @(*) if (checking) each_ends_once: assert (accepted == running + \queue.count && busy == (accepted != 0) && (!done_valid || running));
  // 5. A set that is offered stays until it is taken.
  reg offered;
  reg [47:0] past_index;
  reg [PLACES-1:0] past_valid;
  reg [29:0] past_grid;
  always @(posedge clock) begin
    offered <= !reset && set_valid != 0 && !taken;
    past_valid <= block_valid;
    past_index <= {block_z, block_y, block_x[15:0]};
    past_grid <= {block_program, block_grid};
  end
  always @(*) if (checking && offered) offer_stays: assert (block_valid == past_valid && {block_z, block_y, block_x[15:0]} == past_index && {block_program, block_grid} == past_grid);

  // A block of the second row is launched, after one of the first, from a table.
  second_row: cover property (checking && taken && predicated && any && block_y == 1 && last_block == 3);
  // A grid that is cut, and has a table, is done: its last block is of the second cluster.
  cut: cover property (checking && done_valid && clustered && predicated && last_cluster == 2 && flag && within);
  // A grid follows another without a gap.
  no_gap: cover property (checking && done_valid && start && launched);

`ifdef SMALLEST
  (* hierconn *) wire \walker.begun ;
  (* hierconn *) wire [1:0] \fetcher.first ;
  (* hierconn *) wire [2:0] \fetcher.count ;
  (* hierconn *) wire [219:0] \fetcher.segments.words ;
  (* hierconn *) wire [63:0] \scanner.offered_0 ;
  wire [191:0] clusters = {entry_clusters[3], entry_clusters[2], entry_clusters[1], entry_clusters[0]};

  // No grid, nothing under way; what has begun has not come far.
  always @(*) if (checking && !running) helper_idle: assert (!walker_walking && !fetcher_waiting && !scanner_occupied && !set_valid);
  always @(*) if (checking) helper_count: assert (\fetcher.count <= 4 && serving == running && (!\walker.begun || (\fetcher.count == 0 && !scanner_occupied && !set_valid && running))
    && entries_first == \fetcher.first && entries_last == \fetcher.first + \fetcher.count [1:0]);
  always @(*) if (checking && running) helper_task: assert ({code, clustered, predicated, grid} == {task_now[63:42], task_now[41], task_now[40], task_now[39:32]});
  always @(*) if (checking && running) helper_walked: assert ((walker_walking || !within || walked) && (within || !walked));
  // The segments that wait for their words, by their places in the file: which of them has the watched index, and that they are in the order of the walk.
  wire [89:0] walked_key = {\walker.opened , \walker.last };
  wire [89:0] scanned_key = {scanned_cluster, z, y, word};
  wire [89:0] set_key = {set_cluster, set_z, set_y, set_word};
  wire [89:0] last_key = {last_cluster, last_block[47:6]};
  reg [3:0] present, holds;
  reg [359:0] keys;
  reg ascend, bounded, newest_walked;
  reg [1:0] age;
  reg [54:0] entry;
  integer j;
  always @(*) begin
    ascend = 1'b1;
    bounded = 1'b1;
    newest_walked = \fetcher.count != 0 || !examined || scanned_key == walked_key;
    for (i = 0; i < 4; i = i + 1) begin
      age = i[1:0] - \fetcher.first ;
      present[i] = age < \fetcher.count ;
      entry = \fetcher.segments.words [55*i+:55];
      keys[90*i+:90] = {clusters[48*i+:48], entry[53:22], entry[9:0]};
      holds[i] = present[i] && {entry[53:22], entry[9:0]} == watched[47:6] && entry[15:10] <= watched[5:0] && watched[5:0] <= entry[21:16];
      if (present[i] && entry[15:10] > entry[21:16]) bounded = 1'b0;
      if (present[i] && age == 0 && examined && keys[90*i+:90] <= scanned_key) ascend = 1'b0;
      if (present[i] && age + 3'd1 == \fetcher.count && keys[90*i+:90] != walked_key) newest_walked = 1'b0;
    end
    for (i = 0; i < 4; i = i + 1) begin
      age = i[1:0] - \fetcher.first ;
      j = (i + 1) % 4;
      if (present[i] && present[j] && age != 3 && keys[90*j+:90] <= keys[90*i+:90]) ascend = 1'b0;
    end
  end
  reg examined;
  always @(posedge clock) examined <= !reset && !start && (examined || fetcher_load);
  always @(*) if (checking) helper_segments: assert (bounded);
  always @(*) if (checking && running) helper_newest: assert (newest_walked && \walker.some == (examined || \fetcher.count != 0) && (examined || (!scanner_occupied && !set_valid && !any)));
  always @(*) if (checking && running) helper_ascend: assert (ascend);
  // The block that was handed out last is offered, or launched; nothing that is offered or launched lies behind it.
  (* hierconn *) wire \scanner.some ;
  (* hierconn *) wire [5:0] \scanner.last ;
  always @(*) if (checking && running && examined) helper_behind: assert (\scanner.some
    ? (set_valid ? set_key == scanned_key && set_index == \scanner.last && (!any || last_key <= scanned_key) : any && {last_key, last_block[5:0]} == {scanned_key, \scanner.last })
    : (!set_valid || set_key < scanned_key) && (!any || last_key < scanned_key));
  // The watched index: it was walked and its segment waits, its word is examined, it is offered, or it is over.
  wire scans = scanner_occupied && {z, y, word} == watched[47:6] && \scanner.offered_0 [watched[5:0]];
  reg loaded, handed;
  wire loads = fetcher_load && (holds >> \fetcher.first & 1'b1);
  always @(posedge clock)
    if (reset || start) {loaded, handed} <= 0;
    else begin
      if (loads) loaded <= 1'b1;
      if (advance && scanner_set_found && {z, y, word, scanner_set_index} == watched) handed <= 1'b1;
    end
  // It waits at one place if it was walked and has not been loaded.
  always @(*) if (checking && running) helper_waits: assert ((holds & (holds - 1'b1)) == 0 && (holds != 0) == (walked && !loaded) && (!loaded || walked));
  // It is in the word that is examined if its flag is set and was not handed out.
  always @(*) if (checking && running) helper_scanned: assert ((!loaded || read) && scans == (loaded && flag && !handed) && (!handed || (loaded && flag)));
  // It is in the set if it was handed out and is not launched.
  always @(*) if (checking && running) helper_offered: assert (is_watched == (handed && !launched) && (!launched || handed));
  // Each segment that waits has its answer to come, in order.
  wire [1:0] its_place = \fetcher.first + before[1:0];
  always @(*) if (checking && running) helper_answers: assert (unanswered == (predicated ? \fetcher.count : 0)
    && (predicated ? read == loaded && (!walked || loaded || (before < 4 && holds[its_place])) : read && flag));
  always @(*) if (checking && !running) helper_no_answers: assert (unanswered == 0);
  // The address is that of the next word.
  always @(*) if (checking && running && !clustered) helper_address: assert (addresses_address == next_word);
  (* hierconn *) wire \walker.turns ;
  always @(*) if (checking && \walker.turns ) helper_turning: assert (clustered);
`endif
