// Which thread block runs on which warps (SM-03), with blocks of the grid and one that was suspended.

  localparam COUNT = $bits(warp_enable), BITS = $bits(launch_warp), THREADS = $bits(launch_threads), RECORD = $bits(hold_record);
  integer i, j;
  // A block has threads; what the core is set to do does not change.
  reg [$bits(block_threads):0] set_before;
  reg was_set;
  always @(posedge clock) begin
    was_set <= !reset;
    set_before <= {keeps, block_threads};
  end
  always @(*) if (checking) settings: assume (block_threads != 0 && (!was_set || {keeps, block_threads} == set_before));

  // Which warps were given to which slot, which of them are still to be launched, and which were given to blocks that came back.
  reg [COUNT-1:0] given, due, resumed_warps;
  reg [BITS-1:0] slot_of [0:COUNT-1];
  // Slots that hold a block.
  reg [COUNT-1:0] tenanted;
  wire takes_grid = block_valid && block_ready;
  wire takes_resumed = resume_valid && resume_ready;
  wire takes = takes_grid || takes_resumed;
  reg [COUNT-1:0] in_launch_slot, in_hold_slot, in_finish_slot, in_retire_slot;
  always @(*) for (i = 0; i < COUNT; i = i + 1) begin
    in_launch_slot[i] = given[i] && slot_of[i] == launch_slot;
    in_hold_slot[i] = given[i] && slot_of[i] == hold_slot;
    in_finish_slot[i] = given[i] && slot_of[i] == slot_of[finish_warp];
    in_retire_slot[i] = given[i] && slot_of[i] == retire_slot;
  end
  // Warps that are launched end; a slot that outlasts its warps retires when they have ended; a block leaves when none of its warps waits for its launch.
  always @(*) if (checking) ends_what_runs: assume ((!finish_valid || (given[finish_warp] && !due[finish_warp]))
    && (!(keeps && retire_valid) || (tenanted[retire_slot] && in_retire_slot == 0 && !(hold_leaves && hold_slot == retire_slot)))
    && (!hold_leaves || (tenanted[hold_slot] && in_hold_slot != 0 && (in_hold_slot & due) == 0 && !(finish_valid && in_hold_slot[finish_warp]))));
  // One block comes back at a time; its warps are launched, in its slot, before the next one does.
  always @(*) if (checking) one_resumes: assume ((!resume_valid || (resume_count != 0 && (due & resumed_warps) == 0))
    && (!resume_launch || ((due & resumed_warps) != 0 && (due & resumed_warps & ~in_hold_slot) == 0)));
  wire [COUNT-1:0] launched_now = launch_valid << launch_warp;
  wire [COUNT-1:0] ended_now = finish_valid << finish_warp;
  wire [COUNT-1:0] emptied_now = keeps && retire_valid ? 1'b1 << retire_slot : 0;
  wire last_now = finish_valid && (in_finish_slot & ~ended_now) == 0;
  wire [COUNT-1:0] left_now = (hold_leaves << hold_slot) | ((last_now && !keeps) << slot_of[finish_warp]);
  always @(posedge clock)
    if (reset) {given, due, tenanted, resumed_warps} <= 0;
    else begin
      given <= (given & ~ended_now & ~(hold_leaves ? in_hold_slot : 0)) | chosen_result;
      due <= (due & ~launched_now) | chosen_result;
      tenanted <= (tenanted & ~emptied_now & ~left_now) | (takes << resume_slot);
      if (takes) resumed_warps <= (resumed_warps & ~chosen_result) | (takes_resumed ? chosen_result : 0);
      for (i = 0; i < COUNT; i = i + 1) if (chosen_result[i]) slot_of[i] <= resume_slot;
    end

  // How many warps a block needs.
  wire [11:0] count_of_warps = resume_valid ? resume_count : block_threads / THREADS + (block_threads % THREADS != 0);
  wire [COUNT-1:0] allowed = resume_valid ? resume_warps : ~{COUNT{1'b0}};
  wire [COUNT-1:0] slots_now = warp_enable & (~tenanted | emptied_now) & allowed, warps_now = warp_enable & ~given & allowed;
  reg [BITS:0] got, free_now;
  always @(*) begin
    {got, free_now} = 0;
    for (i = 0; i < COUNT; i = i + 1) begin
      got = got + chosen_result[i];
      free_now = free_now + warps_now[i];
    end
  end
  // 4. A block is taken whenever there are a slot and warps enough for it, one that was suspended first.
  always @(*) if (checking) takes_what_fits: assert ((block_ready || resume_ready) == (slots_now != 0 && free_now >= count_of_warps)
    && !(block_ready && resume_valid) && !(resume_ready && !resume_valid));
  // 1. A block gets as many warps as it needs, of those that it may have and no other block has: a warp belongs to one block at most.
  always @(*) if (checking) warps_for_one: assert ((chosen_result & ~warps_now) == 0 && got == (takes ? count_of_warps : 0));
  // 5. It gets the lowest slot.
  (* anyconst *) reg [BITS-1:0] lower, higher;
  always @(*) if (checking && takes && lower < higher) lowest_slot: assert (slots_now[resume_slot] && !(slots_now[lower] && resume_slot == higher));
  // 5. It gets the lowest warps.
  always @(*) if (checking && takes && lower < higher) lowest_warps: assert (!(warps_now[lower] && !chosen_result[lower] && chosen_result[higher]));
  // 2. A warp stays with its block until it has ended, or the block has left: others see it there.
  always @(*) if (checking) stays_there: assert (occupied == given && taken == (tenanted & ~emptied_now) && (!given[look_warp] || look_slot == slot_of[look_warp])
    && hold_warps == in_hold_slot && hold_pending == ((in_hold_slot & due) != 0));
  // 6. The last warp of a block that ends is known as such.
  always @(*) if (checking) last_is_told: assert (finish_last == last_now && (!finish_valid || finish_slot == slot_of[finish_warp]));
  // 7. What is launched was given to a block, is launched once, and the lowest of its block's warps goes first.
  wire [COUNT-1:0] due_there = due & in_launch_slot;
  always @(*) if (checking && launch_valid) launched_once: assert (due_there[launch_warp] && (due_there & ((1'b1 << launch_warp) - 1'b1)) == 0);
  // Any slot is watched: the block in it, and how many of its warps are launched.
  (* anyconst *) reg [BITS-1:0] watched;
  reg [RECORD-1:0] record;
  reg [BITS:0] launches_there;
  wire filled_now = takes && resume_slot == watched;
  wire launched_there = launch_valid && launch_slot == watched;
  always @(posedge clock)
    if (filled_now) {record, launches_there} <= {takes_resumed ? resume_record : {block_program, block_grid, block_z, block_y, block_x}, {BITS{1'b0}}, 1'b0};
    else if (launched_there) launches_there <= launches_there + 1'b1;
  wire [THREADS-1:0] full = ~0;
  reg [11:0] threads;
  always @(*) begin
    threads = 0;
    for (i = 0; i < THREADS; i = i + 1) threads = threads + launch_threads[i];
  end
  // 3. The warps of a block of the grid have the places 0, 1 and so on, and together its threads, of which only the last warp may have fewer than it could.
  wire is_last = (due_there & ~launched_now) == 0;
  always @(*) if (checking && launched_there && !resumed_warps[launch_warp]) places_in_order: assert (launch_place == launches_there
    && (is_last ? (launch_threads & (launch_threads + 1'b1)) == 0 && launch_place * THREADS + threads == block_threads : launch_threads == full));
  // 7. A warp is launched as its block says: its grid, its index and its program, be it from the grid or back from memory.
  always @(*) if (checking && launched_there) launched_as_given: assert ({launch_program, launch_grid, launch_z, launch_y, launch_x} == record);
  // 7. Blocks of the grid are launched in the order in which they came.
  (* anyconst *) reg [BITS-1:0] other;
  reg other_first;
  always @(posedge clock) if (takes_grid) begin
    if (resume_slot == watched) other_first <= 1'b1;
    else if (resume_slot == other) other_first <= 1'b0;
  end
  wire [COUNT-1:0] due_of_grid = due & ~resumed_warps;
  reg watched_waits, other_waits;
  always @(*) begin
    {watched_waits, other_waits} = 0;
    for (i = 0; i < COUNT; i = i + 1) begin
      if (due_of_grid[i] && slot_of[i] == watched) watched_waits = 1'b1;
      if (due_of_grid[i] && slot_of[i] == other) other_waits = 1'b1;
    end
  end
  always @(*) if (checking && launched_there && watched != other && watched_waits && other_waits) first_come_first: assert (!other_first);

  // A block that was suspended comes back while one of the grid is launched; the last place is launched with fewer threads.
  both: cover property (checking && launch_valid && (due & resumed_warps) != 0 && (due & ~resumed_warps) != 0);
  partial: cover property (checking && launched_there && launch_place == 1 && launch_threads != full && !resumed_warps[launch_warp]);
  retires_and_takes: cover property (checking && keeps && retire_valid && takes && resume_slot == retire_slot);

`ifdef SMALLEST
  // What the registers hold.
  always @(*) if (checking) helper_registers: assert (filled == given && used == tenanted && (due & ~given) == 0 && pending == due_of_grid && resuming == (due & resumed_warps)
    && (!given[0] || slot_of_0 == slot_of[0]) && (!given[1] || slot_of_1 == slot_of[1]) && (!given[2] || slot_of_2 == slot_of[2]) && (!given[3] || slot_of_3 == slot_of[3]));
  reg homeless, mixed;
  always @(*) begin
    {homeless, mixed} = 0;
    for (i = 0; i < 4; i = i + 1) begin
      if (given[i] && !tenanted[slot_of[i]]) homeless = 1'b1;
      for (j = 0; j < 4; j = j + 1) if (given[i] && given[j] && slot_of[i] == slot_of[j] && resumed_warps[i] != resumed_warps[j]) mixed = 1'b1;
    end
  end
  // A warp has a slot that is tenanted; a slot is of the grid or was suspended.
  always @(*) if (checking) helper_homes: assert (!homeless && !mixed);
  // Without `keeps` a slot has warps.
  reg [3:0] inhabited;
  always @(*) begin
    inhabited = 0;
    for (i = 0; i < 4; i = i + 1) if (given[i]) inhabited = inhabited | 1'b1 << slot_of[i];
  end
  always @(*) if (checking && !keeps) helper_inhabited: assert (tenanted == inhabited);
  // The slots whose warps are launched one after the other stand in their order, each once.
  (* hierconn *) wire [7:0] \order.words ;
  reg [3:0] waiting, queued;
  reg [2:0] length;
  reg twice;
  always @(*) begin
    {waiting, queued, length, twice} = 0;
    for (i = 0; i < 4; i = i + 1) if (due_of_grid[i]) waiting = waiting | 1'b1 << slot_of[i];
    length = waiting[0] + waiting[1] + waiting[2] + waiting[3];
    for (i = 0; i < 4; i = i + 1) if (i < length) begin
      if (queued[\order.words [2*((order_first + i) % 4)+:2]]) twice = 1'b1;
      queued = queued | 1'b1 << \order.words [2*((order_first + i) % 4)+:2];
    end
  end
  wire [1:0] entries = order_free - order_first;
  always @(*) if (checking) helper_order: assert (!twice && queued == waiting && entries == length[1:0]);
  // Where the two slots stand there.
  reg [1:0] place_of_watched, place_of_other;
  always @(*) begin
    {place_of_watched, place_of_other} = 0;
    for (i = 0; i < 4; i = i + 1) begin
      if (i < length && \order.words [2*((order_first + i) % 4)+:2] == watched) place_of_watched = i;
      if (i < length && \order.words [2*((order_first + i) % 4)+:2] == other) place_of_other = i;
    end
  end
  always @(*) if (checking && watched != other && watched_waits && other_waits) helper_first: assert (other_first == (place_of_other < place_of_watched));
  // The block of a slot lies in its row; of the first in the order some warps may have been launched, of the others none.
  (* hierconn *) wire [4*RECORD-1:0] \blocks.words ;
  always @(*) if (checking && tenanted[watched]) helper_record: assert (\blocks.words [RECORD*watched+:RECORD] == record);
  reg [2:0] due_of_watched;
  always @(*) begin
    due_of_watched = 0;
    for (i = 0; i < 4; i = i + 1) due_of_watched = due_of_watched + (due_of_grid[i] && slot_of[i] == watched);
  end
  always @(*) if (checking) helper_place: assert ((length != 0 || place == 0) && (!watched_waits || (launches_there == (place_of_watched == 0 ? place : 0) && launches_there + due_of_watched <= 4
    && (launches_there + due_of_watched - 1) * THREADS < block_threads && (launches_there + due_of_watched) * THREADS >= block_threads)));
`endif
