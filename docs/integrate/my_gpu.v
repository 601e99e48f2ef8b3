// The smallest design around a block: warps of eight CTAs that wait for each other at barrier 0 of theirs.
module my_gpu (
    input  wire       clock, reset, request,
    input  wire [1:0] operation,  // 0 launch, 2 arrive, 3 exit
    input  wire [2:0] cta,
    input  wire [7:0] warps,      // who is launched, arrives or exits
    output wire       ready, met,
    output wire [2:0] met_cta     // all that live have come: its warps go on
);
  wire answered, phase;
  wire [7:0] sleep, skip, again;
  wire [2:0] barrier;
  plain_barrier_8x8x8 barriers (
      .clock(clock), .reset(reset), .request_valid(request), .request_ready(ready),
      .request_operation(operation), .request_cta(cta), .request_barrier(3'd0),
      .request_mask(warps), .request_participants(warps), .request_condition(2'd1), .request_reference(4'd0),
      .response_valid(answered), .response_sleep(sleep), .response_skip(skip), .response_wait(again),
      .release_valid(met), .release_cta(met_cta), .release_barrier(barrier), .release_phase(phase)
  );
  wire unused = &{1'b0, answered, sleep, skip, again, barrier, phase};  // outputs that nobody here reads
endmodule
