
  // Where the next word goes counts while words are left, and is loaded when a copy starts.
  (* hierconn *) wire [31:0] \copies.engine_0.write_address ;
  (* keep *) wire [31:0] heddle_alike_destination = \copies.engine_0.words_left != 0 ? \copies.engine_0.write_address : 32'd0;
