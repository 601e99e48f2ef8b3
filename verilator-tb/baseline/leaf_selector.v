// A ring of ready leaves for each of 4 warps, written by hand: a FIFO that can be pushed at its front, too. The same ports and the same
// cycles as the exported leaf_selector_4x32x64; verilator-tb/tests/baseline.rs holds it to that.

module leaf_selector (
    input  wire       clock,
    input  wire       reset,
    input  wire [1:0] warp,
    input  wire       clear_enable,
    output wire [5:0] front_node,
    output wire       empty,
    input  wire       push_enable,
    input  wire [5:0] push_node,
    input  wire       push_front,
    input  wire       pop_enable
);
  reg [5:0] ring [0:255];
  reg [5:0] head [0:3];
  reg [6:0] count [0:3];

  wire [5:0] ahead = head[warp] - 1;
  wire [5:0] back = head[warp] + count[warp][5:0];
  assign front_node = ring[{warp, head[warp]}];
  assign empty = count[warp] == 0;

  always @(posedge clock) begin
    if (push_enable) ring[{warp, push_front ? ahead : back}] <= push_node;
    if (clear_enable) begin
      head[warp] <= 0;
      count[warp] <= 0;
    end else begin
      if (push_front) head[warp] <= ahead;
      else if (pop_enable) head[warp] <= head[warp] + 1;
      if (push_enable && !pop_enable) count[warp] <= count[warp] + 1;
      else if (!push_enable && pop_enable) count[warp] <= count[warp] - 1;
    end
  end
endmodule
