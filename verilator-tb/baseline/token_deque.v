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

  // Main state; reset starts a sweep of all flags.
  localparam [2:0] IDLE = 3'd0, SWEEP = 3'd1, SCAN = 3'd2, RECENTER = 3'd3, SEEK = 3'd4, MOVE = 3'd5, SOFTWARE = 3'd6;
  // What is done in states SEEK and MOVE, and its step.
  localparam [2:0] DO_NOTHING = 3'd0, DO_SPILL = 3'd1, DO_REFILL = 3'd2, DO_SEARCH = 3'd3, DO_FIND = 3'd4, DO_APPEND = 3'd5;
  localparam [2:0] START = 3'd0, REQUEST = 3'd1, ANSWER = 3'd2, WRITE = 3'd3, RELEASE = 3'd4;

  reg [2:0]  state, next_state;
  reg [2:0]  command;
  reg [2:0]  step;
  reg [1:0]  cause;
  reg [5:0]  sweep;
  reg        swept;     // the sweep after reset is over
  reg [4:0]  position;  // entry of the token in view
  reg        searched;  // no yield token to merge with
  reg        placed;    // the yield token is in
  reg        merged;    // ... merged into another
  reg        popped;    // the last operation took a token out
  reg        alone;     // ... and nothing is behind it
  reg        moving;    // recenter: write what was read
  reg [4:0]  target;    // ... to this entry
  reg [11:0] cursor;    // slot of the spill area in use
  reg        looked;    // a search has seen a spilled token
  reg        through;   // the last operation was a YIELD of an empty queue
  reg [31:0] through_mask;     // ... with these threads
  reg [21:0] through_address;  // ... and this address

  // ------------------------------------------------------------------------------------------------------------------
  // Tables

  reg [63:0] window [0:63];
  reg [4:0]  heads [0:3];
  reg [4:0]  tails [0:3];
  reg [11:0] spill_firsts [0:3];
  reg [11:0] spill_ends [0:3];
  reg [11:0] spill_counts [0:3];
  reg [0:0]  have_spilled [0:3];  // spill_counts is not 0
  reg [63:0] held;         // the queue holds such a token, by {warp, kind}
  reg [2:0]  kinds [0:3];  // ... {call, divergence, sync}
  reg [3:0]  yielded;      // ... a yield token

  wire [4:0] head      = heads[operation_warp];
  wire [4:0] tail      = tails[operation_warp];
  wire [4:0] push_head = heads[push_warp];
  assign queue_head  = head;
  assign queue_tail  = tail;
  assign spill_first = spill_firsts[operation_warp];
  assign spill_end   = spill_ends[operation_warp];
  assign spill_count = spill_counts[operation_warp];

  // ------------------------------------------------------------------------------------------------------------------
  // The token in view: the window's, the memory's during a spill command, software's

  wire do_spill  = command == DO_SPILL;
  wire do_refill = command == DO_REFILL;
  wire do_search = command == DO_SEARCH;
  wire do_find   = command == DO_FIND;
  wire do_append = command == DO_APPEND;

  wire scanning    = state == SCAN;
  wire recentering = state == RECENTER;
  wire spilling    = state == SEEK || state == MOVE;
  wire software    = state == SOFTWARE;

  wire show_memory = step == ANSWER || step == RELEASE || (step == WRITE && do_search);
  wire [63:0] own   = {6'd0, through_address, through_mask, KIND_YIELD};
  wire [63:0] shown = through ? own : software ? window_data : show_memory ? memory_response_data : window_read_data;
  wire [3:0]  shown_kind    = shown[3:0];
  wire [31:0] shown_mask    = shown[35:4];
  wire [21:0] shown_address = shown[57:36];
  wire [3:0]  shown_summary = shown[61:58];

  // ------------------------------------------------------------------------------------------------------------------
  // Decoding

  wire is_back  = operation_code == OP_PUSH_BACK || operation_code == OP_YIELD;
  wire is_pop   = operation_code == OP_POP || operation_code == OP_YIELD;
  wire is_front = operation_code == OP_PUSH_FRONT;
  wire is_find  = operation_code == OP_FIND;

  wire empty     = head == tail;
  wire front_met = head[4];  // head == DEPTH
  wire back_met  = tail == 5'd0;
  wire full      = front_met && back_met;
  wire spilled   = have_spilled[operation_warp];
  wire area_full = spill_count == spill_limit;

  // Flags without the token that the last pop took.
  wire       behind     = shown_summary[3] && !alone;
  wire [5:0] popped_key = {response_warp, shown_kind};
  wire [5:0] query_key  = {operation_warp, operation_kind};
  wire       present    = operation_kind == KIND_YIELD ? yielded[operation_warp]
                          : popped && popped_key == query_key ? behind : held[query_key];
  wire       yields     = yielded[operation_warp];

  wire [3:0] query_kind = is_back ? KIND_YIELD : operation_kind;
  wire       sought     = shown_kind == query_kind && (is_find || shown_address == operation_address);

  // A search from the back ends at the first token that is no yield token, and the operation decides in that cycle.
  wire deciding    = state == IDLE || (scanning && !is_find && window_read_data[3:0] != KIND_YIELD);
  wire offered     = deciding && operation_valid;
  wire begins      = state == IDLE && (operation_valid || operation_announce);
  wire search_find = begins && is_find && present;
  wire search_back = begins && is_back && yields && !placed && !searched;
  wire to_back     = is_back && !placed && (searched || scanning || !yields);
  wire beyond      = to_back && (spilled || full);

  wire need_recenter = (is_front && front_met && !back_met) || (to_back && !spilled && back_met && !front_met);
  wire need_spill    = is_front && full && !area_full;
  wire need_refill   = is_pop && (!is_back || placed) && empty && spilled;
  wire need_append   = beyond && !area_full;
  wire need_handler  = need_recenter || need_spill || need_refill;
  wire fatal         = area_full && ((is_front && full) || beyond);

  wire behind_now = to_back && !spilled && !back_met;
  wire pass_now   = offered && operation_code == OP_YIELD && !placed && empty && !spilled;
  wire place_now  = offered && ((is_front && !front_met) || behind_now) && !pass_now;
  wire pop_only   = !is_back || placed;
  wire pop_now    = offered && is_pop && !empty && (pop_only || behind_now);
  wire last_out   = pop_now && pop_only && head - 5'd1 == tail;

  // ------------------------------------------------------------------------------------------------------------------
  // Recentering: the free entries are all at one end, half of them come over

  wire [4:0] free        = DEPTH - head + 5'd1;
  wire [4:0] raised_head = head + (free >> 1);
  wire       move_read   = recentering && !moving;
  wire       move_done   = moving && (is_front ? position == DEPTH - 5'd1 : position == 5'd0);
  wire [4:0] new_head    = is_front ? target + 5'd1 : raised_head;
  wire [4:0] new_tail    = is_front ? tail >> 1 : target;

  always @(posedge clock)
    if (reset) begin
      moving <= 1'b0;
      target <= 5'd0;
    end else begin
      moving <= move_read;
      if (offered && need_recenter && !handler_software) target <= is_front ? tail >> 1 : raised_head - 5'd1;
      else if (moving) target <= is_front ? target + 5'd1 : target - 5'd1;
    end

  // ------------------------------------------------------------------------------------------------------------------
  // Spilled tokens

  wire starts   = spilling && step == START;
  wire answered = step == ANSWER && memory_response_valid;
  wire written  = step == WRITE && memory_request_ready;

  // The cursor's neighbour in the circle; a command that goes towards the front works on its slot.
  wire        forwards  = do_spill || do_search;
  wire [11:0] last_slot = spill_limit - 12'd1;
  wire [11:0] neighbour = forwards ? (cursor == 12'd0 ? last_slot : cursor - 12'd1)
                          : cursor == last_slot ? 12'd0 : cursor + 12'd1;

  wire move_last = do_spill ? tail == MIDDLE - 5'd1 : do_refill && tail == 5'd1;
  wire nothing   = (starts && do_spill && area_full) || (step == REQUEST && do_refill && !spilled);
  wire passed    = answered && do_search && shown_kind != KIND_YIELD;
  wire exhausted = step == REQUEST && do_search && looked && cursor == spill_first;

  wire spill_read    = starts && do_spill;
  wire refill_write  = answered && do_refill;
  wire append_done   = written && do_append;
  wire spill_matched = (written && do_search) || (answered && do_find && sought);
  wire spill_done    = nothing || append_done || (written && do_spill && move_last) || (refill_write && move_last);
  wire first_moves   = (written && do_spill) || refill_write;
  wire spill_at_end  = neighbour == spill_end;

  always @(posedge clock)
    if (reset) begin
      step   <= START;
      cursor <= 12'd0;
      looked <= 1'b0;
    end else begin
      looked <= spilling && (looked || answered);
      if (starts) cursor <= do_search || do_append ? spill_end : spill_first;
      else if ((answered || written) && !(do_search && sought)) cursor <= neighbour;
      case (step)
        START:
          if (spilling) step <= do_spill || do_append ? WRITE : REQUEST;
        REQUEST:
          if (memory_request_ready) step <= ANSWER;
        ANSWER:
          if (memory_response_valid) begin
            if (do_search && sought) step <= WRITE;
            else if (do_find && sought) step <= RELEASE;
            else step <= move_last || passed ? START : REQUEST;
          end
        WRITE:
          if (memory_request_ready) step <= START;
        default:
          step <= START;
      endcase
      if (nothing || exhausted) step <= START;
    end

  assign memory_request_valid   = (step == REQUEST && !nothing && !exhausted) || step == WRITE;
  assign memory_request_write   = step == WRITE;
  assign memory_request_address = {spill_base[31:14], operation_warp, forwards ? neighbour : cursor};
  // A token that matched stays in view until it is written back or was shown.
  assign memory_response_ready  = (answered && (!sought || do_refill)) || step == RELEASE || (written && do_search);

  // ------------------------------------------------------------------------------------------------------------------
  // The token that moves: one that comes in from either port, or the one in view, with threads that merge into it

  wire taken = moving || step == WRITE || state == SWEEP || software || refill_write
               || (!is_find && (scanning || (operation_valid && !recentering && !spilling)));
  assign push_ready = !taken && !((operation_valid || operation_announce) && operation_warp == push_warp)
                      && !push_head[4];
  wire push_now     = push_valid && push_ready;

  wire [1:0] in_warp  = taken ? operation_warp : push_warp;
  wire [3:0] in_kind  = taken ? query_kind : push_kind;
  wire       in_valid = push_now || place_now || append_done;

  // Kinds that the queue holds once the token popped last is gone, and whether its own kind is among them.
  wire [5:0] push_key   = {push_warp, push_kind};
  wire       in_own     = taken ? present : popped && popped_key == push_key ? behind : held[push_key];
  wire [2:0] in_held    = popped && response_warp == in_warp ? kinds[in_warp] & shown_summary[2:0] : kinds[in_warp];
  wire [3:0] in_summary = taken && is_back ? 4'b1000 : {in_own, in_held};

  wire replaces = deciding || (state == MOVE && do_append);
  wire adds     = replaces || scanning || (spilling && do_search);
  wire [63:0] moved = !taken ? {2'b00, in_summary, push_address, push_mask, push_kind}
                      : replaces ? {2'b00, in_summary, operation_address, operation_mask, query_kind}
                      : {2'b00, shown_summary, shown_address, shown_mask | (adds ? operation_mask : 32'd0), shown_kind};
  assign memory_request_data = moved;

  always @(posedge clock)
    if (reset) begin
      through         <= 1'b0;
      through_mask    <= 32'd0;
      through_address <= 22'd0;
    end else begin
      through <= pass_now;
      if (pass_now) begin
        through_mask    <= operation_mask;
        through_address <= operation_address;
      end
    end

  integer warp;
  always @(posedge clock)
    if (reset)
      for (warp = 0; warp < 4; warp = warp + 1) begin
        kinds[warp]   <= 3'd0;
        yielded[warp] <= 1'b0;
      end
    else begin
      if (popped) kinds[response_warp] <= kinds[response_warp] & shown_summary[2:0];
      if (last_out && !spilled) yielded[operation_warp] <= 1'b0;
      if (state == SWEEP) begin
        kinds[sweep[5:4]]   <= 3'd0;
        yielded[sweep[5:4]] <= 1'b0;
      end
      if (in_valid) begin
        kinds[in_warp] <= in_held | {in_kind == KIND_CALL, in_kind == KIND_DIVERGENCE, in_kind == KIND_SYNC};
        if (in_kind == KIND_YIELD) yielded[in_warp] <= 1'b1;
      end
    end

  initial held = 64'd0;
  always @(posedge clock) begin
    if (popped) held[popped_key] <= behind;
    if (in_valid) held[{in_warp, in_kind}] <= 1'b1;
    if (state == SWEEP) held[sweep] <= 1'b0;
  end

  // ------------------------------------------------------------------------------------------------------------------
  // Window

  wire       upwards = is_front || (scanning && is_back);
  wire [4:0] stepped = !scanning && !moving ? position : upwards ? position + 5'd1 : position - 5'd1;
  wire       at_end  = is_back ? position + 5'd1 == head : position == tail;

  reg [3:0] read_index;
  always @*
    if (software) read_index = window_index[3:0];
    else if ((scanning && !deciding) || recentering) read_index = stepped[3:0];
    else if (search_back || is_front || spilling) read_index = tail[3:0];
    else read_index = head[3:0] - 4'd1;

  wire searching   = spilling && do_search;
  wire scan_now    = search_find || search_back || (scanning && !(is_find && sought));
  wire window_read = pop_now || scan_now || searching || move_read || spill_read || software;
  wire merge_now   = scanning && !is_find && sought;

  reg        window_take;
  reg [5:0]  window_entry;
  always @* begin
    window_take  = push_now;
    window_entry = {push_warp, push_head[3:0]};
    if (!push_now) begin
      window_entry[5:4] = operation_warp;
      if (software) begin
        window_take       = window_write;
        window_entry[3:0] = window_index[3:0];
      end else if (refill_write || (place_now && is_back)) begin
        window_take       = 1'b1;
        window_entry[3:0] = tail[3:0] - 4'd1;
      end else if (place_now) begin
        window_take       = 1'b1;
        window_entry[3:0] = head[3:0];
      end else if (moving) begin
        window_take       = 1'b1;
        window_entry[3:0] = target[3:0];
      end else begin
        window_take       = merge_now;
        window_entry[3:0] = position[3:0];
      end
    end
  end

  always @(posedge clock) begin
    if (window_take) window[window_entry] <= moved;
    if (reset) window_read_data <= 64'd0;
    else if (window_read) window_read_data <= window[{operation_warp, read_index}];
  end

  // ------------------------------------------------------------------------------------------------------------------
  // Pointers

  always @(posedge clock) begin
    if (push_now) heads[push_warp] <= push_head + 5'd1;
    if (first_moves) spill_firsts[operation_warp] <= neighbour;
    if (append_done) spill_ends[operation_warp] <= neighbour;
    if (first_moves || append_done) begin
      spill_counts[operation_warp] <= do_refill ? spill_count - 12'd1 : spill_count + 12'd1;
      have_spilled[operation_warp] <= !do_refill || spill_count != 12'd1;
    end
    if (first_moves) tails[operation_warp] <= do_spill ? tail + 5'd1 : tail - 5'd1;
    if (last_out) begin
      // An empty window lies in the middle.
      heads[operation_warp] <= MIDDLE;
      tails[operation_warp] <= MIDDLE;
    end else begin
      if (pop_now) heads[operation_warp] <= head - 5'd1;
      else if (place_now && is_front) heads[operation_warp] <= head + 5'd1;
      if (place_now && is_back) tails[operation_warp] <= tail - 5'd1;
    end
    if (move_done) begin
      heads[operation_warp] <= new_head;
      tails[operation_warp] <= new_tail;
    end
    if (software && handler_pointer_write) begin
      heads[operation_warp]        <= handler_head;
      tails[operation_warp]        <= handler_tail;
      spill_firsts[operation_warp] <= handler_spill_first;
      spill_ends[operation_warp]   <= handler_spill_end;
      spill_counts[operation_warp] <= handler_spill_count;
      have_spilled[operation_warp] <= handler_spill_count != 12'd0;
    end
    if (state == SWEEP) begin
      heads[sweep[5:4]]        <= MIDDLE;
      tails[sweep[5:4]]        <= MIDDLE;
      spill_firsts[sweep[5:4]] <= 12'd0;
      spill_ends[sweep[5:4]]   <= 12'd0;
      spill_counts[sweep[5:4]] <= 12'd0;
      have_spilled[sweep[5:4]] <= 1'b0;
    end
  end

  // ------------------------------------------------------------------------------------------------------------------
  // Control

  wire sweep_last = &sweep[3:0] && (swept || &sweep);
  wire joins      = merge_now || (state == SEEK && is_back && spill_matched);
  wire stays      = !(offered && (operation_code == OP_PUSH_BACK || !empty));

  always @* begin
    next_state      = state;
    operation_ready = (offered && (fatal || (is_front && !front_met) || (operation_code == OP_PUSH_BACK && (placed || behind_now))
                                   || (operation_code == OP_POP && empty && !spilled) || (is_find && !present)))
                      || pop_now || pass_now || (is_find && ((scanning && sought) || (state == SEEK && spill_matched)))
                      || (state == SWEEP && sweep_last && swept);
    case (state)
      SWEEP:
        if (sweep_last) next_state = IDLE;
      SCAN:
        if (sought) next_state = IDLE;
        else if (at_end) next_state = is_find ? SEEK : IDLE;
      RECENTER:
        if (move_done) next_state = IDLE;
      SEEK:
        if (spill_matched || passed || exhausted) next_state = exhausted && !empty ? SCAN : IDLE;
      MOVE:
        if (spill_done) next_state = IDLE;
      SOFTWARE:
        if (handler_done) next_state = IDLE;
      default: ;
    endcase
    if (deciding) begin
      next_state = IDLE;
      if (search_find) next_state = empty ? SEEK : SCAN;
      else if (search_back) next_state = spilled ? SEEK : SCAN;
      else if (operation_valid) begin
        if (operation_code == OP_CLEAR) next_state = SWEEP;
        if (need_append) next_state = MOVE;
        if (need_handler) next_state = handler_software ? SOFTWARE : need_recenter ? RECENTER : MOVE;
      end
    end
  end

  always @(posedge clock)
    if (reset) begin
      state    <= SWEEP;
      command  <= DO_NOTHING;
      cause    <= 2'd0;
      sweep    <= 6'd0;
      swept    <= 1'b0;
      position <= 5'd0;
      searched <= 1'b0;
      placed   <= 1'b0;
      merged   <= 1'b0;
    end else begin
      state    <= next_state;
      position <= {1'b0, read_index};
      sweep    <= state == SWEEP ? sweep + 6'd1 : {operation_warp, 4'd0};
      if (state == SWEEP && sweep_last) swept <= 1'b1;
      if (deciding) begin
        cause   <= exception_cause;
        command <= is_front ? DO_SPILL : search_back ? DO_SEARCH : is_find ? DO_FIND
                   : is_back && !placed ? DO_APPEND : is_pop ? DO_REFILL : DO_NOTHING;
      end
      placed   <= joins || append_done || (placed && stays);
      merged   <= joins || (merged && stays);
      searched <= !(offered && !need_recenter)
                  && (searched || (scanning && is_back && (deciding || at_end))
                      || (state == SEEK && (passed || (exhausted && empty))));
    end

  // ------------------------------------------------------------------------------------------------------------------
  // Answers, events, exceptions

  assign operation_found  = is_find && present;
  assign operation_failed = offered && fatal;

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
      response_found  <= pop_now || pass_now || operation_found;
      response_merged <= merged;
      response_failed <= operation_failed;
      response_warp   <= operation_warp;
      popped          <= pop_now;
      alone           <= spilling ? spill_at_end : !spilled && (scanning && is_find ? at_end : last_out || pass_now);
    end

  assign response_kind    = shown_kind;
  assign response_mask    = shown_mask;
  assign response_address = shown_address;
  // Yield tokens come in behind others, so their summary bit is supplied on the way out.
  assign response_summary = {shown_kind == KIND_YIELD ? !alone : yielded[response_warp], shown_summary[2:0]};

  assign token_entered      = in_valid || pass_now;
  assign token_entered_warp = in_warp;
  assign token_left         = pop_now || pass_now;
  assign sweep_enable       = state == SWEEP;
  assign sweep_key          = sweep;

  assign exception_valid = (offered && (need_handler || fatal)) || software;
  assign exception_warp  = operation_warp;
  always @*
    if (software) exception_cause = cause;
    else if (need_refill) exception_cause = CAUSE_REFILL;
    else if (need_spill) exception_cause = CAUSE_SPILL;
    else if (need_recenter) exception_cause = CAUSE_RECENTER;
    else exception_cause = CAUSE_FATAL;

endmodule
