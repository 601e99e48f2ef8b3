// Which kinds of tokens a queue holds (DQ-04), by itself, of one warp.

  // One warp. A token enters with the kind at its port, at the back yield tokens and nothing else.
  always @(*) if (checking) one_warp: assume (!push_warp && !enter_warp && !leave_warp && !query_warp && (!clear_enable || (clear_key >> 4) == 0));
  always @(*) if (checking && enter_valid) ports_agree: assume (enter_kind == (enter_pushed ? push_kind : enter_back ? KIND_YIELD : query_kind));
  // All kinds are forgotten one after the other, after reset and later; nothing enters or leaves meanwhile.
  reg [4:0] swept;
  wire known = swept[4];
  always @(posedge clock) swept <= reset ? 5'd0 : clear_enable ? clear_key[3:0] + 5'd1 : swept;
  always @(*) if (checking) sweeps_are_whole: assume (known ? !clear_enable || clear_key == 0 : clear_enable && clear_key == swept);
  always @(*) if (checking && clear_enable) sweeps_alone: assume (!enter_valid && !leave_valid);

  // Any one kind but yield: whether the queue holds a token of it, which is so from the first one that is pushed until that one is gone; how many were pushed after it,
  // of whatever kinds; and the same when the one that leaves in this cycle is gone.
  (* anyconst *) reg [3:0] any_kind;
  wire [3:0] kind = any_kind == KIND_YIELD ? KIND_SYNC : any_kind;
  wire [2:0] of_kind = {kind == KIND_CALL, kind == KIND_DIVERGENCE, kind == KIND_SYNC};
  reg there;
  reg [12:0] above;
  reg [3:0] given;
  wire there_left = there && !(leave_valid && above == 0);
  wire [12:0] above_left = above - leave_valid;
  wire at_front = enter_valid && (enter_pushed || !enter_back);
  wire enters = enter_valid && enter_kind == kind;
  always @(posedge clock)
    if (reset || clear_enable) there <= 1'b0;
    else if (there_left) begin
      there <= 1'b1;
      above <= above_left + at_front;
    end else begin
      there <= enters;
      above <= 0;
      given <= enter_summary;
    end
  // A yield token enters at the front only in front of nothing but yield tokens (tokens of a saved context come back).
  always @(*) if (checking && at_front && there_left) in_front_of_yields: assume (enter_kind != KIND_YIELD && above_left != 13'h1fff);
  // What leaves was pushed last of those that are there, yield tokens lie behind all others; it comes with the summary that it was given: the first of the kind, one that
  // was pushed in front of it, or one of another kind where there is none. That a summary is right when it is given is proven below.
  wire as_given = !there ? shown_kind != kind : above == 0 ? shown_kind == kind && shown_summary == given
    : (shown_kind != kind || (shown_summary[3] && !shown_alone)) && (of_kind == 0 || |(shown_summary[2:0] & of_kind));
  always @(*) if (checking && leave_valid) comes_back: assume (as_given);

  // 1. The flag of a kind other than yield is set if and only if the queue holds a token of it.
  always @(*) if (checking && known && query_kind == kind) present_is_true: assert (present == there_left);
  // 2. A token of a kind other than yield is told whether another of its kind is behind it (DQ-04).
  always @(*) if (checking && known && enters) own_is_true: assert (enter_summary[3] == there_left);
  // 2. A token that enters at the front is told which of the kinds sync, divergence and call are behind it (DQ-04).
  always @(*) if (checking && known && at_front && |of_kind) summary_is_true: assert (|(enter_summary[2:0] & of_kind) == there_left);
  // 2. At the back nothing is behind it.
  always @(*) if (checking && enter_valid && !enter_pushed && enter_back) back_has_none_behind: assert (enter_summary[2:0] == 0);

  // The second of those in front of the first leaves, itself of the kind, while another enters.
  third: cover property (checking && known && there && above == 2 && leave_valid && shown_kind == kind && enters);
  // The last token of a kind leaves, and one of another kind stays behind it.
  falls: cover property (checking && known && there && above == 0 && leave_valid && kind == KIND_SYNC && divergence);

`ifdef SMALLEST
  (* hierconn *) wire [31:0] \entered_push.words ;
  (* hierconn *) wire [31:0] \entered_leave.words ;
  (* hierconn *) wire [31:0] \entered_query.words ;
  (* hierconn *) wire [31:0] \left_push.words ;
  (* hierconn *) wire [31:0] \left_query.words ;
  wire entered = \entered_push.words [kind];
  wire left = \left_push.words [kind];
  // Once a kind was forgotten, its two bits differ if there is a token, in all copies; the bits of the three kinds are set then.
  always @(*) if (checking && (known || swept > kind)) helper_bits: assert ((entered != left) == there
    && \entered_leave.words [kind] == entered && \entered_query.words [kind] == entered && \left_query.words [kind] == left);
  always @(*) if (checking) helper_kinds: assert ((known || !there) && swept <= 16 && (!there || (!given[3] && (given[2:0] & of_kind) == 0))
    && (!of_kind[0] || sync == there) && (!of_kind[1] || divergence == there) && (!of_kind[2] || call == there));
`endif
