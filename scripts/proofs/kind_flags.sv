// Which kinds of tokens a queue holds (DQ-04), by itself, of one warp.

  // One warp. A token enters with the kind at its port, a yield token only at the back, and at the back nothing else.
  always @(*) if (checking) one_warp: assume (!push_warp && !enter_warp && !leave_warp && !query_warp && (clear_key >> 4) == 0);
  always @(*) if (checking && enter_valid) ports_agree: assume (enter_pushed ? enter_kind == push_kind && push_kind != KIND_YIELD
    : enter_back ? enter_kind == KIND_YIELD : enter_kind == query_kind && query_kind != KIND_YIELD);
  // All kinds are forgotten one after the other, after reset and later; nothing enters or leaves meanwhile.
  reg [4:0] swept;
  wire known = swept[4];
  always @(posedge clock) swept <= reset ? 5'd0 : clear_enable ? clear_key[3:0] + 5'd1 : swept;
  always @(*) if (checking) sweeps_are_whole: assume (known ? !clear_enable || clear_key == 0 : clear_enable && clear_key == swept);
  always @(*) if (checking && clear_enable) sweeps_alone: assume (!enter_valid && !leave_valid);

  // Any one kind but yield: how many tokens of it the queue holds, and how many when the one that leaves in this cycle is gone.
  (* anyconst *) reg [3:0] kind;
  reg [12:0] number;
  wire [12:0] number_left = number - (leave_valid && shown_kind == kind);
  wire enters = enter_valid && enter_kind == kind;
  always @(posedge clock)
    if (reset || clear_enable) number <= 0;
    else number <= number_left + enters;
  always @(*) kind_is_pushed: assume (kind != KIND_YIELD && (!enters || number != 13'h1fff));
  // What leaves was pushed last of those that are there, yield tokens lie behind all others; it comes with the summary that it was given, and those
  // behind it are still the same. That a summary is right when it is given is proven below.
  wire [2:0] of_kind = {kind == KIND_CALL, kind == KIND_DIVERGENCE, kind == KIND_SYNC};
  always @(*) if (checking && leave_valid) comes_back: assume (shown_kind == kind ? number != 0 && (shown_summary[3] && !shown_alone) == (number > 1)
    : shown_kind != KIND_YIELD || number == 0);
  always @(*) if (checking && leave_valid && number != 0 && |of_kind) summary_comes_back: assume (|(shown_summary[2:0] & of_kind) == (number_left != 0));

  // 1. The flag of a kind is set if and only if the queue holds a token of it.
  always @(*) if (checking && known && query_kind == kind) present_is_true: assert (present == (number_left != 0));
  // 1. A token is told whether another of its kind is behind it (DQ-04).
  always @(*) if (checking && known && enters) own_is_true: assert (enter_summary[3] == (number_left != 0));
  // 1. A token that enters at the front is told which of the kinds sync, divergence and call are behind it (DQ-04).
  always @(*) if (checking && known && enter_valid && (enter_pushed || !enter_back) && |of_kind) summary_is_true: assert (
    |(enter_summary[2:0] & of_kind) == (number_left != 0));
  // At the back nothing is behind it.
  always @(*) if (checking && enter_valid && !enter_pushed && enter_back) back_has_none_behind: assert (enter_summary[2:0] == 0);

  // The last of three tokens leaves while another enters.
  third: cover property (checking && known && number == 3 && leave_valid && shown_kind == kind && enters);
  // The last token of a kind leaves, and one of another kind stays in front of it.
  falls: cover property (checking && known && number == 1 && leave_valid && shown_kind == kind && kind == KIND_SYNC && divergence);

`ifdef SMALLEST
  (* hierconn *) wire [31:0] \entered_push.words ;
  (* hierconn *) wire [31:0] \entered_leave.words ;
  (* hierconn *) wire [31:0] \entered_query.words ;
  (* hierconn *) wire [31:0] \left_push.words ;
  (* hierconn *) wire [31:0] \left_query.words ;
  wire entered = \entered_push.words [kind];
  wire left = \left_push.words [kind];
  // Once a kind was forgotten, its two bits differ if there is a token, in all copies; the bits of the three kinds are set then.
  always @(*) if (checking && (known || swept > kind)) helper_bits: assert ((entered != left) == (number != 0)
    && \entered_leave.words [kind] == entered && \entered_query.words [kind] == entered && \left_query.words [kind] == left);
  always @(*) if (checking) helper_kinds: assert ((known || number == 0) && swept <= 16
    && (!of_kind[0] || sync == (number != 0)) && (!of_kind[1] || divergence == (number != 0)) && (!of_kind[2] || call == (number != 0)));
`endif
