// token_deque: a double-ended queue of tokens for each of four warps, in a window of 16 entries that recenters itself and
// spills to memory. Written by hand, as the yardstick for the Verilog of `cargo export`: same ports, same cycles as
// `token_deque_4x32x16`, whose documentation says what the ports mean.
//
// A token is {2'b0, summary[3:0], address[21:0], mask[31:0], kind[3:0]}. Tokens of a warp lie in tail..head of its window
// (front at head - 1) and, behind them, in spill_count slots of its spill area from spill_first on.

module token_deque (
  input  wire        clock,
  input  wire        reset,

  // Front pushes, one a cycle.
  input  wire        push_valid,
  output wire        push_ready,
  input  wire [1:0]  push_warp,
  input  wire [3:0]  push_kind,
  input  wire [31:0] push_mask,
  input  wire [21:0] push_address,

  // All other operations; the payload is stable until ready.
  input  wire        operation_valid,
  input  wire        operation_announce,
  output reg         operation_ready,
  input  wire [2:0]  operation_code,
  input  wire [1:0]  operation_warp,
  input  wire [3:0]  operation_kind,
  input  wire [31:0] operation_mask,
  input  wire [21:0] operation_address,
  output wire        operation_found,
  output wire        operation_failed,

  // The answer, one cycle after the operation was taken.
  output reg         response_valid,
  output reg  [2:0]  response_code,
  output reg         response_found,
  output reg         response_merged,
  output reg         response_failed,
  output reg  [1:0]  response_warp,
  output wire [3:0]  response_kind,
  output wire [31:0] response_mask,
  output wire [21:0] response_address,
  output wire [3:0]  response_summary,

  // Events.
  output wire        token_entered,
  output wire [1:0]  token_entered_warp,
  output wire        token_left,
  output wire        sweep_enable,
  output wire [5:0]  sweep_key,
  output wire        exception_valid,
  output reg  [1:0]  exception_cause,
  output wire [1:0]  exception_warp,

  // The software handler.
  input  wire        handler_software,
  input  wire        handler_done,
  input  wire        handler_pointer_write,
  input  wire [4:0]  handler_head,
  input  wire [4:0]  handler_tail,
  input  wire [11:0] handler_spill_first,
  input  wire [11:0] handler_spill_end,
  input  wire [11:0] handler_spill_count,
  input  wire        window_write,
  input  wire [7:0]  window_index,
  input  wire [63:0] window_data,
  output reg  [63:0] window_read_data,
  output wire [4:0]  queue_head,
  output wire [4:0]  queue_tail,
  output wire [11:0] spill_first,
  output wire [11:0] spill_end,
  output wire [11:0] spill_count,

  // Spilled tokens.
  input  wire [31:0] spill_base,
  input  wire [11:0] spill_limit,
  output wire        memory_request_valid,
  input  wire        memory_request_ready,
  output wire        memory_request_write,
  output wire [31:0] memory_request_address,
  output wire [63:0] memory_request_data,
  input  wire        memory_response_valid,
  output wire        memory_response_ready,
  input  wire [63:0] memory_response_data
);

  localparam [4:0] DEPTH = 5'd16, MIDDLE = 5'd8;

  localparam [2:0] OP_POP = 3'd0, OP_PUSH_FRONT = 3'd1, OP_PUSH_BACK = 3'd2, OP_YIELD = 3'd3, OP_FIND = 3'd4,
                   OP_CLEAR = 3'd5;
  localparam [3:0] KIND_SYNC = 4'd1, KIND_DIVERGENCE = 4'd2, KIND_CALL = 4'd3, KIND_YIELD = 4'd8;
  localparam [1:0] CAUSE_RECENTER = 2'd0, CAUSE_SPILL = 2'd1, CAUSE_REFILL = 2'd2, CAUSE_FATAL = 2'd3;

  // Main state; reset starts a sweep of all counts.
  localparam [2:0] SWEEP = 3'd0, IDLE = 3'd1, SCAN = 3'd2, RECENTER = 3'd3, SPILL = 3'd4, SOFTWARE = 3'd5;
  // What is done in state SPILL, and its step.
  localparam [2:0] DO_SPILL = 3'd0, DO_REFILL = 3'd1, DO_SEARCH = 3'd2, DO_FIND = 3'd3, DO_APPEND = 3'd4;
  localparam [2:0] START = 3'd0, REQUEST = 3'd1, ANSWER = 3'd2, WRITE = 3'd3, RELEASE = 3'd4;

  reg [2:0]  state, next_state;
  reg [2:0]  command;
  reg [2:0]  step;
  reg [1:0]  cause;
  reg [5:0]  sweep;
  reg        swept;     // the sweep after reset is over
  reg [4:0]  position;  // entry that is being examined
  reg [12:0] examined;  // tokens examined so far
  reg        searched;  // no yield token to merge with
  reg        placed;    // the yield token is in
  reg        merged;    // ... merged into another
  reg        popped;    // the last operation took a token out
  reg        alone;     // ... and nothing of interest is behind it
  reg        moving;    // recenter: write what was read
  reg [4:0]  moved;     // recenter: tokens moved
  reg [11:0] cursor;    // slot that is being searched

  // ------------------------------------------------------------------------------------------------------------------
  // Tables

  reg [63:0] window [0:63];
  reg [4:0]  heads [0:3];
  reg [4:0]  tails [0:3];
  reg [11:0] spill_firsts [0:3];
  reg [11:0] spill_ends [0:3];
  reg [11:0] spill_counts [0:3];
  reg [12:0] entered [0:63];  // tokens of {warp, kind} that came, modulo 2^13
  reg [12:0] left [0:63];     // ... and that went
  reg [3:0]  kinds [0:3];     // {yield, call, divergence, sync}: the queue holds such a token

  wire [4:0] head      = heads[operation_warp];
  wire [4:0] tail      = tails[operation_warp];
  wire [4:0] push_head = heads[push_warp];
  assign queue_head  = head;
  assign queue_tail  = tail;
  assign spill_first = spill_firsts[operation_warp];
  assign spill_end   = spill_ends[operation_warp];
  assign spill_count = spill_counts[operation_warp];

  // ------------------------------------------------------------------------------------------------------------------
  // The token in view: the window's, or the memory's during a spill command

  wire show_memory = step == ANSWER || step == RELEASE || (step == WRITE && command == DO_SEARCH);
  wire [63:0] shown = show_memory ? memory_response_data : window_read_data;
  wire [3:0]  shown_kind    = shown[3:0];
  wire [31:0] shown_mask    = shown[35:4];
  wire [21:0] shown_address = shown[57:36];
  wire [3:0]  shown_summary = shown[61:58];

  wire merging = state == SCAN || (state == SPILL && command == DO_SEARCH);
  wire [63:0] returned = {2'b00, shown_summary, shown_address, shown_mask | (merging ? operation_mask : 32'd0), shown_kind};

  // ------------------------------------------------------------------------------------------------------------------
  // Decoding

  wire is_back  = operation_code == OP_PUSH_BACK || operation_code == OP_YIELD;
  wire is_pop   = operation_code == OP_POP || operation_code == OP_YIELD;
  wire is_front = operation_code == OP_PUSH_FRONT;
  wire is_find  = operation_code == OP_FIND;

  wire empty     = head == tail;
  wire front_met = head == DEPTH;
  wire back_met  = tail == 5'd0;
  wire full      = front_met && back_met;
  wire spilled   = spill_count != 12'd0;
  wire area_full = spill_count == spill_limit;

  // Tokens of the kind in question, without the one that the last pop took.
  wire [3:0]  query_kind = is_back ? KIND_YIELD : operation_kind;
  wire [5:0]  query_key  = {operation_warp, query_kind};
  wire [5:0]  popped_key = {response_warp, shown_kind};
  wire        popped_one = popped && popped_key == query_key;
  wire [12:0] count      = entered[query_key] - left[query_key] - {12'd0, popped_one};
  wire        present    = count != 13'd0;

  wire exhausted = examined + 13'd1 == count;
  wire sought    = shown_kind == query_kind && (is_find || (is_back && shown_address == operation_address));
  wire search    = (operation_valid || operation_announce) && present && (is_find || (is_back && !placed && !searched));
  wire to_back   = is_back && !placed && (searched || !present);

  wire need_recenter = (is_front && front_met && !back_met) || (to_back && !spilled && back_met && !front_met);
  wire need_spill    = is_front && full && !area_full;
  wire need_refill   = is_pop && (!is_back || placed) && empty && spilled;
  wire need_append   = to_back && (spilled || full) && !area_full;
  wire need_handler  = need_recenter || need_spill || need_refill;
  wire fatal         = area_full && ((is_front && full) || (to_back && (spilled || full)));

  wire offered   = state == IDLE && operation_valid;
  wire place_now = offered && ((is_front && !front_met) || (to_back && !spilled && !back_met));
  wire pop_now   = offered && is_pop && !empty && (!is_back || placed || place_now);
  wire last_out  = pop_now && !place_now && head - 5'd1 == tail;

  // ------------------------------------------------------------------------------------------------------------------
  // Recentering: the free entries are all at one end, half of them come over

  wire       recentering = state == RECENTER;
  wire [4:0] held        = head - tail;
  wire [4:0] free        = DEPTH - head + 5'd1;
  wire [4:0] new_tail    = is_front ? tail >> 1 : free >> 1;
  wire [4:0] move_from   = is_front ? tail + moved : head - 5'd1 - moved;
  wire [3:0] move_to     = is_front ? new_tail[3:0] + moved[3:0] : move_from[3:0] + new_tail[3:0];
  wire       move_write  = recentering && moving;
  wire       move_last   = moved + 5'd1 == held;
  wire       move_done   = move_write && move_last;

  always @(posedge clock)
    if (reset) begin
      moving <= 1'b0;
      moved  <= 5'd0;
    end else if (recentering) begin
      moving <= !moving;
      if (moving) moved <= move_last ? 5'd0 : moved + 5'd1;
    end

  // ------------------------------------------------------------------------------------------------------------------
  // Spilled tokens

  wire do_spill  = command == DO_SPILL;
  wire do_refill = command == DO_REFILL;
  wire do_search = command == DO_SEARCH;
  wire do_find   = command == DO_FIND;
  wire do_append = command == DO_APPEND;

  wire answered = step == ANSWER && memory_response_valid;
  wire written  = step == WRITE && memory_request_ready;

  // The slot in use and its neighbour in the circle.
  reg  [11:0] slot;
  always @* begin
    slot = cursor;
    if (do_spill || do_refill) slot = spill_first;
    if (do_append || (do_search && step == START)) slot = spill_end;
  end
  wire [11:0] slot_below = slot == 12'd0 ? spill_limit - 12'd1 : slot - 12'd1;
  wire [11:0] slot_above = slot + 12'd1 == spill_limit ? 12'd0 : slot + 12'd1;
  wire [11:0] slot_next  = do_spill || do_search ? slot_below : slot_above;

  reg spill_last;
  always @*
    case (command)
      DO_SPILL:  spill_last = tail + 5'd1 == MIDDLE || spill_count + 12'd1 == spill_limit;
      DO_REFILL: spill_last = tail == 5'd1 || spill_count == 12'd1;
      DO_SEARCH: spill_last = exhausted || cursor == spill_first;
      default:   spill_last = 1'b0;
    endcase

  wire spill_read     = state == SPILL && do_spill && step == START;
  wire refill_write   = answered && do_refill;
  wire spill_examined = answered && (do_search || do_find);
  wire spill_matched  = (written && do_search) || (answered && do_find && sought);
  wire spill_done     = (written && (!do_spill || spill_last))
                        || (answered && spill_last && !(do_search && sought))
                        || (answered && do_find && sought);
  wire append_done    = state == SPILL && do_append && spill_done;
  wire spill_moved    = (written && (do_spill || do_append)) || refill_write;

  always @(posedge clock)
    if (reset) begin
      step   <= START;
      cursor <= 12'd0;
    end else
      case (step)
        START:
          if (state == SPILL) begin
            step   <= do_spill || do_append ? WRITE : REQUEST;
            cursor <= do_search ? slot_next : spill_first;
          end
        REQUEST:
          if (memory_request_ready) step <= ANSWER;
        ANSWER:
          if (memory_response_valid) begin
            if (do_search && sought) step <= WRITE;
            else if (do_find && sought) step <= RELEASE;
            else step <= spill_last ? START : REQUEST;
            if (!do_refill && !(do_search && sought)) cursor <= slot_next;
          end
        WRITE:
          if (memory_request_ready) step <= START;
        default:
          step <= START;
      endcase

  assign memory_request_valid   = step == REQUEST || step == WRITE;
  assign memory_request_write   = step == WRITE;
  assign memory_request_address = spill_base | {18'd0, operation_warp, do_spill ? slot_next : slot};
  // A token that matched stays in view until it is written back or was shown.
  assign memory_response_ready  = (answered && (!sought || do_refill)) || step == RELEASE || (written && do_search);

  // ------------------------------------------------------------------------------------------------------------------
  // The token that comes in, from either port

  wire push_blocked = ((operation_valid || operation_announce) && operation_warp == push_warp)
                      || state == SWEEP || state == SOFTWARE || (offered && !is_find) || (state == SCAN && is_back)
                      || move_write || refill_write || (state == SPILL && do_append);
  assign push_ready = !push_blocked && push_head != DEPTH;
  wire push_now     = push_valid && push_ready;

  wire [1:0]  in_warp    = push_blocked ? operation_warp : push_warp;
  wire [3:0]  in_kind    = push_blocked ? query_kind : push_kind;
  wire [31:0] in_mask    = push_blocked ? operation_mask : push_mask;
  wire [21:0] in_address = push_blocked ? operation_address : push_address;
  wire        in_valid   = push_now || place_now || append_done;

  // Kinds that the queue holds once the token popped last is gone: what was behind that one.
  wire [3:0] in_held = popped && response_warp == in_warp ? {kinds[in_warp][3] && !alone, shown_summary[2:0]}
                                                          : kinds[in_warp];
  wire [3:0] in_summary = push_blocked && is_back ? 4'd0 : {1'b0, in_held[2:0]};
  wire [3:0] in_flag    = {in_kind == KIND_YIELD, in_kind == KIND_CALL, in_kind == KIND_DIVERGENCE, in_kind == KIND_SYNC};

  wire [63:0] incoming = {2'b00, in_summary, in_address, in_mask, in_kind};
  assign memory_request_data = do_append ? incoming : returned;

  integer warp;
  always @(posedge clock)
    if (reset)
      for (warp = 0; warp < 4; warp = warp + 1) kinds[warp] <= 4'd0;
    else begin
      if (popped) kinds[response_warp] <= {kinds[response_warp][3] && !alone, shown_summary[2:0]};
      if (in_valid) kinds[in_warp] <= in_held | in_flag;
      if (state == SWEEP) kinds[sweep[5:4]] <= 4'd0;
    end

  // Counts of what came and went.
  wire [5:0] in_key = {in_warp, in_kind};
  always @(posedge clock)
    if (state == SWEEP) begin
      entered[sweep] <= 13'd0;
      left[sweep]    <= 13'd0;
    end else begin
      if (in_valid) entered[in_key] <= entered[in_key] + 13'd1;
      if (popped) left[popped_key] <= left[popped_key] + 13'd1;
    end

  // ------------------------------------------------------------------------------------------------------------------
  // Window

  reg [4:0] read_index;
  always @*
    case (state)
      SCAN:     read_index = is_back ? position + 5'd1 : position - 5'd1;
      RECENTER: read_index = move_from;
      SPILL:    read_index = tail;
      SOFTWARE: read_index = window_index[4:0];
      default:  read_index = search && is_back ? tail : head - 5'd1;
    endcase

  // An index past the window, which only software can ask for, reaches into a neighbour's.
  wire [5:0] read_entry = {operation_warp, 4'd0} | {1'b0, read_index};

  wire scan_read   = next_state == SCAN && (state == SPILL || search);
  wire window_read = pop_now || scan_read || (recentering && !moving) || spill_read || state == SOFTWARE;

  reg        window_take;
  reg [5:0]  window_entry;
  reg [63:0] window_token;
  always @* begin
    window_take  = push_now;
    window_entry = {push_warp, push_head[3:0]};
    window_token = incoming;
    if (!push_now) begin
      window_entry[5:4] = operation_warp;
      window_token      = returned;
      if (state == SOFTWARE) begin
        window_take       = window_write;
        window_entry[3:0] = window_index[3:0];
        window_token      = window_data;
      end else if (refill_write || (place_now && is_back)) begin
        window_take       = 1'b1;
        window_entry[3:0] = tail[3:0] - 4'd1;
        if (place_now) window_token = incoming;
      end else if (place_now) begin
        window_take       = 1'b1;
        window_entry[3:0] = head[3:0];
        window_token      = incoming;
      end else if (move_write) begin
        window_take       = 1'b1;
        window_entry[3:0] = move_to;
      end else begin
        window_take       = state == SCAN && is_back && sought;
        window_entry[3:0] = position[3:0];
      end
    end
  end

  always @(posedge clock) begin
    if (window_take) window[window_entry] <= window_token;
    if (reset) window_read_data <= 64'd0;
    else if (window_read) window_read_data <= window[read_entry];
  end

  // ------------------------------------------------------------------------------------------------------------------
  // Pointers

  always @(posedge clock) begin
    if (push_now) heads[push_warp] <= push_head + 5'd1;
    if (spill_moved) begin
      if (do_append) spill_ends[operation_warp] <= slot_next;
      else spill_firsts[operation_warp] <= slot_next;
      spill_counts[operation_warp] <= do_refill ? spill_count - 12'd1 : spill_count + 12'd1;
      if (do_spill) tails[operation_warp] <= tail + 5'd1;
      if (do_refill) tails[operation_warp] <= tail - 5'd1;
    end
    case (state)
      SWEEP: begin
        heads[sweep[5:4]]        <= MIDDLE;
        tails[sweep[5:4]]        <= MIDDLE;
        spill_firsts[sweep[5:4]] <= 12'd0;
        spill_ends[sweep[5:4]]   <= 12'd0;
        spill_counts[sweep[5:4]] <= 12'd0;
      end
      IDLE:
        if (last_out) begin
          // An empty window lies in the middle.
          heads[operation_warp] <= MIDDLE;
          tails[operation_warp] <= MIDDLE;
        end else begin
          if (pop_now) heads[operation_warp] <= head - 5'd1;
          else if (place_now && !is_back) heads[operation_warp] <= head + 5'd1;
          if (place_now && is_back) tails[operation_warp] <= tail - 5'd1;
        end
      RECENTER:
        if (move_done) begin
          heads[operation_warp] <= new_tail + held;
          tails[operation_warp] <= new_tail;
        end
      SOFTWARE:
        if (handler_pointer_write) begin
          heads[operation_warp]        <= handler_head;
          tails[operation_warp]        <= handler_tail;
          spill_firsts[operation_warp] <= handler_spill_first;
          spill_ends[operation_warp]   <= handler_spill_end;
          spill_counts[operation_warp] <= handler_spill_count;
        end
      default: ;
    endcase
  end

  // ------------------------------------------------------------------------------------------------------------------
  // Control

  wire sweep_last = &sweep[3:0] && (swept || &sweep);

  always @* begin
    next_state      = state;
    operation_ready = 1'b0;
    case (state)
      SWEEP:
        if (sweep_last) begin
          next_state      = IDLE;
          operation_ready = swept;
        end
      IDLE: begin
        operation_ready = operation_valid
                          && (fatal || (place_now && !is_pop) || pop_now || (is_pop && !is_back && empty && !spilled)
                              || (is_back && !is_pop && placed) || (is_find && !present));
        if (search) next_state = (is_find && empty) || (is_back && spilled) ? SPILL : SCAN;
        else if (operation_valid) begin
          if (operation_code == OP_CLEAR) next_state = SWEEP;
          if (need_append) next_state = SPILL;
          if (need_handler) next_state = handler_software ? SOFTWARE : need_recenter ? RECENTER : SPILL;
        end
      end
      SCAN:
        if (sought) begin
          next_state      = IDLE;
          operation_ready = is_find;
        end else if (is_back && exhausted) next_state = IDLE;
        else if (is_find && position == tail) next_state = SPILL;
      RECENTER:
        if (move_done) next_state = IDLE;
      SPILL:
        if (spill_done) begin
          next_state      = do_search && !spill_matched && !exhausted ? SCAN : IDLE;
          operation_ready = is_find && spill_matched;
        end
      SOFTWARE:
        if (handler_done) next_state = IDLE;
      default:
        next_state = IDLE;
    endcase
  end

  always @(posedge clock)
    if (reset) begin
      state    <= SWEEP;
      command  <= DO_SPILL;
      cause    <= 2'd0;
      sweep    <= 6'd0;
      swept    <= 1'b0;
      position <= 5'd0;
      examined <= 13'd0;
      searched <= 1'b0;
      placed   <= 1'b0;
      merged   <= 1'b0;
    end else begin
      state <= next_state;
      case (state)
        SWEEP: begin
          sweep <= sweep + 6'd1;
          if (sweep_last) swept <= 1'b1;
        end
        IDLE: begin
          examined <= 13'd0;
          position <= read_index;
          if (place_now) placed <= is_pop;
          if (search) begin
            if (is_find && empty) command <= DO_FIND;
            if (is_back && spilled) command <= DO_SEARCH;
          end else if (operation_valid) begin
            cause <= exception_cause;
            if (operation_code == OP_CLEAR) sweep <= {operation_warp, 4'd0};
            if (need_append) command <= DO_APPEND;
            if (need_handler) command <= need_refill ? DO_REFILL : DO_SPILL;
          end
        end
        SCAN: begin
          examined <= examined + 13'd1;
          position <= read_index;
          if (sought) begin
            placed <= is_back;
            merged <= is_back;
          end else if (is_back && exhausted) searched <= 1'b1;
          else if (is_find && position == tail) command <= DO_FIND;
        end
        SPILL: begin
          position <= read_index;
          if (spill_examined) examined <= examined + 13'd1;
          if (spill_done) begin
            if (append_done || (is_back && spill_matched)) placed <= 1'b1;
            if (is_back && spill_matched) merged <= 1'b1;
            if (do_search && !spill_matched) searched <= exhausted;
          end
        end
        default: ;
      endcase
      if (operation_ready) begin
        searched <= 1'b0;
        placed   <= 1'b0;
        merged   <= 1'b0;
      end
    end

  // ------------------------------------------------------------------------------------------------------------------
  // Answers, events, exceptions

  assign operation_found  = is_find && present;
  assign operation_failed = fatal && state == IDLE;

  always @(posedge clock)
    if (reset) begin
      response_valid  <= 1'b0;
      response_code   <= 3'd0;
      response_found  <= 1'b0;
      response_merged <= 1'b0;
      response_failed <= 1'b0;
      response_warp   <= 2'd0;
      popped          <= 1'b0;
      alone           <= 1'b0;
    end else begin
      response_valid  <= operation_ready;
      response_code   <= operation_code;
      response_found  <= pop_now || operation_found;
      response_merged <= merged;
      response_failed <= operation_failed;
      response_warp   <= operation_warp;
      popped          <= pop_now;
      alone           <= (last_out && !spilled) || (is_find && count == 13'd1);
    end

  assign response_kind    = shown_kind;
  assign response_mask    = shown_mask;
  assign response_address = shown_address;
  // Yield tokens come in behind others, so their summary bit is supplied on the way out.
  wire yield_behind       = shown_kind == KIND_YIELD ? !alone : kinds[response_warp][3];
  assign response_summary = shown_summary | {yield_behind, 3'd0};

  assign token_entered      = in_valid;
  assign token_entered_warp = in_warp;
  assign token_left         = pop_now;
  assign sweep_enable       = state == SWEEP;
  assign sweep_key          = sweep;

  assign exception_valid = (offered && !search && (need_handler || fatal)) || state == SOFTWARE;
  assign exception_warp  = operation_warp;
  always @*
    if (state == SOFTWARE) exception_cause = cause;
    else if (need_refill) exception_cause = CAUSE_REFILL;
    else if (need_spill) exception_cause = CAUSE_SPILL;
    else if (need_recenter) exception_cause = CAUSE_RECENTER;
    else exception_cause = CAUSE_FATAL;

endmodule
