// Which leaf is ready and which is selected next (TD-04, TD-11).

  // A warp starts, or a leaf comes back, in a cycle of its own; only a leaf that is there has its turn, and only a leaf that comes back is refilled.
  always @(*) one_thing: assume (acts + launched + returned + climbing <= 1 && (!acts || waking || present) && (!refilled || returned) && (!resumes || acts || climbing));
  // A second leaf is made by an instruction; those with a node are among those that are made. A node resumes in the cycle of an instruction only if the
  // leaf goes, and only a wake-up joins the selected leaf.
  always @(*) made_by_instructions: assume ((!creates && !stores || acts) && (!stores || creates) && (!(acts && resumes) || empties || detaches) && (!wakes_here || waking));
  // The leaves that become ready, wait and come back have no thread in common.
  always @(*) leaves_differ: assume ((!ready_leaf || front_none || (ready_mask & front_mask) == 0) && (!returned || !present || (return_mask & leaf_mask) == 0));

  // 3. When a turn is over, each thread of the leaf that becomes ready and of the one that waited longest is in the leaf that is selected, or in the one that
  // goes into the ring, and in one of them only (TD-01, TD-04).
  wire [`THREADS-1:0] threads_before = (ready_leaf ? ready_mask : 8'd0) | (front_none ? 8'd0 : front_mask);
  wire [`THREADS-1:0] threads_pushed = pushes ? ready_mask : 8'd0;
  wire [`THREADS-1:0] threads_selected = select_enable ? select_mask : 8'd0;
  always @(*) if (rotates && present) none_is_lost: assert (
    (threads_pushed | threads_selected) == threads_before && (threads_pushed & threads_selected) == 0);
  // 3. A leaf is selected after a turn unless there is none.
  always @(*) if (rotates) none_only_if_none: assert (deselects == (threads_before == 0 && front_none && !ready_leaf) && deselects == !select_enable);
  // 1. A leaf that came back from memory is selected at once; the one that was selected goes to the front of the ring, unless it went to memory.
  always @(*) if (returned) selected_at_once: assert (select_enable && {select_mask, select_address, select_link} == {return_mask, return_address, return_link}
    && !pops && pushes == (refilled && present) && push_front == pushes && (!pushes || {ready_node, ready_mask} == {stores ? second_node : leaf_node, leaf_mask}));
  // 2. Only trees that are a leaf alone merge, and only at one address: all of their threads go on (TD-11).
  always @(*) if (merges) only_alone: assert (!ready_link[13] && !front_link[13] && ready_address == front_address && !pushes && pops
    && select_mask == (front_mask | ready_mask) && select_address == front_address);
  // 4. After an instruction that makes a second leaf the one that stays is still selected, unless a node resumes as the leaf detaches.
  always @(*) if (acts && creates && !waking && !(detaches && resumes)) goes_on: assert (!rotates && select_enable && {select_node, select_mask, select_address, select_link} ==
    (present ? {leaf_node, stay_mask, stay_address, stay_link} : {ready_node, ready_mask, ready_address, ready_link}));

  // A leaf resumes and goes into the ring as another one has its turn.
  resumes_behind: cover property (rotates && empties && resumes && pushes && !front_none);
  // Two trees merge.
  two_merge: cover property (merges && front_mask == 3 && ready_mask == 12);
