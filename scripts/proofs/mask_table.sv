// Masks of several warps, equal ones of a warp stored once (TD-10).

  // `users_of`: how many users each column has, as it was told; `cleared`: rows that were cleared since reset.
  localparam ROWS = `WARPS, COLUMNS = 1 << $bits(read_column), ROW = 8 * COLUMNS, ENTRY_BITS = $clog2(ROWS * COLUMNS);
`ifdef SMALLEST
  reg [ROWS*ROW-1:0] users_of;
`endif
  reg [ROWS-1:0] cleared;
  wire [ENTRY_BITS-1:0] stored_entry = {row, stored_column};
  wire stores = stored_valid && !stored_full && |stored_column;
`ifdef SMALLEST
  wire [7:0] users_before = users_of[stored_entry*8+:8];
  integer i;
  always @(posedge clock)
    if (reset) {users_of, cleared} <= 0;
    else begin
      if (stores) users_of[stored_entry*8+:8] <= users_before + 8'd1;
      else if (|user_column) users_of[user_entry*8+:8] <= users_of[user_entry*8+:8] + share_enable - drop_enable;
      if (clear_enable) begin
        users_of[clear_row*ROW+:ROW] <= 0;
        cleared[clear_row] <= 1'b1;
      end
    end
  // Users come and go one at a time, between two stores, of columns that have some, and are at most 255; a row is cleared before it is used,
  // and not while a mask is stored.
  wire [7:0] users_now = users_of[user_entry*8+:8];
`else
  // Of so many columns the two that are watched are looked at: only their users come and go one by one, and of the others it is known that each has at most one for a store.
  // In so few cycles none has 255.
  reg [7:0] users_of_one, users_of_other;
  always @(posedge clock) begin
    if (reset) {users_of_one, users_of_other} <= 0;
    else begin
      users_of_one <= clear_enable && clear_row == watched_row ? 0 : users_of_one + (stores ? stored_entry == entry_of_one : user_entry == entry_of_one && one != 0 ? share_enable - drop_enable : 0);
      users_of_other <= clear_enable && clear_row == watched_row ? 0 : users_of_other + (stores ? stored_entry == entry_of_other : user_entry == entry_of_other && other != 0 ? share_enable - drop_enable : 0);
    end
    if (reset) cleared <= 0;
    else if (clear_enable) cleared[clear_row] <= 1'b1;
  end
  wire [7:0] users_before = 0;
  wire [7:0] users_now = user_entry == entry_of_one ? users_of_one : user_entry == entry_of_other ? users_of_other : 0;
`endif
  always @(*) if (checking) users_make_sense: assume (!(share_enable && drop_enable) && (!(share_enable || drop_enable) || store_ready)
    && (!(share_enable || drop_enable) || user_column == 0 || (users_now != 0 && (drop_enable || users_now != 255))) && (!stores || users_before != 255));
  always @(*) if (checking) rows_are_cleared: assume ((!clear_enable || store_ready) && (!(store_valid && store_ready) || cleared[store_row]));

  // Any two columns of any row are watched: the masks that were stored there.
  (* anyconst *) reg [$bits(row)-1:0] watched_row;
  (* anyconst *) reg [$bits(read_column)-1:0] one, other;
  reg [`THREADS-1:0] mask_of_one, mask_of_other;
  wire [ENTRY_BITS-1:0] entry_of_one = {watched_row, one};
  wire [ENTRY_BITS-1:0] entry_of_other = {watched_row, other};
`ifdef SMALLEST
  wire one_in_use = users_of[entry_of_one*8+:8] != 0;
  wire other_in_use = users_of[entry_of_other*8+:8] != 0;
`else
  wire one_in_use = users_of_one != 0;
  wire other_in_use = users_of_other != 0;
`endif
  always @(posedge clock) begin
    if (stores && !one_in_use && stored_entry == entry_of_one) mask_of_one <= mask;
    if (stores && !other_in_use && stored_entry == entry_of_other) mask_of_other <= mask;
  end
  // The mask at work is the one that was taken, and its row.
  reg [$bits({row, mask})-1:0] asked;
  always @(posedge clock) if (store_valid && store_ready) asked <= {store_row, store_mask};

  // 1. No two columns of a row with users hold one mask.
  always @(*) if (checking && one_in_use && other_in_use && one != other) masks_differ: assert (mask_of_one != mask_of_other);
  // 2. A column with users keeps its mask.
  always @(*) if (checking && one_in_use && read_row == watched_row && read_column == one) keeps_its_mask: assert (read_mask == mask_of_one);
  // 3. Column 0 is the empty mask, and nothing else goes there.
  always @(*) if (checking) empty_is_first: assert ((read_column != 0 || read_mask == 0) && (!stored_valid || stored_full || (stored_column == 0) == (mask == 0)));
  // 4. A mask goes to the column that holds it, or to one without users.
  always @(*) if (checking && stores && stored_entry == entry_of_one && one_in_use) stored_where_it_is: assert (mask_of_one == mask);
  // The search for the empty mask ends in its first cycle.
  always @(*) if (checking && looking && mask == 0) helper_empty: assert (cursor == 1);
  // 4. A mask does not fit only if all columns of its row have users, and none holds it.
  always @(*) if (checking && stored_valid && stored_full && row == watched_row && one != 0) full_if_full: assert (one_in_use && mask_of_one != mask);
  // 4. It is the mask that was offered that is stored.
  always @(*) if (checking && stored_valid) stores_what_was_asked: assert ({row, mask} == asked);

  // A row is full.
  full: cover property (checking && stored_valid && stored_full && mask == 3 && row == ROWS - 1);
  // A column that lost its users takes another mask.
  reused: cover property (checking && stores && |vacant && beyond && vacant == 2);
  // A mask that is there gains a user.
  shared: cover property (checking && stores && found && stored_column == 1);

`ifdef SMALLEST
  (* hierconn *) wire [127:0] \masks.words ;
  (* hierconn *) wire [127:0] \masks_look.words ;
  (* hierconn *) wire [127:0] \users.words ;
  (* hierconn *) wire [127:0] \users_look.words ;
  (* hierconn *) wire [5:0] \marks.words ;
  // Columns of the two rows that were ever used, 1 to 8; 8 columns searched is a cursor that has come round.
  wire [3:0] mark_0 = {\marks.words [2:0] == 0, \marks.words [2:0]};
  wire [3:0] mark_1 = {\marks.words [5:3] == 0, \marks.words [5:3]};
  wire [3:0] mark = row ? mark_1 : mark_0;
  wire [3:0] searched = {cursor == 0, cursor};
  reg counted, none_vacant, unused_vacant;
  reg [3:0] entry;
  always @(*) begin
    counted = 1;
    none_vacant = 1;
    unused_vacant = 1;
    for (i = 0; i < 16; i = i + 1) begin
      entry = i;
      if (entry[2:0] != 0 && cleared[entry[3]] && {1'b0, entry[2:0]} < (entry[3] ? mark_1 : mark_0)) begin
        if (\users.words [i*8+:8] != users_of[i*8+:8] || \users_look.words [i*8+:8] != users_of[i*8+:8]) counted = 0;
      end else if (users_of[i*8+:8] != 0) unused_vacant = 0;
      if (entry[3] == row && entry[2:0] != 0 && {1'b0, entry[2:0]} < searched && users_of[i*8+:8] == 0) none_vacant = 0;
    end
  end
  // Both copies hold the users that each column has that was ever used; others have none.
  always @(*) if (checking) helper_counted: assert (counted && unused_vacant);
  // A column in use holds its mask in both copies, not an empty one.
  always @(*) if (checking && one_in_use) helper_one: assert (
    \masks.words [entry_of_one*8+:8] == mask_of_one && \masks_look.words [entry_of_one*8+:8] == mask_of_one && mask_of_one != 0);
  always @(*) if (checking && other_in_use) helper_other: assert (
    \masks.words [entry_of_other*8+:8] == mask_of_other && \masks_look.words [entry_of_other*8+:8] == mask_of_other);
  // The search has not passed the columns ever used, nor a column that holds the mask, and knows the first that is vacant.
  wire [3:0] entry_of_vacant = {row, vacant};
  always @(*) if (checking && looking) helper_search: assert (cleared[row] && searched <= mark && {row, mask} == asked
    && (vacant == 0 ? none_vacant : {1'b0, vacant} < searched && users_of[entry_of_vacant*8+:8] == 0));
  always @(*) if (checking && looking && row == watched_row && one_in_use && {1'b0, one} < searched) helper_passed: assert (mask_of_one != mask);
  always @(*) if (checking && looking && row == watched_row && other_in_use && {1'b0, other} < searched) helper_passed_other: assert (mask_of_other != mask);
`endif
