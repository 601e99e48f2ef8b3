# Constraints of docs/integrate/warp_queue.v: one clock; the asynchronous reset request ends in a synchronizer.
create_clock -name clock -period 10.0 [get_ports clock]
set_false_path -from [get_ports reset_request]
