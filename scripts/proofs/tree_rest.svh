  // What a tree is at when it is at rest, and when a node is fetched from memory or room for one is made there. Whoever includes it says when memory was `asked`
  // and has not answered.
  (* hierconn *) wire [3:0] \core.instruction.sequencer.state ;
  (* hierconn *) wire [13:0] \core.instruction.sequencer.position ;
  (* hierconn *) wire \core.instruction.held.hold_warp ;
  (* hierconn *) wire [3:0] \core.instruction.held.hold_operation ;
  (* hierconn *) wire`{range(WARPS * log2(COLUMNS) if COLUMNS else THREADS)} \core.instruction.held.hold_mask ;
  (* hierconn *) wire \core.warp ;
  (* hierconn *) wire \core.warps_present ;
  (* hierconn *) wire`{range(WARPS * log2(COLUMNS) if COLUMNS else THREADS)} \core.named ;
  (* hierconn *) wire [13:0] \core.leaves_link ;
  (* hierconn *) wire [1:0] \core.regions.overflow.state ;
  (* hierconn *) wire \core.regions.overflow.held ;
  (* hierconn *) wire \core.regions.overflow.blank ;
  (* hierconn *) wire \core.regions.overflow.changed ;
  (* hierconn *) wire \core.regions.overflow.held_warp ;
  (* hierconn *) wire \core.regions.overflow.next_warp ;
  (* hierconn *) wire [13:0] \core.regions.overflow.vacated_read_data ;
  (* hierconn *) wire [11:0] \core.regions.overflow.marks_read_data ;
  wire [3:0] state = \core.instruction.sequencer.state ;
  wire [13:0] cursor = \core.instruction.sequencer.position ;
  localparam [3:0] IDLE = 0, SEARCH = 1, CLIMB = 2, COUNT = 3, DEFER = 4, EVICT = 5, PREPARE = 6, MAINTAIN = 7, SWAP = 8, TAKE = 9, ANSWER = 10, STOP = 11;
  wire runs = checking && \core.warp_running ;
  wire present = \core.warps_present ;
  wire fetching = \core.regions.overflow.state != 0;
  wire held = \core.regions.overflow.held ;
  wire blank = \core.regions.overflow.blank ;
  wire unsaved = \core.regions.overflow.changed ;

  // The settings stay while a warp runs.
  reg ran;
  reg [11:0] past_limit;
  always @(posedge clock) {ran, past_limit} <= {!reset && \core.warp_running , spill_limit};
  always @(*) if (checking && ran) limit_stays: assume (spill_limit == past_limit);
  always @(*) area_is_aligned: assume (spill_base[12:0] == 0);

  // `tree_core` 3. A warp that does not run leaves nothing behind that is under way.
  always @(*) if (checking && !\core.warp_running ) leaves_nothing: assert (state == IDLE && !present && !fetching && !blank && !asked);

  always @(*) if (checking) helper_one_warp: assert (!\core.warp && !\core.instruction.held.hold_warp && !\core.regions.overflow.held_warp && !\core.regions.overflow.next_warp
    && state <= STOP);
  // While a node is fetched the instruction that needs it waits.
  always @(*) if (checking && fetching) helper_fetches: assert (runs && (state == IDLE ? present && \core.leaves_link [13:12] == 3 && refused && \core.request_operation != 0
    && \core.request_operation != 9 && \core.request_operation != 10 : state == PREPARE ? \core.regions.overflow.vacated_read_data [13] || \core.regions.overflow.marks_read_data < spill_limit
    : (state == SEARCH || state == CLIMB || state == COUNT) && cursor[13:12] == 3));
  // The instruction for which room is made opens a node.
  wire opens = runs && present && \core.request_valid && (\core.request_operation == 1 || (\core.request_operation == 4 && \core.named != 0));
  always @(*) if (checking && (state == PREPARE || blank)) helper_opens: assert (opens && refused && (state == IDLE || (state == PREPARE
    && {\core.instruction.held.hold_operation , \core.instruction.held.hold_mask } == {\core.request_operation , \core.request_mask })));
  always @(*) if (runs) helper_asked: assert (asked == (state == ANSWER || \core.regions.overflow.state == 3));
  always @(*) if (checking) helper_evicts: assert ((state != EVICT && state != SEARCH) || (present && runs && (state != SEARCH || \core.instruction.held.hold_operation == 5)));
