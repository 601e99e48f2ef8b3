// A plain barrier unit written by hand: what an engineer would write who knows the block's page and nothing of its kernels.
// 16 CTAs of 8 barriers of 16 members. The same ports and the same cycles as the exported plain_barrier_16x8x16, so that a comparison
// of speeds compares the same work; verilator-tb/tests/baseline.rs holds it to that.

module plain_barrier (
    input  wire        clock,
    input  wire        reset,
    input  wire        request_valid,
    output wire        request_ready,
    input  wire [ 1:0] request_operation,
    input  wire [ 3:0] request_cta,
    input  wire [ 2:0] request_barrier,
    input  wire [15:0] request_mask,
    input  wire [15:0] request_participants,
    input  wire [ 1:0] request_condition,
    input  wire [ 4:0] request_reference,
    output wire        response_valid,
    output reg  [15:0] response_sleep,
    output reg  [15:0] response_skip,
    output reg  [15:0] response_wait,
    output wire        release_valid,
    output wire [ 3:0] release_cta,
    output wire [ 2:0] release_barrier,
    output wire        release_phase
);
  localparam [1:0] LAUNCH = 0, CONFIGURE = 1, ARRIVE = 2, EXIT = 3;
  localparam [1:0] ALL = 1, PARTICIPANTS = 3;

  // Of each barrier of each CTA.
  reg [1:0] conditions [0:127];
  reg [4:0] references [0:127];
  reg [0:0] phases [0:127];
  reg [15:0] arrived [0:127];
  reg [15:0] asleep [0:127];
  // Of each CTA.
  reg [15:0] living [0:15];

  // The request that was accepted at the last edge; a launch and an exit stay for each barrier of their CTA.
  reg        full, first;
  reg [ 1:0] operation, new_condition;
  reg [ 3:0] cta;
  reg [ 2:0] barrier;
  reg [15:0] mask, participants;
  reg [ 4:0] new_reference;

  wire walks = operation == LAUNCH || operation == EXIT;
  wire stepping = full && walks && barrier != 7;
  assign request_ready = !stepping;

  always @(posedge clock) begin
    if (reset) begin
      full <= 0;
      first <= 0;
      operation <= 0;
      cta <= 0;
      barrier <= 0;
      mask <= 0;
      participants <= 0;
      new_condition <= 0;
      new_reference <= 0;
    end else begin
      first <= !stepping;
      if (stepping) begin
        barrier <= barrier + 1;
      end else begin
        full <= request_valid;
        operation <= request_operation;
        cta <= request_cta;
        barrier <= (request_operation == LAUNCH || request_operation == EXIT) ? 0 : request_barrier;
        mask <= request_mask;
        participants <= request_participants;
        new_condition <= request_condition;
        new_reference <= request_reference;
      end
    end
  end

  wire [ 6:0] key = {cta, barrier};
  wire [ 1:0] condition = conditions[key];
  wire [15:0] here = arrived[key];
  wire [15:0] sleeping = asleep[key];
  wire [15:0] others = mask & ~participants;
  wire [15:0] news = mask & ~here & (condition == PARTICIPANTS ? participants : 16'hffff);
  wire [15:0] present = operation == EXIT ? here & ~mask : here | news;
  wire [15:0] sleepers = operation == EXIT ? sleeping : sleeping | (news & participants);
  wire [15:0] live = operation == EXIT ? living[cta] & ~mask : living[cta];

  integer i;
  reg [4:0] count;
  always @* begin
    count = 0;
    for (i = 0; i < 16; i = i + 1) count = count + {4'd0, present[i]};
  end
  wire met = condition == ALL ? (live & ~present) == 0 : count >= references[key] || sleepers == live;
  wire complete = full && (operation == ARRIVE || operation == EXIT) && met && present != 0;
  wire ends = complete && sleepers != 0;

  always @(posedge clock) begin
    if (full) begin
      case (operation)
        LAUNCH: begin
          conditions[key] <= ALL;
          references[key] <= new_reference;
          phases[key] <= 0;
          arrived[key] <= 0;
          asleep[key] <= 0;
          living[cta] <= mask;
        end
        CONFIGURE: begin
          conditions[key] <= new_condition;
          references[key] <= new_reference;
        end
        default: begin
          arrived[key] <= complete ? 0 : present;
          asleep[key] <= complete ? 0 : sleepers;
          if (ends) phases[key] <= !phases[key];
          if (operation == EXIT) living[cta] <= live;
        end
      endcase
    end
  end

  assign response_valid = full && first;
  always @* begin
    response_sleep = 0;
    response_skip = 0;
    response_wait = 0;
    if (full && operation == ARRIVE) begin
      response_sleep = news & participants;
      response_skip = condition == PARTICIPANTS ? others : others & news;
      response_wait = (condition == PARTICIPANTS ? mask & participants : mask) & ~news;
    end
  end
  assign release_valid = ends;
  assign release_cta = cta;
  assign release_barrier = barrier;
  assign release_phase = phases[key];
endmodule
