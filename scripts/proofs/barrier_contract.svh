  // What the execution side of the barrier scheduler assumes of the arrival side, and the arrival side keeps: the steps that come to the execute stage.
  // Whoever includes it says which signal of its own is `launches` (the step of a launch), `refused_there` (the request is refused) and `error_inside` (the
  // execution side finds it wrong).
  localparam [3:0] CODE_ATTEND = 4'd14, CODE_FINISH = 4'd15;
  wire stepwise = execute_operation == CODE_LAUNCH || execute_operation == CODE_EXIT;
  reg finishes, second, past_busy;
  reg [1:0] finishing;
  reg [3:0] step_operation;
  reg step_cta, step_block;
  reg [3:0] step_mask;
  reg [63:0] step_data;
  always @(posedge clock) begin
    past_busy <= reset || execution_busy;
    finishes <= !reset && finish_valid && finish_ready;
    finishing <= finish_key;
    second <= !reset && execute_act && stepwise && !execute_barrier;
    {step_operation, step_cta, step_block, step_mask, step_data} <= {execute_operation, execute_cta, execute_block, execute_mask, execute_data};
  end
  // `barrier_scheduler` 4. What the arrival side brings to the execute stage. One thing is there at a time: a request in its first cycle, the second step of a
  // launch or an exit, a barrier that asks for attention, or the finish that was taken the cycle before. A request that is in error or refused does nothing.
  always @(*) if (checking) one_step_at_a_time: assume (execute_key == {execute_cta, execute_barrier}
    && (!execute_act || execute_valid) && (!execute_request || (execute_valid && execute_operation < CODE_ATTEND)) && (execute_request || !execute_valid || execute_act)
    && (!execute_valid || execute_request || second || execute_operation >= CODE_ATTEND)
    && (execute_valid && execute_operation == CODE_FINISH) == finishes && (!finishes || execute_key == finishing)
    && (!refused_there || (execute_request && !execute_act)) && (!execute_act || !(error_inside || saving_refused))
    && (!launches || execute_act));
  // `barrier_scheduler` 4. The second step of a launch or an exit follows the first, with the same operands.
  always @(*) if (checking) steps_follow: assume (second == (execute_valid && stepwise && execute_barrier)
    && (!second || (!execute_request && execute_operation == step_operation && execute_cta == step_cta && execute_block == step_block && execute_mask == step_mask && execute_data == step_data)));
  // `barrier_scheduler` 4. While the execution side is busy nothing new is taken.
  always @(*) if (checking) busy_is_heard: assume ((!past_busy || !execute_valid || second) && (!execution_busy || !finish_ready));
  // `barrier_scheduler` 4. Events belong to what takes effect: a launch, a bottom, and what a CTA that leaves asks for bring none, a finish that is not cancelled
  // its release.
  wire quiet = execute_operation == CODE_LAUNCH || execute_operation == 1 || execute_operation == CODE_BOTTOM || execute_operation == CODE_FINISH
    || execute_operation == 11 || execute_operation == CODE_WITHDRAW;
  always @(*) if (checking) events_take_effect: assume ((!(sleep_mask != 0 || dynamic_valid || reset_valid || release_valid) || execute_act)
    && (!quiet || (sleep_mask == 0 && !dynamic_valid && !reset_valid && release_valid == (finishes && !finish_cancel)))
    && dynamic_valid + release_valid <= 1 && !(reset_valid && sleep_mask != 0));
