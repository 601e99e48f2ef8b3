// A block of Heddle inside somebody else's design: the token queue of four warps, without a spill area.
//
// What an integrator decides is all here: the reset, the spill area (none: spill_limit is 0 and the memory port is tied
// off, so that a warp whose window is full raises the fatal exception), the handler (hardware), and no announcements.

module warp_queue (
    input  wire        clock,
    input  wire        reset_request,  // asynchronous, from the board
    // Front pushes, one a cycle.
    input  wire        push_valid,
    output wire        push_ready,
    input  wire [ 1:0] push_warp,
    input  wire [ 3:0] push_kind,
    input  wire [31:0] push_mask,
    input  wire [21:0] push_address,
    // Everything else; codes: 0 pop, 1 push front, 2 push back, 3 yield, 4 find, 5 clear.
    input  wire        operation_valid,
    output wire        operation_ready,
    input  wire [ 2:0] operation_code,
    input  wire [ 1:0] operation_warp,
    input  wire [31:0] operation_mask,
    input  wire [21:0] operation_address,
    // The answer, one cycle after an operation was accepted.
    output wire        response_valid,
    output wire        response_found,
    output wire        response_merged,
    output wire [ 3:0] response_kind,
    output wire [31:0] response_mask,
    output wire [21:0] response_address,
    // A queue is full and has nowhere to go.
    output wire        queue_full
);

  // Heddle's reset is synchronous: two registers bring an asynchronous one into the clock's domain.
  reg  [1:0] reset_synchronizer;
  wire       reset = reset_synchronizer[1];
  always @(posedge clock) begin
    reset_synchronizer <= {reset_synchronizer[0], reset_request};
  end

  wire       exception_valid;
  wire [1:0] exception_cause;
  assign queue_full = exception_valid && (exception_cause == 2'd3);

  // What the block says beside that, and this design has no use for.
  wire        operation_found;
  wire        operation_failed;
  wire [ 2:0] response_code;
  wire        response_failed;
  wire [ 1:0] response_warp;
  wire [ 3:0] response_summary;
  wire        token_entered;
  wire [ 1:0] token_entered_warp;
  wire        token_left;
  wire        sweep_enable;
  wire [ 5:0] sweep_key;
  wire [ 1:0] exception_warp;
  wire [63:0] window_read_data;
  wire [ 5:0] queue_head;
  wire [ 5:0] queue_tail;
  wire [11:0] spill_first;
  wire [11:0] spill_end;
  wire [11:0] spill_count;
  wire        memory_request_valid;
  wire        memory_request_write;
  wire [31:0] memory_request_address;
  wire [63:0] memory_request_data;
  wire        memory_response_ready;

  token_deque_4x32x32 queue (
      .clock(clock),
      .reset(reset),
      .push_valid(push_valid),
      .push_ready(push_ready),
      .push_warp(push_warp),
      .push_kind(push_kind),
      .push_mask(push_mask),
      .push_address(push_address),
      .operation_valid(operation_valid),
      .operation_announce(1'b0),
      .operation_ready(operation_ready),
      .operation_code(operation_code),
      .operation_warp(operation_warp),
      .operation_kind(4'd8),
      .operation_mask(operation_mask),
      .operation_address(operation_address),
      .operation_found(operation_found),
      .operation_failed(operation_failed),
      .response_valid(response_valid),
      .response_code(response_code),
      .response_found(response_found),
      .response_merged(response_merged),
      .response_failed(response_failed),
      .response_warp(response_warp),
      .response_kind(response_kind),
      .response_mask(response_mask),
      .response_address(response_address),
      .response_summary(response_summary),
      .token_entered(token_entered),
      .token_entered_warp(token_entered_warp),
      .token_left(token_left),
      .sweep_enable(sweep_enable),
      .sweep_key(sweep_key),
      .exception_valid(exception_valid),
      .exception_cause(exception_cause),
      .exception_warp(exception_warp),
      .handler_software(1'b0),
      .handler_done(1'b0),
      .handler_pointer_write(1'b0),
      .handler_head(6'd0),
      .handler_tail(6'd0),
      .handler_spill_first(12'd0),
      .handler_spill_end(12'd0),
      .handler_spill_count(12'd0),
      .window_write(1'b0),
      .window_index(8'd0),
      .window_data(64'd0),
      .window_read_data(window_read_data),
      .queue_head(queue_head),
      .queue_tail(queue_tail),
      .spill_first(spill_first),
      .spill_end(spill_end),
      .spill_count(spill_count),
      .spill_base(32'd0),
      .spill_limit(12'd0),
      .memory_request_valid(memory_request_valid),
      .memory_request_ready(1'b0),
      .memory_request_write(memory_request_write),
      .memory_request_address(memory_request_address),
      .memory_request_data(memory_request_data),
      .memory_response_valid(1'b0),
      .memory_response_ready(memory_response_ready),
      .memory_response_data(64'd0)
  );

  // A net for them: linters take it for the answer that nobody reads them on purpose.
  wire unused = &{
    1'b0,
    operation_found,
    operation_failed,
    response_code,
    response_failed,
    response_warp,
    response_summary,
    token_entered,
    token_entered_warp,
    token_left,
    sweep_enable,
    sweep_key,
    exception_warp,
    window_read_data,
    queue_head,
    queue_tail,
    spill_first,
    spill_end,
    spill_count,
    memory_request_valid,
    memory_request_write,
    memory_request_address,
    memory_request_data,
    memory_response_ready
  };

endmodule
