// What the parts of the token deque never do together, whoever handles its exceptions (DQ-09 to DQ-13), as one warp uses it.

  // One warp.
  always @(*) if (checking) one_warp: assume (!push_warp && !operation_warp);
  // An operation is one of six and stands still until it is ready. One that was announced comes: a find, or, if there is no such token, a back push instead.
  reg waits, announced, past_found;
  reg [2:0] past_code;
  always @(posedge clock) begin
    waits <= !reset && (operation_valid || operation_announce) && !operation_ready;
    announced <= !reset && operation_announce;
    past_found <= operation_found;
    past_code <= operation_code;
  end
  wire behind = operation_code == 2 || operation_code == 3;
  always @(*) if (checking) operations_hold: assume ((!(operation_valid || operation_announce) || operation_code <= 5) && (!operation_announce || (!operation_valid && (behind || operation_code == 4)))
    && (!waits || (operation_valid && !operation_announce)) && (!waits || operation_code == past_code || (announced && behind && (past_code != 4 || !past_found))));
  // Where exceptions go, and the limit of the spill area, stand still after a reset; software writes while an exception is its own.
  reg [12:0] past_settings;
  reg set_before;
  always @(posedge clock) {set_before, past_settings} <= {checking, handler_software, spill_limit};
  always @(*) if (checking && set_before) settings_are_static: assume (past_settings == {handler_software, spill_limit});
  always @(*) if (checking) software_waits: assume (sequencer_software || !(window_write || handler_pointer_write || handler_done));
  // What software writes is a window, and an area within its limit, with as many tokens as before.
  always @(*) if (checking && handler_pointer_write) software_writes_queues: assume (handler_tail <= handler_head && handler_head <= `DEPTH && handler_spill_count <= spill_limit
    && (handler_head != handler_tail || handler_head == `DEPTH / 2) && 13'd0 + handler_head - handler_tail + handler_spill_count == 13'd0 + queue_head - queue_tail + spill_count);
  // Memory answers what it was asked.
  reg asked;
  always @(posedge clock)
    if (reset) asked <= 1'b0;
    else asked <= (asked && !(memory_response_valid && memory_response_ready)) || (memory_request_valid && !memory_request_write && memory_request_ready);
  always @(*) if (checking) memory_answers: assume (!memory_response_valid || asked);

  (* hierconn *) wire \sequencer.scans ;
  (* hierconn *) wire \sequencer.recenters ;
  (* hierconn *) wire \sequencer.seeks ;
  (* hierconn *) wire \sequencer.spills ;
  (* hierconn *) wire \sequencer.stops ;
  (* hierconn *) wire \sequencer.placed ;
  (* hierconn *) wire \sequencer.searched ;
  (* hierconn *) wire \recenter.moving ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \recenter.next ;
  (* hierconn *) wire [`{log2(DEPTH)}:0] \control.viewed ;
  (* hierconn *) wire [2:0] \spill_part.step ;
  (* hierconn *) wire \spill_part.showing ;
  (* hierconn *) wire \spill_part.looked ;
  (* hierconn *) wire [11:0] \spill_part.cursor ;
  (* hierconn *) wire \path.show_passed ;
  (* hierconn *) wire \flags.yielded ;
  wire scans = \sequencer.scans ;
  wire recenters = \sequencer.recenters ;
  wire seeks = \sequencer.seeks ;
  wire spills = \sequencer.spills ;
  wire stops = \sequencer.stops ;
  wire [2:0] step = \spill_part.step ;
  localparam [2:0] START = 0, REQUEST = 1, ANSWER = 2, WRITE = 3, RELEASE = 4;
  localparam [4:0] SPILL = 5'b00001, SEARCH = 5'b00010, REFILL = 5'b00100, APPEND = 5'b01000, FIND = 5'b10000;

  // 6. At most one of a sweep, a search, a window's move, the spill engine's work and the software handler's is under way, and all but the sweep for an operation that waits (DQ-09).
  always @(*) if (checking) one_at_a_time: assert (sweep_enable + scans + recenters + (seeks | spills) + stops <= 1 && !(seeks && spills)
    && (!(scans || recenters || seeks || spills || stops) || (waits && operation_valid)));
  // 6. What writes pointers or the window does so by itself: a push, the operation, the spill engine, a window's move, the software handler, or the sweep (DQ-09).
  always @(*) if (checking) one_writes: assert (push_now + sequencer_place_now + sequencer_merge_now + (memory_request_write || spill_part_window_write || spill_part_first_write || spill_part_end_write)
    + recenter_write_enable + (stops && (window_write || handler_pointer_write)) + sweep_enable <= 1
    && !(sequencer_pop_now && (stops || recenters || sweep_enable || spills || seeks)) && !(recenter_finished && !recenters));
  // 6. The spill engine works at one command, of an operation that needs it, and rests otherwise (DQ-10).
  always @(*) if (checking) works_at_one: assert (step <= RELEASE && (seeks || spills || step == START || step == RELEASE)
    && (!spills || (sequencer_spill_command == SPILL && sequencer_front && (step == START || step == WRITE))
      || (sequencer_spill_command == REFILL && sequencer_pop && (step == START || step == REQUEST || step == ANSWER))
      || (sequencer_spill_command == APPEND && sequencer_back && (step == START || step == WRITE)))
    && (!seeks || (sequencer_spill_command == SEARCH && sequencer_back && step != RELEASE)
      || (sequencer_spill_command == FIND && sequencer_find && step != WRITE && step != RELEASE)));
  // A search in the window is shown what it reads there.
  always @(*) if (checking) helper_shown: assert ((step != START || !\spill_part.showing ) && (!(scans || seeks || spills || recenters) || !\path.show_passed ) && (!(scans || recenters) || step == START));
  // A back push or YIELD that has its place, or has searched for one, waits for its end.
  always @(*) if (checking) helper_goes_on: assert ((!scans || (sequencer_find ? sequencer_spill_command == FIND : sequencer_back)) && (!\sequencer.placed || (waits && sequencer_back && !sweep_enable)) && (!\sequencer.searched || (waits && sequencer_back && !sweep_enable && !scans && !seeks)));
  always @(*) if (checking) helper_recenter: assert (recenters == \recenter.moving && (!recenters || \control.viewed == \recenter.next ));
  // The sweep ends with this warp's last flag.
  always @(*) if (checking) helper_sweep: assert (sweep < 16 || !sweep_enable);
  // An entry where the front is met is the window's last, whoever has moved it.
  reg ready;
  always @(posedge clock) ready <= !reset && (ready || !sweep_enable);
  wire known = ready || !sweep_enable || sweep != 0;
  always @(*) if (checking) helper_swept: assert ((ready || sequencer_swept || sweep_enable) && (!sweep_enable || sweep == 0 || (queue_head == `DEPTH / 2 && queue_tail == `DEPTH / 2 && spill_count == 0)));
  // 3. and `spill_engine` 2. Both ends lie in the window, an empty one at the middle, and what lies in memory is counted, and no more than its limit (DQ-05, DQ-08).
  always @(*) if (checking && known) ends_in_window: assert (queue_tail <= queue_head && queue_head <= `DEPTH && (queue_head != queue_tail || queue_head == `DEPTH / 2)
    && spilled == (spill_count != 0) && spill_count <= spill_limit && pointers_push_head == queue_head);
  // A queue with a yield token is not empty.
  always @(*) if (checking) helper_yielded: assert (!\flags.yielded || queue_head != queue_tail || spill_count != 0);
  // A command that moves tokens ends at the half of the window.
  always @(*) if (checking && spills) helper_spills: assert ((sequencer_spill_command != SPILL || (queue_head == `DEPTH && queue_tail < `DEPTH / 2 && (step == START || spill_count != spill_limit)))
    && (sequencer_spill_command != REFILL || (queue_head == `DEPTH / 2 && queue_tail != 0 && (step != ANSWER || spilled))) && (sequencer_spill_command != APPEND || spill_count != spill_limit));
  always @(*) if (checking && recenters) helper_moves: assert (queue_tail < queue_head && (sequencer_front ? queue_head == `DEPTH && queue_tail != 0 : sequencer_back && queue_tail == 0 && queue_head != `DEPTH));
  // A search from the back has tokens to look at, and a request of it that waits stands at no end.
  reg requested, stood;
  always @(posedge clock) {requested, stood} <= {step == REQUEST && !spill_part_exhausted, \spill_part.cursor == spill_first};
  always @(*) if (checking) helper_looked: assert ((!\spill_part.looked || seeks || spills || step == RELEASE || step == START) && (!(requested && step == REQUEST) || (stood == (\spill_part.cursor == spill_first)))
    && (!(requested && step == REQUEST && \spill_part.looked && sequencer_spill_command == SEARCH) || !stood));

  // Software moves the window of an operation that is done then.
  reg moved;
  always @(posedge clock) moved <= !reset && waits && (moved || (stops && handler_pointer_write));
  software: cover property (checking && moved && operation_ready);
  // A search that has begun in memory goes on in the window.
  goes_on: cover property (checking && seeks && spill_part_exhausted && queue_head != queue_tail);
