// The flags of a word, handed out one by one (WD-02, WD-05, WD-07).

  // A word is loaded only when there is room, and its bounds are in order.
  always @(*) if (checking) loads_into_room: assume (!load || (load_ready && load_low <= load_high));

  // Any one position of the word is watched: whether its flag is still to be handed out.
  (* anyconst *) reg [5:0] watched;
  localparam SET = $bits(set_found);
  wire [SET-1:0] each_found = set_found;
  integer i;
  reg [SET-1:0] shows;
  reg ascend;
  reg [5:0] highest;
  always @(*) begin
    ascend = 1'b1;
    highest = set_index[5:0];
    for (i = 0; i < SET; i = i + 1) begin
      shows[i] = each_found[i] && set_index[6*i+:6] == watched;
      if (i != 0 && each_found[i]) begin
        if (!each_found[i-1] || set_index[6*i+:6] <= highest) ascend = 1'b0;
        highest = set_index[6*i+:6];
      end
    end
  end
  wire leaves = advance && |shows;
  reg pending;
  always @(posedge clock)
    if (reset) pending <= 1'b0;
    else if (load) pending <= load_low <= watched && watched <= load_high && (load_fill || load_flags[watched]);
    else if (leaves) pending <= 1'b0;
  // 1. and 2. A flag is handed out at most once, and only if it is set and within the bounds (WD-07).
  always @(*) if (checking && leaves) at_most_once: assert (pending && (shows & (shows - 1'b1)) == 0);
  // 1. No flag is lost: when the next word comes, or there is none, each was handed out (WD-07).
  always @(*) if (checking && (load || !occupied)) none_lost: assert (!pending || leaves);
  // 1. Positions ascend (WD-02).
  reg some;
  reg [5:0] last;
  always @(posedge clock)
    if (reset || load) some <= 1'b0;
    else if (advance && |set_found) begin
      some <= 1'b1;
      last <= highest;
    end
  always @(*) if (checking && |set_found) in_order: assert (ascend && (!some || set_index[5:0] > last));

  // The last position of a full word leaves.
  whole_word: cover property (checking && leaves && watched == 63 && some && last == 63 - SET);
  // A word comes as the one before it ends.
  no_gap: cover property (checking && load && occupied && |set_found);

  // What is still to be handed out is what the masks show.
  always @(*) if (checking) helper_masks: assert (pending == (valid && offered_0[watched]));
  // The groups that are open lie above the present one; so do the places in it that are.
  always @(*) if (checking && valid) helper_groups: assert (group_present != 0 && (group_present & (group_present - 8'd1)) == 0
    && (groups_open & ((group_present - 8'd1) | group_present)) == 0 && ({places_open[6:0], 1'b0} & ~places_open) == 0);
  // What was handed out, and all below it, is masked.
  always @(*) if (checking && valid && some) helper_below: assert ((offered_0 & ((64'd2 << last) - 64'd1)) == 0);
