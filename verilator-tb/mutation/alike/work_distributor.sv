
  // The grids that wait, from the first on: where the ring begins that they lie in counts for nobody.
  (* hierconn *) wire [1:0] \queue.first ;
  (* hierconn *) wire [2:0] \queue.count ;
  (* hierconn *) wire [255:0] \queue.tasks.words ;
  (* hierconn *) wire [383:0] \queue.shapes.words ;
  (* keep *) wire [642:0] heddle_alike_queue;
  genvar grid_that_waits;
  generate
    for (grid_that_waits = 0; grid_that_waits < 4; grid_that_waits = grid_that_waits + 1) begin : waiting
      wire [1:0] place = \queue.first + grid_that_waits;
      assign heddle_alike_queue[160*grid_that_waits+:160] = grid_that_waits < \queue.count
        ? {\queue.shapes.words [96*place+:96], \queue.tasks.words [64*place+:64]} : 160'd0;
    end
  endgenerate
  assign heddle_alike_queue[642:640] = \queue.count ;

  // The words of a plane, multiplied or about to be, while a grid is walked: each loads them when it begins.
  (* hierconn *) wire [10:0] \stride_part.high ;
  (* hierconn *) wire [15:0] \stride_part.low ;
  (* hierconn *) wire [4:0] \stride_part.left ;
  (* keep *) wire [31:0] heddle_alike_stride = running ? {\stride_part.high , \stride_part.low , \stride_part.left } : 32'd0;

  // The row to which the walk comes back for further clusters in y or z: it is read when it does; in the first column, a plane that notes it does that when it ends.
  (* hierconn *) wire \walker.first_column ;
  (* hierconn *) wire \walker.first_plane ;
  (* hierconn *) wire [31:0] \addresses.noted ;
  wire notes_later = \walker.first_column && (\walker.first_plane || \walker.y_last );
  (* keep *) wire [31:0] heddle_alike_noted = walker_walking && (!notes_later || (walker_turning && walker_turn == 3)) ? \addresses.noted : 32'd0;
