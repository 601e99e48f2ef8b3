// Shows the handshakes of the token queue as text, a line a cycle: the waveform of docs/integrate/README.md.

module testbench;
  reg         clock = 0;
  reg         reset_request = 1;
  reg         push_valid = 0;
  wire        push_ready;
  reg  [ 3:0] push_kind = 0;
  reg  [31:0] push_mask = 0;
  reg  [21:0] push_address = 0;
  reg         operation_valid = 0;
  wire        operation_ready;
  reg  [ 2:0] operation_code = 0;
  reg  [31:0] operation_mask = 0;
  reg  [21:0] operation_address = 0;
  wire        response_valid;
  wire        response_found;
  wire        response_merged;
  wire [ 3:0] response_kind;
  wire [31:0] response_mask;
  wire [21:0] response_address;
  wire        queue_full;
  integer     cycle = 0;

  warp_queue queue (
      .clock(clock),
      .reset_request(reset_request),
      .push_valid(push_valid),
      .push_ready(push_ready),
      .push_warp(2'd1),
      .push_kind(push_kind),
      .push_mask(push_mask),
      .push_address(push_address),
      .operation_valid(operation_valid),
      .operation_ready(operation_ready),
      .operation_code(operation_code),
      .operation_warp(2'd1),
      .operation_mask(operation_mask),
      .operation_address(operation_address),
      .response_valid(response_valid),
      .response_found(response_found),
      .response_merged(response_merged),
      .response_kind(response_kind),
      .response_mask(response_mask),
      .response_address(response_address),
      .queue_full(queue_full)
  );

  // One cycle: the inputs are set, the settled cycle is printed, then the clock rises and falls.
  task tick;
    begin
      #1;
      $write("%5d   %b %b   %b %b %0d", cycle, push_valid, push_ready, operation_valid, operation_ready, operation_code);
      if (response_valid && response_found) begin
        $write("   kind %0d mask %h address %h", response_kind, response_mask[7:0], response_address[11:0]);
      end else if (response_valid) begin
        $write("   %0s", response_merged ? "merged" : "nothing to pop");
      end
      $write("\n");
      #4 clock = 1;
      #5 clock = 0;
      cycle = cycle + 1;
    end
  endtask

  task push(input [3:0] kind, input [31:0] mask, input [21:0] address);
    begin
      push_valid = 1;
      push_kind = kind;
      push_mask = mask;
      push_address = address;
      tick;
      push_valid = 0;
    end
  endtask

  task operate(input [2:0] code, input [31:0] mask, input [21:0] address);
    begin : offer
      reg accepted;
      operation_valid = 1;
      operation_code = code;
      operation_mask = mask;
      operation_address = address;
      accepted = 0;
      while (!accepted) begin
        #1 accepted = operation_ready === 1'b1;
        tick;
      end
      operation_valid = 0;
    end
  endtask

  initial begin
    // Reset: two cycles for the synchronizer, then the block's; after it the tables are cleared, 16 cycles a warp,
    // and readys stay low.
    repeat (4) begin
      #5 clock = 1;
      #5 clock = 0;
    end
    reset_request = 0;
    #1;
    while (push_ready !== 1'b1) begin
      #4 clock = 1;
      #5 clock = 0;
      #1;
    end
    $display("        push  operation   answer");
    $display("cycle   v r   v r code");
    push(4'd1, 32'hff, 22'h100);
    push(4'd4, 32'hff, 22'h200);
    operate(3'd3, 32'h0f, 22'h080);
    operate(3'd2, 32'h30, 22'h080);
    operate(3'd0, 32'h0, 22'h0);
    operate(3'd0, 32'h0, 22'h0);
    operate(3'd0, 32'h0, 22'h0);
    tick;
    $finish;
  end
endmodule
